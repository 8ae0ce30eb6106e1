// Package db contains the queries of the store, which sqlc generates from the directory queries.
// They run on PostgreSQL and, with the changes in this file, on SQLite.
package db

import (
	"context"
	"database/sql"
)

// NewSQLite returns the queries for a connection or a transaction of SQLite. The queries in
// nodes.sql, callers.sql, calls.sql and provider.sql fail, because their tables exist only in
// PostgreSQL.
func NewSQLite(on DBTX) *Queries { return New(sqlite{on}) }

// sqlite converts each statement to SQLite's dialect and runs it.
type sqlite struct{ on DBTX }

func (s sqlite) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	return s.on.ExecContext(ctx, sqliteText(query), args...)
}

func (s sqlite) PrepareContext(ctx context.Context, query string) (*sql.Stmt, error) {
	return s.on.PrepareContext(ctx, sqliteText(query))
}

func (s sqlite) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return s.on.QueryContext(ctx, sqliteText(query), args...)
}

func (s sqlite) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	return s.on.QueryRowContext(ctx, sqliteText(query), args...)
}

// sqliteText returns a query in SQLite's dialect. SQLite treats $1 as the name of a parameter and
// numbers parameters by their first occurrence in the text. So in all queries, the first
// occurrences of parameters must be in the order of their numbers (TestQueriesOnSQLite).
func sqliteText(query string) string {
	switch query {
	case completions: // SQLite's rowid replaces the column seq.
		return `SELECT machine_id, outcome, score, completed_at FROM completions
WHERE player_id = $1
ORDER BY completed_at, rowid`
	case purgeAnswers: // Only one connection writes, so there are no locks to skip.
		return `DELETE FROM answers WHERE id IN (
    SELECT a.id FROM answers a WHERE a.created_at < $1 ORDER BY a.created_at LIMIT 100
)`
	case visibleSingle: // SQLite has no type JSON.
		return `SELECT p.id, p.owner_id, p.public, p.name, p.description, p.created_at, p.updated_at,
    v.doc ->> 'persona_identity_prompt' AS prompt
FROM personas p JOIN persona_versions v ON v.persona_id = p.id AND v.version = p.version
WHERE p.id = $1 AND (p.public OR p.owner_id = $2)`
	default:
		return query
	}
}
