package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/pressly/goose/v3"

	"github.com/parley-npc/parley/localserver/store/db"
	"github.com/parley-npc/parley/personas/atomicfile"
)

// applicationID marks our files; the first migration writes it.
const applicationID = 1347570777

// SnapshotMark is the user version of a snapshot: its file ends with a checksum. Servers
// remove it from databases that they write.
const SnapshotMark = 0x736e6170 // "snap"

// clearMark takes the mark of a snapshot off a database that is to be written.
func clearMark(ctx context.Context, writer *sql.DB) error {
	var mark int64
	err := writer.QueryRowContext(ctx, "PRAGMA user_version").Scan(&mark)
	if err == nil && mark == SnapshotMark {
		_, err = writer.ExecContext(ctx, "PRAGMA user_version = 0")
	}
	return err
}

// schemaSteps are the migrations that make a schema, in files *.sql.
type schemaSteps struct{ files fs.FS }

func ownSteps() schemaSteps { return schemaSteps{db.SQLiteMigrations()} }

// inspectFile checks the file without changing it, before the connections that would: another
// program's file keeps its journal mode and its tables, a short text is not taken for a new
// database, and foreign additions to the schema are not executed.
func (steps schemaSteps) inspectFile(ctx context.Context, path, dsn string) error {
	if err := checkHeader(path); err != nil {
		return err
	}
	pool, err := openPool(dsn, 1)
	if err != nil {
		return err
	}
	defer func() { _ = pool.Close() }()
	m := readMarks(ctx, pool)
	if err = steps.judgeMarks(path, m); err == nil {
		err = steps.checkSchema(ctx, path, pool, m.version)
	}
	if errors.Is(err, errForeignSchema) {
		return fmt.Errorf("%w: undo that change, put a snapshot in its place (parley localserver restore --force), or name another data folder", err)
	}
	return err
}

// header is what every SQLite file begins with.
const header = "SQLite format 3\x00"

// checkHeader refuses a file that is empty, or gone without its log (ErrEmptied), has several
// names (ErrLinked), or is something else than a database.
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
		return fmt.Errorf("%s is not a database: name another file or folder, or move this one away", path)
	}
	return checkLinks(path, file)
}

// versionTable is goose's table of the migrations that were made.
const versionTable = "goose_db_version"

// fileMarks identify the program that a database belongs to. The table that counts migrations is
// not among the tables: a first start may have been interrupted right after it.
type fileMarks struct {
	application int64
	tables      int64
	version     int64
	err         error
}

func readMarks(ctx context.Context, pool *sql.DB) (m fileMarks) {
	ask := func(query string, into *int64) {
		if m.err == nil {
			m.err = pool.QueryRowContext(ctx, query).Scan(into)
		}
	}
	ask("PRAGMA application_id", &m.application)
	ask("SELECT count(*) FROM sqlite_master WHERE tbl_name NOT IN ('"+versionTable+"', 'sqlite_sequence')", &m.tables)
	if m.application != applicationID || m.err != nil {
		return m
	}
	if m.err = refuseCode(ctx, pool); m.err == nil {
		ask("SELECT coalesce(max(version_id), 0) FROM "+versionTable, &m.version)
	}
	return m
}

func (steps schemaSteps) judgeMarks(path string, m fileMarks) error {
	switch {
	case errors.Is(m.err, errForeignSchema):
		return fmt.Errorf("%s: %w", path, m.err)
	case m.err != nil:
		return fmt.Errorf("read the database %s: %w", path, m.err)
	case m.tables > 0 && m.application != applicationID:
		return fmt.Errorf("%s is a database of another program: name another file or folder", path)
	case m.version > steps.newest():
		return fmt.Errorf("the database %s has schema version %d, and this parley knows versions up to %d: %w", path, m.version, steps.newest(), ErrNewer)
	}
	return nil
}

// newest returns the version after all migrations. goose refuses a file name that does not begin
// with a number.
func (steps schemaSteps) newest() int64 {
	names, _ := fs.Glob(steps.files, "*.sql") // The pattern is a good one.
	newest := int64(0)
	for _, name := range names {
		if version, err := goose.NumericComponent(name); err == nil {
			newest = max(newest, version)
		}
	}
	return newest
}

// migrateSchema brings a schema up to date.
func (steps schemaSteps) migrateSchema(ctx context.Context, writer *sql.DB) error {
	return steps.migrateSchemaTo(ctx, writer, steps.newest())
}

// migrateSchemaTo brings a schema up to a version.
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
