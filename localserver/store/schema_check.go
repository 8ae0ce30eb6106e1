package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// checkSchema refuses a database with another schema than the migrations up to its version make.
func (steps schemaSteps) checkSchema(ctx context.Context, path string, pool *sql.DB, version int64) error {
	ours, err := steps.describeSchema(ctx, version)
	if err != nil {
		return err
	}
	theirs, err := readSchema(ctx, pool)
	if err != nil {
		return fmt.Errorf("read the database %s: %w", path, err)
	}
	if err := compareTexts(ours, theirs); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// describeSchema creates a schema in memory and reads it. Version 0 has an empty schema.
func (steps schemaSteps) describeSchema(ctx context.Context, version int64) (map[string]string, error) {
	if version == 0 {
		return nil, nil
	}
	pool, err := openPool(Memory, 1)
	if err != nil {
		return nil, err
	}
	defer func() { _ = pool.Close() }()
	if err := steps.migrateSchemaTo(ctx, pool, version); err != nil {
		return nil, fmt.Errorf("make schema version %d: %w", version, err)
	}
	return readSchema(ctx, pool)
}

// readSchema reads the statements of a schema, by names such as "table users". It omits indexes of
// a table's constraints, SQLite's internal objects, and those of Litestream.
func readSchema(ctx context.Context, pool *sql.DB) (statements map[string]string, err error) {
	rows, err := pool.QueryContext(ctx, "SELECT type || ' ' || name, coalesce(sql, '') FROM sqlite_master WHERE "+
		"NOT (type = 'index' AND sql IS NULL) AND NOT (type = 'table' AND name IN ('sqlite_sequence', 'sqlite_stat1', 'sqlite_stat4')) AND NOT "+isLitestreams)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	statements = map[string]string{}
	for rows.Next() {
		var name, statement string
		if err := rows.Scan(&name, &statement); err != nil {
			return nil, err
		}
		statements[name] = joinLines(statement)
	}
	return statements, rows.Err()
}

// isLitestreams matches the two tables that Litestream adds to each database that it follows, with
// their exact statements: they execute nothing.
const isLitestreams = "(type = 'table' AND coalesce(sql, '') IN ('CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)', 'CREATE TABLE _litestream_lock (id INTEGER)'))"

// joinLines joins the lines of a statement, because its line breaks do not matter.
func joinLines(statement string) string {
	spaced := strings.NewReplacer("(", " ( ", ")", " ) ").Replace(statement)
	return strings.Join(strings.Fields(spaced), " ")
}

// compareTexts names the first thing that is not as we make it. The table that counts
// migrations is goose's, and there from the first moment on.
func compareTexts(ours, theirs map[string]string) error {
	const counter = "table " + versionTable
	names := slices.Sorted(maps.Keys(ours))
	if ours == nil && theirs[counter] != "" {
		names = []string{counter}
	}
	if err := compareNames("", names, slices.Sorted(maps.Keys(theirs))); err != nil {
		return err
	}
	for _, name := range names {
		known := []string{ours[name]}
		if name == counter {
			known = versionTables[:]
		}
		if !slices.Contains(known, theirs[name]) {
			return fmt.Errorf("its %s is not as parley makes it: %w", name, errForeignSchema)
		}
	}
	return nil
}

// versionTables are the statements that goose has ever used to create its table: a database keeps
// the one of the goose that created it.
var versionTables = [...]string{
	"CREATE TABLE goose_db_version ( id INTEGER PRIMARY KEY AUTOINCREMENT, version_id INTEGER NOT NULL, is_applied INTEGER NOT NULL, tstamp TIMESTAMP DEFAULT ( datetime ( 'now' ) ) )",
}

// compareNames names the first extra object, else the first missing one.
func compareNames(kind string, ours, theirs []string, of ...string) error {
	where := strings.Join(append([]string{""}, of...), " of table ")
	for _, name := range theirs {
		if !slices.Contains(ours, name) {
			return fmt.Errorf("it has the %s%s%s, which parley does not make: %w", kind, name, where, errForeignSchema)
		}
	}
	for _, name := range ours {
		if !slices.Contains(theirs, name) {
			return fmt.Errorf("it lacks the %s%s%s: %w", kind, name, where, errForeignSchema)
		}
	}
	return nil
}

// errForeignSchema is the refusal of a database that has been changed by another
// program.
var errForeignSchema = errors.New("another program has changed this database")

// schemaNames selects the names in a schema, such as "table users". It skips SQLite's own tables
// and indexes, which have reserved names, and Litestream's.
func schemaNames(schema string) string {
	return "SELECT type || ' ' || name FROM " + schema + ".sqlite_master WHERE (type NOT IN ('table', 'index') OR name NOT LIKE 'sqlite\\_%' ESCAPE '\\') AND NOT " + isLitestreams + " ORDER BY 1"
}

func listNames(ctx context.Context, pool *sql.DB, query string, args ...any) (names []string, err error) {
	rows, err := pool.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, rows.Err()
}

// refuseCode refuses a database that would execute something when it is read or
// written. It reads the list of the schema, which is a table that cannot be replaced.
func refuseCode(ctx context.Context, pool *sql.DB) error {
	var found string
	err := pool.QueryRowContext(ctx, "SELECT type || ' ' || name FROM sqlite_master WHERE type NOT IN ('table', 'index') OR type = 'table' AND coalesce(rootpage, 0) = 0").Scan(&found)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("it has the %s, which parley does not make: %w", found, errForeignSchema)
}
