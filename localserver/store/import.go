package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
)

// ImportDatabase writes the rows that a stranger's database holds into a new one, whose
// schema the program makes itself (docs/decisions/store.md, restore-rows). from must
// be a file that nobody changes meanwhile. It refuses a database that is not whole, is
// of a later version (ErrForeign where it is none of ours), or has another schema than
// the program makes: a view, a trigger, a table, an index or a column too many or too
// few. It refuses a cell that the program would not write: of another type than its
// column has, or too long. Nothing in it is executed.
func ImportDatabase(ctx context.Context, from, to string) error {
	if !hasSQLite {
		return errNoSQLite
	}
	if err := checkOwnDatabase(ctx, from, false); err != nil {
		return err
	}
	if err := createEmpty(to); err != nil {
		return err
	}
	err := importRows(ctx, from, to)
	if err == nil {
		err = syncToDisk(to)
	}
	if err != nil {
		return errors.Join(err, os.Remove(to))
	}
	return nil
}

// strangersOptions open a database whose schema is not to be trusted. It is never
// changed, so it needs neither locks nor a log.
const strangersOptions = "?mode=ro&immutable=1"

func importRows(ctx context.Context, from, to string) (err error) {
	pool, err := openPool(fileURI(absolutePath(to))+commonOptions, 1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	version, err := readVersion(ctx, from)
	if err != nil {
		return err
	}
	if err := ownSteps().migrateSchemaTo(ctx, pool, version); err != nil {
		return fmt.Errorf("%s: schema version %d: %w", from, version, err)
	}
	for _, statement := range []string{"PRAGMA trusted_schema = OFF", "PRAGMA cell_size_check = ON", "PRAGMA ignore_check_constraints = ON"} {
		if _, err := pool.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	if _, err := pool.ExecContext(ctx, "ATTACH ? AS snapshot", fileURI(absolutePath(from))+strangersOptions); err != nil {
		return fmt.Errorf("read the database %s: %w", from, err)
	}
	tables, err := compareSchemas(ctx, pool)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	if err := checkDamage(ctx, from, "snapshot", pool); err != nil {
		return err
	}
	if _, err := pool.ExecContext(ctx, "PRAGMA ignore_check_constraints = OFF"); err != nil {
		return err
	}
	if err := copyRows(ctx, pool, tables); err != nil {
		return fmt.Errorf("the rows of the database %s cannot be taken over: %w", from, err)
	}
	return nil
}

func readVersion(ctx context.Context, path string) (int64, error) {
	pool, err := openPool(fileURI(absolutePath(path))+strangersOptions, 1)
	if err != nil {
		return 0, err
	}
	defer func() { _ = pool.Close() }()
	m := readMarks(ctx, pool)
	return m.version, m.err
}

// table is a table with its columns.
type table struct {
	name    string
	columns []string
}

// compareSchemas refuses a snapshot whose schema is not the one that was just made,
// and gives the tables of that one.
func compareSchemas(ctx context.Context, pool *sql.DB) ([]table, error) {
	ours, err := listNames(ctx, pool, schemaNames("main"))
	if err != nil {
		return nil, err
	}
	theirs, err := listNames(ctx, pool, schemaNames("snapshot"))
	if err != nil {
		return nil, err
	}
	if err := compareNames("", ours, theirs); err != nil {
		return nil, err
	}
	var tables []table
	for _, entry := range ours {
		name, isTable := strings.CutPrefix(entry, "table ")
		if !isTable || name == versionTable {
			continue
		}
		columns, err := compareColumns(ctx, pool, name)
		if err != nil {
			return nil, err
		}
		tables = append(tables, table{name, columns})
	}
	return tables, nil
}

// compareColumns refuses a table of other columns than ours, computed ones too.
func compareColumns(ctx context.Context, pool *sql.DB, name string) ([]string, error) {
	const query = "SELECT CASE hidden WHEN 0 THEN '' ELSE 'computed ' END || name FROM pragma_table_xinfo(?, ?) ORDER BY cid"
	ours, err := listNames(ctx, pool, query, name, "main")
	if err != nil {
		return nil, err
	}
	theirs, err := listNames(ctx, pool, query, name, "snapshot")
	if err != nil {
		return nil, err
	}
	return ours, compareNames("column ", ours, theirs, name)
}

// copyRows copies the rows of all tables in one transaction, at whose end they must
// belong together. The snapshot's indexes are not asked: they may say something else
// than its tables.
func copyRows(ctx context.Context, pool *sql.DB, tables []table) error {
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.ExecContext(ctx, "PRAGMA defer_foreign_keys = ON"); err != nil {
		return err
	}
	for _, t := range tables {
		if err := checkCells(ctx, tx, t.name); err != nil {
			return err
		}
		columns := `"` + strings.Join(t.columns, `", "`) + `"`
		if _, err := tx.ExecContext(ctx, fmt.Sprintf(`INSERT INTO main."%s" (%s) SELECT %s FROM snapshot."%s" NOT INDEXED`, t.name, columns, columns, t.name)); err != nil {
			return fmt.Errorf("table %s: %w", t.name, err)
		}
		if err := compareRows(ctx, tx, t.name, columns); err != nil {
			return fmt.Errorf("table %s: %w", t.name, err)
		}
	}
	return tx.Commit()
}

// compareRows refuses a table in which other rows have arrived than the snapshot has.
func compareRows(ctx context.Context, tx *sql.Tx, name, columns string) error {
	var sides [2]*digest
	for i, schema := range [...]string{"snapshot", "main"} {
		rows, err := tx.QueryContext(ctx, fmt.Sprintf(`SELECT %s FROM %s."%s" NOT INDEXED`, columns, schema, name))
		if err != nil {
			return err
		}
		sides[i] = newDigest()
		if err := sides[i].addRows(rows, noLimit); err != nil {
			return err
		}
	}
	return sides[0].compare(sides[1])
}
