package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/parley-npc/parley/localserver/store/db"
	"github.com/parley-npc/parley/localserver/store/postgres"
)

// ErrNewer means that a newer version of parley has written the file.
var ErrNewer = errors.New("use the newer parley that wrote it, or another data folder")

// ErrForeign means that the file is not a database of this program.
var ErrForeign = errors.New("the file is not a database of parley")

// ErrDamaged means that a database is damaged, or contains rows that cannot be restored.
var ErrDamaged = errors.New("the database is damaged")

// CopyDatabase writes a snapshot of a database to a new SQLite file, readable only by its owner. A
// server may use the database meanwhile. CopyDatabase returns ErrDamaged if the copy cannot be
// restored. progress reports the test of the copy.
func CopyDatabase(ctx context.Context, from, to string, progress Progress) ([]Copied, error) {
	source, marks, err := openOwn(ctx, from)
	if err != nil {
		return nil, err
	}
	defer func() { _ = source.Close() }()
	if err := source.checkSound(ctx, marks.version); err != nil {
		return nil, err
	}
	return makeCopy(ctx, from, to, progress, func() error {
		if _, err := source.ExecContext(ctx, "VACUUM INTO ?", to); err != nil {
			return nameDamage(fmt.Errorf("copy the database %s: %w", from, err))
		}
		return source.checkUnchanged()
	})
}

func makeCopy(ctx context.Context, from, to string, progress Progress, fill func() error) (copied []Copied, err error) {
	if err := createEmpty(to); err != nil {
		return nil, err
	}
	if err = fill(); err == nil {
		copied, err = checkCopy(ctx, to, from, progress)
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(to))
	}
	return copied, nil
}

func checkCopy(ctx context.Context, path, from string, progress Progress) ([]Copied, error) {
	restored := path + ".check"
	copied, err := importDatabase(ctx, path, restored, progress)
	if err == nil {
		err = os.Remove(restored)
	}
	switch {
	case err == nil:
		return copied, realDisk().syncPath(path)
	case ctx.Err() != nil, isFullDisk(err):
		return nil, err
	}
	text := strings.TrimPrefix(strings.ReplaceAll(err.Error(), path, from), ErrDamaged.Error()+": ")
	return nil, fmt.Errorf("%w, and a snapshot of it could not be restored: %s", ErrDamaged, text)
}

func createEmpty(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// CheckDatabase checks a file without changing the file. CheckDatabase returns ErrForeign,
// ErrNewer, ErrDamaged or an error about the schema.
func CheckDatabase(ctx context.Context, path string) error {
	_, err := examineFile(ctx, path)
	return err
}

// State describes a database.
type State = db.State

// ExamineDatabase checks a database without changing it. It returns the errors of Open. It also
// returns ErrDamaged, and ErrOlder for a database that Open would migrate.
func ExamineDatabase(ctx context.Context, options Options) (State, error) {
	if IsPostgres(options.Path) {
		return postgres.Check(ctx, options.forPostgres())
	}
	state, err := examineFile(ctx, options.Path)
	if err == nil && state.Schema < state.Known {
		err = fmt.Errorf(
			"the database %s: %w: it has version %d, this parley uses version %d", options.Path, db.ErrOlder,
			state.Schema,
			state.Known,
		)
	}
	return state, err
}

func examineFile(ctx context.Context, path string) (state State, err error) {
	source, marks, err := openOwn(ctx, path)
	if err != nil {
		return state, err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	if err := source.checkSound(ctx, marks.version); err != nil {
		return state, err
	}
	if err := source.checkAllCells(ctx); err != nil {
		return state, err
	}
	state.Schema, state.Known = marks.version, ownSteps().newest()
	return state, source.QueryRowContext(ctx, "SELECT 'SQLite ' || sqlite_version()").Scan(&state.Engine)
}

func openOwn(ctx context.Context, path string) (source reading, marks fileMarks, err error) {
	if err := checkHeader(path); err != nil {
		return source, marks, err
	}
	if source, err = openToRead(ctx, path); err != nil {
		return source, marks, err
	}
	marks = readMarks(ctx, source.DB)
	err = ownSteps().judgeMarks(path, marks)
	if err == nil && marks.application != applicationID {
		err = fmt.Errorf("%s: %w", path, ErrForeign)
	}
	if err != nil {
		return reading{}, marks, errors.Join(err, source.Close())
	}
	return source, marks, nil
}

func (r reading) checkSound(ctx context.Context, version int64) error {
	if err := ownSteps().checkSchema(ctx, r.path, r.DB, version); err != nil {
		return err
	}
	if err := askDamage(ctx, r.path, "PRAGMA integrity_check(1)", r.DB); err != nil {
		return err
	}
	const missingRow = "SELECT 'a row of table ' || \"table\" || ' refers to a missing row of table ' || parent " +
		"FROM pragma_foreign_key_check LIMIT 1"
	return askDamage(ctx, r.path, missingRow, r.DB)
}

func askDamage(ctx context.Context, path, query string, pool *sql.DB) error {
	var result string
	switch err := pool.QueryRowContext(ctx, query).Scan(&result); {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return nameDamage(fmt.Errorf("check the database %s: %w", path, err))
	case result != "ok":
		return fmt.Errorf("%w: %s: %s", ErrDamaged, path, strings.ReplaceAll(result, "\n", ", "))
	}
	return nil
}

func nameDamage(err error) error {
	if isDamage(err) {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return err
}

func (r reading) checkAllCells(ctx context.Context) error {
	_, columns, err := listColumns(ctx, r.DB)
	if err != nil {
		return err
	}
	for name := range columns {
		if err := checkCells(ctx, r.DB, "main", name); err != nil {
			return fmt.Errorf("%w: %s: %w", ErrDamaged, r.path, err)
		}
	}
	return nil
}

func absolutePath(path string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		return absolute
	}
	return path
}

// ReplaceDatabase moves the old database to aside, and replacement to path. An empty aside means no
// old database. At least one complete file exists at any time.
func ReplaceDatabase(ctx context.Context, path, replacement, aside string) error {
	if aside == "" {
		return os.Rename(replacement, path)
	}
	writeBackLog(ctx, path)
	for _, end := range logSuffixes {
		if err := os.Rename(path+end, aside+end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := os.Link(path, aside); err != nil {
		// Without hard links, the old file is missing for a moment.
		if err := os.Rename(path, aside); err != nil {
			return err
		}
	}
	return os.Rename(replacement, path)
}

// writeBackLog moves the write-ahead log into the database. No other process may use the database.
func writeBackLog(ctx context.Context, path string) {
	if pool, err := openPool(fileURI(absolutePath(path))+soleOptions, 1); err == nil {
		_, _ = pool.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
		_ = pool.Close()
	}
}
