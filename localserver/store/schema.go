package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/pressly/goose/v3"

	"github.com/parley-npc/parley/personas/atomicfile"
)

//go:embed migrations/*.sql
var migrations embed.FS

// applicationID marks our files; the first migration writes it
// (docs/decisions/store.md, database-file).
const applicationID = 1347570777

// inspectFile looks at the file without changing anything, before the connections
// that would: a file of another program keeps its journal mode and its tables,
// and a short text is not taken for a database that was just begun.
func inspectFile(ctx context.Context, path string) error {
	begun, err := isDatabase(path)
	if err != nil || !begun {
		return err
	}
	pool, err := openPool(fileURI(path)+commonOptions, 1)
	if err != nil {
		return err
	}
	defer func() { _ = pool.Close() }()
	return judgeMarks(path, readMarks(ctx, pool))
}

// header is what every SQLite file begins with.
const header = "SQLite format 3\x00"

// isDatabase reports whether the file has anything in it yet; the error says
// that it is something else than a database.
func isDatabase(path string) (bool, error) {
	file, err := atomicfile.Open(path)
	if err != nil {
		return false, fmt.Errorf("open the database: %w", err)
	}
	defer func() { _ = file.Close() }()
	start := make([]byte, len(header))
	n, err := io.ReadFull(file, start)
	switch {
	case errors.Is(err, io.EOF):
		return false, nil
	case err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
		return false, fmt.Errorf("read the database: %w", err)
	case string(start[:n]) != header:
		return false, fmt.Errorf("%s is not a database: name another file or folder, or move this one away", path)
	}
	return true, nil
}

// versionTable is goose's table of the migrations that were made.
const versionTable = "goose_db_version"

// fileMarks are what tells whose a database is. The table that counts
// migrations is not among the tables: a first start may have been cut off right
// behind it.
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
	if m.application == applicationID {
		ask("SELECT coalesce(max(version_id), 0) FROM "+versionTable, &m.version)
	}
	return m
}

func judgeMarks(path string, m fileMarks) error {
	known, err := newestMigration()
	switch {
	case err != nil:
		return err
	case m.err != nil:
		return fmt.Errorf("read the database %s: %w", path, m.err)
	case m.tables > 0 && m.application != applicationID:
		return fmt.Errorf("%s is a database of another program: name another file or folder", path)
	case m.version > known:
		return fmt.Errorf("the database %s has schema version %d, and this parley knows versions up to %d: "+
			"use the newer parley that wrote it, or another data folder", path, m.version, known)
	}
	return nil
}

func newestMigration() (int64, error) {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return 0, err
	}
	newest := int64(0)
	for _, name := range names {
		version, err := goose.NumericComponent(name)
		if err != nil {
			return 0, err
		}
		newest = max(newest, version)
	}
	return newest, nil
}

func migrateSchema(ctx context.Context, writer *sql.DB) error {
	newest, err := newestMigration()
	if err != nil {
		return err
	}
	return migrateSchemaTo(ctx, writer, newest)
}

// migrateSchemaTo brings a schema up to a version.
func migrateSchemaTo(ctx context.Context, writer *sql.DB, version int64) error {
	folder, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, writer, folder, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	_, err = provider.UpTo(ctx, version)
	if errors.Is(err, goose.ErrNoNextVersion) {
		return nil
	}
	return err
}
