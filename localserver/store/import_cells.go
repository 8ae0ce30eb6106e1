package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

// What a cell of a snapshot may be long at most, in bytes: more than the program writes,
// and little enough to be read at once.
const (
	maxDocument = 64 << 20 // the largest body of a persona, escaped as JSON escapes
	maxSpeech   = 16 << 20 // what was said, and why
	maxCell     = 1 << 20
)

// cellLimits has the limits of columns, by table, that may exceed maxCell.
var cellLimits = map[string]int{
	"persona_versions.doc": maxDocument,
	"messages.content":     maxSpeech,
	"messages.trace":       maxSpeech,
	"messages.summary":     maxSpeech,
	"sessions.summary":     maxSpeech,
	"answers.answer":       maxSpeech,
}

// cellTypes maps a declared column type to SQLite's type of its cells.
var cellTypes = map[string]string{"TEXT": "text", "INTEGER": "integer", "BOOLEAN": "integer", "BLOB": "blob"}

// rowAsker is a database or a transaction.
type rowAsker interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// checkCells refuses a table with a cell that is too long or has another type than its column. The
// table is in one of the databases of a connection, and the main one has our schema. SQLite knows
// type and length without reading the cell.
func checkCells(ctx context.Context, on rowAsker, schema, table string) error {
	rules, err := cellRules(ctx, on, table)
	if err != nil {
		return err
	}
	var wrong string
	query := fmt.Sprintf(`SELECT wrong FROM (SELECT CASE %s END AS wrong FROM %s."%s" NOT INDEXED) WHERE wrong IS NOT NULL`, rules, schema, table)
	switch err := on.QueryRowContext(ctx, query).Scan(&wrong); {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return fmt.Errorf("table %s: %w", table, err)
	}
	return fmt.Errorf("table %s, %s: %w", table, wrong, errForeignSchema)
}

// cellRules returns the SQL cases that make a row of a table invalid, each with its message.
func cellRules(ctx context.Context, on rowAsker, table string) (string, error) {
	rows, err := on.QueryContext(ctx, "SELECT name, type FROM pragma_table_xinfo(?, 'main')", table)
	if err != nil {
		return "", err
	}
	defer func() { _ = rows.Close() }()
	var rules strings.Builder
	for rows.Next() {
		var name, declared string
		if err := rows.Scan(&name, &declared); err != nil {
			return "", err
		}
		kind, limit := cellTypes[declared], cellLimit(table, name)
		_, _ = fmt.Fprintf(&rules, ` WHEN typeof("%[1]s") NOT IN ('%[2]s', 'null') THEN 'column %[1]s: it has a value of type ' || typeof("%[1]s") || ', and takes %[2]s'`+
			` WHEN octet_length("%[1]s") > %[3]d THEN 'column %[1]s: it has a value of ' || octet_length("%[1]s") || ' bytes, and takes %[3]d'`, name, kind, limit)
	}
	return rules.String(), rows.Err()
}

// cellLimit is how many bytes a cell may have.
func cellLimit(table, column string) int { return cmp.Or(cellLimits[table+"."+column], maxCell) }
