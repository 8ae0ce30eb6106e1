package postgres

import (
	"context"
	"database/sql"

	"github.com/parley-npc/parley/localserver/store/postgres/statements"
)

// Nodes are the statements by which servers that share a database know of each other. The
// file of SQLite, which has one server, has none of them.
type Nodes = statements.Queries

// What the statements of Nodes take and give.
type (
	RequestToCount       = statements.CountRequestParams
	RequestCount         = statements.CountRequestRow
	CountedRequest       = statements.UncountRequestParams
	IdleCallers          = statements.ForgetIdleCallersParams
	CallClaim            = statements.ClaimCallParams
	CallName             = statements.CallUnderWayParams
	HeldCall             = statements.EndCallParams
	ProviderRecord       = statements.KeepProviderRecordParams
	NewProviderRecord    = statements.ReplaceProviderRecordParams
	ProviderRecordName   = statements.ProviderRecordParams
	ProviderRecordDrop   = statements.DropProviderRecordParams
	ProviderRecordList   = statements.ProviderRecordsParams
	ProviderRecordBounds = statements.ForgetProviderRecordsParams
)

// AskNodes does one statement, which is a transaction by itself.
func (d *Database) AskNodes(ctx context.Context, do func(context.Context, *Nodes) error) error {
	return d.repeat(ctx, func(ctx context.Context, conn *sql.Conn) error { return do(ctx, statements.New(cleanTexts{conn})) })
}

// WriteNodes does several and commits them, as Write does.
func (d *Database) WriteNodes(ctx context.Context, do func(context.Context, *Nodes) error) error {
	return d.writeTx(ctx, func(ctx context.Context, tx *sql.Tx) error { return do(ctx, statements.New(cleanTexts{tx})) })
}
