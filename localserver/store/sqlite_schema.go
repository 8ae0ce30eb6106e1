package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/pressly/goose/v3"

	"github.com/parley-npc/parley/localserver/store/db"
	"github.com/parley-npc/parley/personas/atomicfile"
)

const applicationID = 1347570777

type schemaSteps struct{ files fs.FS }

func ownSteps() schemaSteps { return schemaSteps{db.SQLiteMigrations()} }

// Opening another program's file for writing could change its tables or run code in its schema.
func (steps schemaSteps) inspectFile(ctx context.Context, path, dsn string) error {
	if err := checkHeader(path); err != nil {
		return err
	}
	pool, err := openPool(dsn, 1)
	if err != nil {
		return err
	}
	defer func() { _ = pool.Close() }()
	marks := readMarks(ctx, pool)
	if err = steps.judgeMarks(path, marks); err == nil {
		err = steps.checkSchema(ctx, path, pool, marks.version)
	}
	if errors.Is(err, errForeignSchema) {
		return fmt.Errorf(
			"%w: undo that change, restore a snapshot (parley localserver restore --force), or use another data folder",
			err,
		)
	}
	return err
}

const header = "SQLite format 3\x00"

func checkHeader(path string) error {
	file, err := atomicfile.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return cmp.Or(checkLeftLog(path), fmt.Errorf("open the database: %w", err))
	}
	if err != nil {
		return fmt.Errorf("open the database: %w", err)
	}
	defer func() { _ = file.Close() }()
	start := make([]byte, len(header))
	n, err := io.ReadFull(file, start)
	switch {
	case errors.Is(err, io.EOF):
		return fmt.Errorf("%w: the file %s is empty: %s", ErrEmptied, path, afterEmptied)
	case err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("read the database: %w", err)
	case string(start[:n]) != header:
		return fmt.Errorf("%s is not a database: use another file or folder, or move this one away", path)
	}
	return checkLinks(path, file)
}

const versionTable = "goose_db_version"

// tables excludes versionTable, because an interrupted first start creates no other table.
type fileMarks struct {
	application int64
	tables      int64
	version     int64
	err         error
}

func readMarks(ctx context.Context, pool *sql.DB) (marks fileMarks) {
	ask := func(query string, dest *int64) {
		if marks.err == nil {
			marks.err = pool.QueryRowContext(ctx, query).Scan(dest)
		}
	}
	ask("PRAGMA application_id", &marks.application)
	ask(
		"SELECT count(*) FROM sqlite_master WHERE tbl_name NOT IN ('"+versionTable+"', 'sqlite_sequence')",
		&marks.tables,
	)
	if marks.application != applicationID || marks.err != nil {
		return marks
	}
	if marks.err = refuseCode(ctx, pool); marks.err == nil {
		ask("SELECT coalesce(max(version_id), 0) FROM "+versionTable, &marks.version)
	}
	return marks
}

func (steps schemaSteps) judgeMarks(path string, marks fileMarks) error {
	switch {
	case errors.Is(marks.err, errForeignSchema):
		return fmt.Errorf("%s: %w", path, marks.err)
	case marks.err != nil:
		return fmt.Errorf("read the database %s: %w", path, marks.err)
	case marks.tables > 0 && marks.application != applicationID:
		return fmt.Errorf("%s is a database of another program: use another file or folder", path)
	case marks.version > steps.newest():
		return fmt.Errorf(
			"the database %s has schema version %d, but this parley supports only versions up to %d: %w", path,
			marks.version, steps.newest(), ErrNewer,
		)
	}
	return nil
}

func (steps schemaSteps) newest() int64 {
	names, _ := fs.Glob(steps.files, "*.sql") // The pattern is valid.
	newest := int64(0)
	for _, name := range names {
		if version, err := goose.NumericComponent(name); err == nil {
			newest = max(newest, version)
		}
	}
	return newest
}

func (steps schemaSteps) migrateSchemaTo(ctx context.Context, writer *sql.DB, version int64) error {
	provider, err := goose.NewProvider(goose.DialectSQLite3, writer, steps.files, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	_, err = provider.UpTo(ctx, version)
	if errors.Is(err, goose.ErrNoNextVersion) {
		return nil
	}
	return err
}

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
		return nil, fmt.Errorf("create schema version %d: %w", version, err)
	}
	return readSchema(ctx, pool)
}

func readSchema(ctx context.Context, pool *sql.DB) (statements map[string]string, err error) {
	rows, err := pool.QueryContext(ctx, "SELECT type || ' ' || name, coalesce(sql, '') FROM sqlite_master WHERE "+
		"NOT (type = 'index' AND sql IS NULL) AND "+
		"NOT (type = 'table' AND name IN ('sqlite_sequence', 'sqlite_stat1', 'sqlite_stat4')) AND "+
		"NOT "+isLitestreams)
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
		spaced := strings.NewReplacer("(", " ( ", ")", " ) ").Replace(statement)
		statements[name] = strings.Join(strings.Fields(spaced), " ")
	}
	return statements, rows.Err()
}

// The statements are complete, so that Litestream's two tables cannot contain code.
const isLitestreams = "(type = 'table' AND coalesce(sql, '') IN (" +
	"'CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)', " +
	"'CREATE TABLE _litestream_lock (id INTEGER)'))"

func compareTexts(ours, theirs map[string]string) error {
	const counter = "table " + versionTable
	names := slices.Sorted(maps.Keys(ours))
	if ours == nil && theirs[counter] != "" {
		names = []string{counter}
	}
	if err := compareNames(names, slices.Sorted(maps.Keys(theirs))); err != nil {
		return err
	}
	for _, name := range names {
		definition := ours[name]
		if name == counter {
			definition = versionTableText
		}
		if theirs[name] != definition {
			return fmt.Errorf("the definition of its %s differs: %w", name, errForeignSchema)
		}
	}
	return nil
}

const versionTableText = "CREATE TABLE goose_db_version ( id INTEGER PRIMARY KEY AUTOINCREMENT, " +
	"version_id INTEGER NOT NULL, is_applied INTEGER NOT NULL, tstamp TIMESTAMP DEFAULT ( datetime ( 'now' ) ) )"

func compareNames(ours, theirs []string) error {
	for _, name := range theirs {
		if !slices.Contains(ours, name) {
			return fmt.Errorf("it contains the unexpected %s: %w", name, errForeignSchema)
		}
	}
	for _, name := range ours {
		if !slices.Contains(theirs, name) {
			return fmt.Errorf("it does not contain the %s: %w", name, errForeignSchema)
		}
	}
	return nil
}

var errForeignSchema = errors.New("another program has changed this database")

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

// A trigger or a view would run code during reads or writes. Other programs cannot replace
// sqlite_master.
func refuseCode(ctx context.Context, pool *sql.DB) error {
	const code = "SELECT type || ' ' || name FROM sqlite_master " +
		"WHERE type NOT IN ('table', 'index') OR type = 'table' AND coalesce(rootpage, 0) = 0"
	var object string
	err := pool.QueryRowContext(ctx, code).Scan(&object)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("it contains the unexpected %s: %w", object, errForeignSchema)
}
