package postgres

import (
	"context"
	"database/sql"

	"github.com/parley-npc/parley/localserver/store/postgres/statements"
)

// Nodes are the statements for the tables that servers of one database share. SQLite lacks them,
// because its file has one server.
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

// AskNodes runs one statement as its own transaction.
func (d *Database) AskNodes(ctx context.Context, do func(context.Context, *Nodes) error) error {
	return d.repeat(ctx, func(ctx context.Context, conn *sql.Conn) error { return do(ctx, statements.New(cleanTexts{conn})) })
}

// WriteNodes does several and commits them, as Write does.
func (d *Database) WriteNodes(ctx context.Context, do func(context.Context, *Nodes) error) error {
	return d.writeTx(ctx, func(ctx context.Context, tx *sql.Tx) error { return do(ctx, statements.New(cleanTexts{tx})) })
}
