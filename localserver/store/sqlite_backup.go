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
	"sync"
	"time"

	"github.com/parley-npc/parley/localserver/store/db"
	"github.com/parley-npc/parley/localserver/store/postgres"
)

// ErrNewer is the refusal of a file that a later version has written.
var ErrNewer = errors.New("use the newer parley that wrote it, or another data folder")

// ErrForeign means that a file is not a database of this program.
var ErrForeign = errors.New("it is no database of parley")

// ErrDamaged is the refusal of a database that is not whole: a restore would not take all of
// its rows.
var ErrDamaged = errors.New("the database is damaged")

// CopyDatabase writes a consistent snapshot of a database into a new file, whether or not a server
// uses the database, and checks that the copy can be restored (ErrDamaged). SQLite can open the
// file directly; only its owner can access it. It fails if the file exists. It does not block
// writers. Progress is in MiB instead of rows.
func CopyDatabase(ctx context.Context, from, to string, progress Progress) error {
	if !hasSQLite {
		return errNoSQLite
	}
	if err := checkOwnDatabase(ctx, from, true); err != nil {
		return err
	}
	if err := checkIntegrity(ctx, from); err != nil {
		return err
	}
	if err := createEmpty(to); err != nil {
		return err
	}
	err := vacuumInto(ctx, from, to, progress)
	if err == nil {
		err = checkCopy(ctx, to, from, progress)
	}
	if err != nil {
		return errors.Join(err, os.Remove(to))
	}
	return nil
}

// checkCopy refuses the copy of a database that a restore would refuse: it restores it into
// a file that is thrown away. It returns when the copy is on the disk.
func checkCopy(ctx context.Context, path, from string, progress Progress) error {
	made := path + ".check"
	err := importDatabase(ctx, path, made, NameWork("checking", progress))
	if err == nil {
		err = os.Remove(made)
	}
	switch {
	case err == nil:
		return realDisk().syncPath(path)
	case ctx.Err() != nil, isFullDisk(err):
		return err
	}
	text := strings.TrimPrefix(strings.ReplaceAll(err.Error(), path, from), ErrDamaged.Error()+": ")
	return fmt.Errorf("%w, and no snapshot of it could be restored: %s", ErrDamaged, text)
}

// NameWork adds the name of the work to the table in each progress report, for the work before or
// after the main one.
func NameWork(work string, progress Progress) Progress {
	if progress == nil {
		return nil
	}
	return func(table string, done, total int64) { progress(work+" "+table, done, total) }
}

