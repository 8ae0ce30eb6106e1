package postgres

import (
	"context"
	"database/sql"
	"strings"

	"github.com/parley-npc/parley/localserver/store/db"
)

func newQueries(on db.DBTX) *db.Queries { return db.New(cleanTexts{on}) }

// cleanTexts replaces NUL and invalid UTF-8 in every text argument, because PostgreSQL rejects
// them. The service rejects such texts before it stores them, so this only affects names in
// searches.
type cleanTexts struct{ on db.DBTX }

func (c cleanTexts) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	return c.on.ExecContext(ctx, query, cleanAll(args)...)
}

func (c cleanTexts) PrepareContext(ctx context.Context, query string) (*sql.Stmt, error) {
	return c.on.PrepareContext(ctx, query)
}

func (c cleanTexts) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return c.on.QueryContext(ctx, query, cleanAll(args)...)
}

func (c cleanTexts) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	return c.on.QueryRowContext(ctx, query, cleanAll(args)...)
}

func cleanAll(args []any) []any {
	for i, arg := range args {
		switch value := arg.(type) {
		case string:
			args[i] = cleanText(value)
		case sql.NullString:
			args[i] = sql.NullString{String: cleanText(value.String), Valid: value.Valid}
		}
	}
	return args
}

func cleanText(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}
