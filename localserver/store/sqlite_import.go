package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
)

// ImportDatabase copies the rows of an untrusted database to a new file with the program's own
// schema. No code of the database is executed. ImportDatabase returns an error for a damaged, newer
// or foreign database. Cells that are too long or have another type than their column are errors
// too.
func ImportDatabase(ctx context.Context, from, to string, progress Progress) ([]Copied, error) {
	copied, err := importDatabase(ctx, from, to, progress)
	if err != nil {
		return nil, err
	}
	if err := realDisk().syncPath(to); err != nil {
		return nil, errors.Join(err, os.Remove(to))
	}
	return copied, nil
}

func importDatabase(ctx context.Context, from, to string, progress Progress) ([]Copied, error) {
	r, marks, err := openOwn(ctx, from)
	if err != nil {
		return nil, err
	}
	err = errors.Join(ownSteps().checkSchema(ctx, from, r.DB, marks.version), r.Close())
	if err == nil {
		err = createEmpty(to)
	}
	if err != nil {
		return nil, err
	}
	copied, err := importRows(ctx, from, to, marks.version, progress)
	if err != nil {
		return nil, errors.Join(err, os.Remove(to))
	}
	return copied, nil
}

const untrustedOptions = "?mode=ro&immutable=1"

func importRows(ctx context.Context, from, to string, version int64, progress Progress) (copied []Copied, err error) {
	pool, err := openPool(fileURI(absolutePath(to))+commonOptions, 1)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	if err := ownSteps().migrateSchemaTo(ctx, pool, version); err != nil {
		return nil, fmt.Errorf("%s: schema version %d: %w", from, version, err)
	}
	for _, statement := range []string{"PRAGMA trusted_schema = OFF", "PRAGMA cell_size_check = ON"} {
		if _, err := pool.ExecContext(ctx, statement); err != nil {
			return nil, err
		}
	}
	snapshot := fileURI(absolutePath(from)) + untrustedOptions
	if _, err := pool.ExecContext(ctx, "ATTACH ? AS snapshot", snapshot); err != nil {
		return nil, fmt.Errorf("read the database %s: %w", from, err)
	}
	if err := askDamage(ctx, from, "PRAGMA snapshot.quick_check(1)", pool); err != nil {
		return nil, err
	}
	if copied, err = copyRows(ctx, pool, progress); err != nil {
		return nil, fmt.Errorf("the rows of the database %s cannot be copied: %w", from, err)
	}
	return copied, nil
}

func listColumns(ctx context.Context, pool *sql.DB) (names []string, columns map[string]string, err error) {
	columns = map[string]string{}
	for _, name := range tableNames() {
		list, err := listNames(ctx, pool, "SELECT name FROM pragma_table_info(?, 'main') ORDER BY cid", name)
		if err != nil {
			return nil, nil, err
		}
		if len(list) > 0 { // Older schemas have fewer tables.
			names, columns[name] = append(names, name), `"`+strings.Join(list, `", "`)+`"`
		}
	}
	return names, columns, nil
}

func copyRows(ctx context.Context, pool *sql.DB, progress Progress) ([]Copied, error) {
	names, columns, err := listColumns(ctx, pool)
	if err != nil {
		return nil, err
	}
	// With ctx, database/sql would roll back while the caller removes the file, and leave a
	// journal.
	tx, err := pool.BeginTx(context.WithoutCancel(ctx), nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.ExecContext(ctx, "PRAGMA defer_foreign_keys = ON"); err != nil {
		return nil, err
	}
	for _, name := range names {
		if err := checkCells(ctx, tx, "snapshot", name); err != nil {
			return nil, err
		}
	}
	snapshot, target := importSide{tx, "snapshot", columns}, importSide{tx, "main", columns}
	copied, err := copyTables(ctx, snapshot, target, names, progress)
	if err != nil {
		return nil, err
	}
	return copied, tx.Commit()
}

// Queries must not use indexes, because the indexes of the snapshot may not match its tables.
type importSide struct {
	tx      *sql.Tx
	schema  string
	columns map[string]string // by table; those of the snapshot's schema version, in the order of creation
}

func (s importSide) CountRows(ctx context.Context) (map[string]int64, error) {
	counts := map[string]int64{}
	for name := range s.columns {
		var count int64
		row := s.tx.QueryRowContext(ctx, fmt.Sprintf(`SELECT count(*) FROM %s."%s" NOT INDEXED`, s.schema, name))
		if err := row.Scan(&count); err != nil {
			return nil, fmt.Errorf("table %s: %w", name, err)
		}
		counts[name] = count
	}
	return counts, nil
}

func (s importSide) ReadTable(ctx context.Context, name string) (*sql.Rows, error) {
	return s.tx.QueryContext(ctx, fmt.Sprintf(`SELECT %s FROM %s."%s" NOT INDEXED`, s.columns[name], s.schema, name))
}

func (s importSide) WriteTable(ctx context.Context, name string, columns []string, next func() ([]any, error)) error {
	places := strings.TrimSuffix(strings.Repeat("?, ", len(columns)), ", ")
	statement := fmt.Sprintf(`INSERT INTO %s."%s" (%s) VALUES (%s)`, s.schema, name, s.columns[name], places)
	return insertRows(ctx, s.tx, statement, next)
}

// Maximum lengths of cells in bytes. The program never writes longer cells.
const (
	maxDocument = 64 << 20 // the largest persona document with all characters escaped
	maxSpeech   = 16 << 20 // messages, summaries and traces
	maxCell     = 1 << 20
)

var cellLimits = map[string]int{
	"persona_versions.doc": maxDocument,
	"messages.content":     maxSpeech,
	"messages.trace":       maxSpeech,
	"messages.summary":     maxSpeech,
	"sessions.summary":     maxSpeech,
	"answers.answer":       maxSpeech,
}

var cellTypes = map[string]string{
	"TEXT": "text", "INTEGER": "integer", "BIGINT": "integer", "BOOLEAN": "integer", "BLOB": "blob",
}

type rowAsker interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func checkCells(ctx context.Context, querier rowAsker, schema, table string) error {
	rules, err := cellRules(ctx, querier, table)
	if err != nil {
		return err
	}
	var wrong string
	query := fmt.Sprintf(
		`SELECT wrong FROM (SELECT CASE %s END AS wrong FROM %s."%s" NOT INDEXED) WHERE wrong IS NOT NULL`,
		rules, schema, table,
	)
	switch err := querier.QueryRowContext(ctx, query).Scan(&wrong); {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return fmt.Errorf("table %s: %w", table, err)
	}
	return fmt.Errorf("table %s, %s: %w", table, wrong, errForeignSchema)
}

const cellRule = ` WHEN typeof("%[1]s") NOT IN ('%[2]s', 'null') ` +
	`THEN 'column %[1]s has a value of type ' || typeof("%[1]s") || ' instead of %[2]s'` +
	` WHEN octet_length("%[1]s") > %[3]d ` +
	`THEN 'column %[1]s has a value of ' || octet_length("%[1]s") || ' bytes, the maximum is %[3]d'`

func cellRules(ctx context.Context, querier rowAsker, table string) (string, error) {
	rows, err := querier.QueryContext(ctx, "SELECT name, type FROM pragma_table_xinfo(?, 'main')", table)
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
		_, _ = fmt.Fprintf(&rules, cellRule, name, cellTypes[declared], cellLimit(table, name))
	}
	return rules.String(), rows.Err()
}

func cellLimit(table, column string) int { return cmp.Or(cellLimits[table+"."+column], maxCell) }