// createEmpty creates an empty file, and fails if it exists.
func createEmpty(path string) error {
	if err := CheckPath(path); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

func vacuumInto(ctx context.Context, from, to string, progress Progress) error {
	r, err := openToRead(ctx, from)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	const bytesInUse = "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size"
	var bytes int64
	if err := r.QueryRowContext(ctx, bytesInUse).Scan(&bytes); err != nil {
		return fmt.Errorf("copy the database %s: %w", from, err)
	}
	defer tellGrowth(to, bytes, progress)()
	if _, err := r.ExecContext(ctx, "VACUUM INTO ?", to); err != nil {
		return nameDamage(fmt.Errorf("copy the database %s: %w", from, err))
	}
	return r.checkUnchanged()
}

// CheckDatabase refuses a file that is not a database of this program (ErrForeign), is of a later
// version, has another schema than the program makes, or is damaged. It does not change the file.
func CheckDatabase(ctx context.Context, path string) error {
	if !hasSQLite {
		return errNoSQLite
	}
	if err := checkOwnDatabase(ctx, path, true); err != nil {
		return err
	}
	if err := checkIntegrity(ctx, path); err != nil {
		return err
	}
	return checkAllCells(ctx, path)
}

// State describes a database, as far as known.
type State = db.State

// ExamineDatabase inspects the database at the options' path without changing it. It refuses what
// Open would refuse, a damaged file (ErrDamaged), and a database that the next server will migrate
// (ErrOlder).
func ExamineDatabase(ctx context.Context, o Options) (State, error) {
	if IsPostgres(o.Path) {
		return postgres.Check(ctx, o.forPostgres())
	}
	return examineFile(ctx, o.Path)
}

// examineFile is CheckDatabase with a description of the database.
func examineFile(ctx context.Context, path string) (found State, err error) {
	if err := CheckDatabase(ctx, path); err != nil {
		return found, err
	}
	r, err := openToRead(ctx, path)
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if err := r.QueryRowContext(ctx, "SELECT 'SQLite ' || sqlite_version()").Scan(&found.Engine); err != nil {
		return found, err
	}
	m := readMarks(ctx, r.DB)
	found.Schema, found.Known = m.version, ownSteps().newest()
	if m.err == nil && found.Schema < found.Known {
		m.err = fmt.Errorf("the database %s: %w, version %d, and this one makes it %d", path, db.ErrOlder, found.Schema, found.Known)
	}
	return found, m.err
}

// checkOwnDatabase refuses a file that is not a database of this program, or of a later version,
// and if schema is true, one with another schema.
func checkOwnDatabase(ctx context.Context, path string, schema bool) error {
	if err := CheckPath(path); err != nil {
		return err
	}
	if err := checkHeader(path); err != nil {
		return err
	}
	r, err := openToRead(ctx, path)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	m := readMarks(ctx, r.DB)
	if err := ownSteps().judgeMarks(path, m); err != nil {
		return err
	}
	if m.application != applicationID {
		return fmt.Errorf("%s: %w", path, ErrForeign)
	}
	if !schema {
		return nil
	}
	return ownSteps().checkSchema(ctx, path, r.DB, m.version)
}

// checkIntegrity asks SQLite whether a database is damaged: in its pages, in its indexes, and in
// the references between its rows.
func checkIntegrity(ctx context.Context, path string) error {
	r, err := openToRead(ctx, path)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	if err := askDamage(ctx, path, "PRAGMA integrity_check(1)", r.DB); err != nil {
		return err
	}
	return askDamage(ctx, path, "SELECT 'a row of table ' || \"table\" || ' names one of table ' || parent || ' that is not there' FROM pragma_foreign_key_check LIMIT 1", r.DB)
}

// askDamage runs one query about damage. Its result is "ok", empty, or a description of the damage.
func askDamage(ctx context.Context, path, query string, pool *sql.DB) error {
	var said string
	switch err := pool.QueryRowContext(ctx, query).Scan(&said); {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return nameDamage(fmt.Errorf("check the database %s: %w", path, err))
	case said != "ok":
		return fmt.Errorf("%w: %s: %s", ErrDamaged, path, strings.ReplaceAll(said, "\n", ", "))
	}
	return nil
}

// nameDamage makes an error ErrDamaged if SQLite could not read on.
func nameDamage(err error) error {
	if isDamage(err) {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return err
}

// checkAllCells refuses a database with values that a restore would refuse.
func checkAllCells(ctx context.Context, path string) error {
	r, err := openToRead(ctx, path)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	names, err := listNames(ctx, r.DB, schemaNames("main"))
	if err != nil {
		return err
	}
	for _, entry := range names {
		name, isTable := strings.CutPrefix(entry, "table ")
		if !isTable || name == versionTable {
			continue
		}
		if err := checkCells(ctx, r.DB, "main", name); err != nil {
			return fmt.Errorf("%w: %s: %w", ErrDamaged, path, err)
		}
	}
	return nil
}

func absolutePath(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}

// ReplaceDatabase replaces a database by the file of a new one. The old database and its files are
// renamed to aside; "" means that there is no old database. Both must be unused. At every moment
// one of the two is there, complete.
func ReplaceDatabase(ctx context.Context, path, by, aside string) error {
	if aside == "" {
		return os.Rename(by, path)
	}
	writeBackLog(ctx, path)
	for _, end := range beside {
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
	return os.Rename(by, path)
}

// writeBackLog writes the log into the database, as far as possible: a damaged database keeps its
// log. Nobody else may use the database, so it needs no files beside it.
func writeBackLog(ctx context.Context, path string) {
	if pool, err := openPool(fileURI(absolutePath(path))+soleOptions, 1); err == nil {
		_, _ = pool.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
		_ = pool.Close()
	}
}

// growthPulse is how often it is looked how much of a file has been written.
const growthPulse = 200 * time.Millisecond

// tellGrowth reports the size of a growing file, in whole MiB of its final bytes, until finish is
// called.
func tellGrowth(path string, bytes int64, progress Progress) (finish func()) {
	if progress == nil || bytes < 1<<20 {
		return func() {}
	}
	var ended sync.WaitGroup
	quit := make(chan struct{})
	ended.Go(func() {
		ticker := time.NewTicker(growthPulse)
		defer ticker.Stop()
		for {
			select {
			case <-quit:
				return
			case <-ticker.C:
				if info, err := os.Stat(path); err == nil {
					progress("MiB", min(info.Size(), bytes)>>20, bytes>>20)
				}
			}
		}
	})
	return func() { close(quit); ended.Wait() }
}
