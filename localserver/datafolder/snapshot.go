package datafolder

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/atomicfile"
)

// Errors of snapshots.
var (
	// ErrNoData means that a data folder contains no database.
	ErrNoData = errors.New("no local server has used it yet")
	// ErrExists means that a file or old data would be overwritten.
	ErrExists = errors.New("it already exists")
)

// Place is the location of a server's data.
type Place struct {
	// Path is the path of a SQLite file or the address of a PostgreSQL database. Only PostgreSQL
	// uses Password.
	Path, Password string
}

func (p Place) options() store.Options { return store.Options{Path: p.Path, Password: p.Password} }

// WriteSnapshot writes a consistent copy of the data of a stopped or running server. The copy
// contains the hashes of API keys, but not the signing key of the development provider. The error
// is ErrExists if the file exists and replace is false.
func WriteSnapshot(
	ctx context.Context, from Place, file string, replace bool, progress store.Progress,
) ([]store.Copied, error) {
	if !store.IsPostgres(from.Path) && !isThere(from.Path) {
		return nil, fmt.Errorf("%s: %w", filepath.Dir(from.Path), ErrNoData)
	}
	if err := checkTarget(file, replace); err != nil {
		return nil, err
	}
	temporary, err := newName(file)
	if err != nil {
		return nil, err
	}
	copied, err := copyPlace(ctx, from, temporary, progress)
	if err != nil {
		return nil, err
	}
	if err := appendChecksum(temporary); err != nil {
		return nil, errors.Join(err, os.Remove(temporary))
	}
	if err := checkTarget(file, replace); err != nil {
		return nil, errors.Join(err, os.Remove(temporary))
	}
	if err := os.Rename(temporary, file); err != nil {
		return nil, errors.Join(err, os.Remove(temporary))
	}
	return copied, atomicfile.SyncFolder(filepath.Dir(file))
}

func copyPlace(ctx context.Context, from Place, to string, progress store.Progress) ([]store.Copied, error) {
	if store.IsPostgres(from.Path) {
		return store.CopyPostgres(ctx, from.options(), to, progress)
	}
	return store.CopyDatabase(ctx, from.Path, to, progress)
}

func checkTarget(file string, replace bool) error {
	info, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a folder", file)
	case !replace:
		return fmt.Errorf("%s: %w", file, ErrExists)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file: use another file", file)
	}
	return nil
}

func newName(file string) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+"-*")
	if err != nil {
		return "", err
	}
	return f.Name(), errors.Join(f.Close(), os.Remove(f.Name()))
}

const maxSnapshot = 16 << 30

// Restored is the result of RestoreSnapshot.
type Restored struct {
	// Aside is the new path of the old database file, or "".
	Aside  string
	Copied []store.Copied
}

// RestoreSnapshot replaces the data of a place by a verified snapshot. With replace, it renames the
// old SQLite file or deletes the old PostgreSQL rows. Without replace, old data causes ErrExists or
// store.ErrKept. Other errors are ErrBusy or store.ErrInUse for running servers, and ErrChanged for
// a damaged snapshot.
func RestoreSnapshot(
	ctx context.Context, file string, to Place, replace bool, now time.Time, progress store.Progress,
) (Restored, error) {
	// Check the type first, because opening a pipe blocks until a writer opens the pipe.
	info, err := os.Stat(file)
	if err != nil {
		return Restored{}, err
	}
	if err := judgeSource(file, info); err != nil {
		return Restored{}, err
	}
	if store.HasPendingLog(file) {
		return Restored{}, fmt.Errorf("%s is a database in use and not a snapshot: part of its data is in %s-wal", file, file)
	}
	if store.IsPostgres(to.Path) {
		return restoreRows(ctx, file, to, replace, progress)
	}
	return restoreFile(ctx, file, to.Path, replace, now, progress)
}

func restoreFile(
	ctx context.Context, file, path string, replace bool, now time.Time, progress store.Progress,
) (Restored, error) {
	folderOwner, changesOwner := ownerOf(path)
	done, err := restoreOwnFile(ctx, file, path, replace, now, progress)
	if err == nil && changesOwner {
		err = errors.Join(folderOwner.chown(path), folderOwner.chown(filepath.Join(filepath.Dir(path), lockFile)))
	}
	return done, err
}

func restoreOwnFile(
	ctx context.Context, file, path string, replace bool, now time.Time, progress store.Progress,
) (done Restored, err error) {
	path = ResolveFile(path)
	dir := filepath.Dir(path)
	if err := prepareFolder(path); err != nil {
		return done, err
	}
	unlock, err := LockFolder(dir)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if err := errors.Join(checkTarget(path, replace), store.CheckLinks(path)); err != nil {
		return done, err
	}
	imported, copied, err := importBeside(ctx, file, path, progress)
	if err != nil {
		return done, err
	}
	done.Copied = copied
	defer func() { _ = os.Remove(imported) }() // no effect after a success
	if isThere(path) {
		done.Aside = path + ".before-" + now.UTC().Format("20060102-150405.000")
	}
	if err := store.ReplaceDatabase(ctx, path, imported, done.Aside); err != nil {
		return done, err
	}
	return done, atomicfile.SyncFolder(dir)
}

func restoreRows(
	ctx context.Context, file string, to Place, replace bool, progress store.Progress,
) (done Restored, err error) {
	if err := store.CheckTarget(ctx, to.options(), replace); err != nil {
		return done, err
	}
	folder, err := os.MkdirTemp("", "parley-restore-*")
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	imported, _, err := importBeside(ctx, file, DatabaseFile(folder), progress)
	if err != nil {
		return done, err
	}
	done.Copied, err = store.FillPostgres(ctx, imported, to.options(), replace, progress)
	return done, err
}

func judgeSource(file string, info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return fmt.Errorf("%s is a folder", file)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file: use a snapshot", file)
	case info.Size() > maxSnapshot:
		return fmt.Errorf("%s has %d bytes, but a snapshot to restore can have at most %d", file, info.Size(), maxSnapshot)
	}
	return nil
}

// importBeside creates a database next to target from a snapshot. It first makes a private copy,
// because another process could change the snapshot.
func importBeside(
	ctx context.Context, file, target string, progress store.Progress,
) (imported string, copied []store.Copied, err error) {
	temporary, err := copyBeside(file, target)
	if err != nil {
		return "", nil, err
	}
	defer func() { err = errors.Join(err, os.Remove(temporary)) }()
	if imported, err = newName(target); err != nil {
		return "", nil, err
	}
	if copied, err = store.ImportDatabase(ctx, temporary, imported, progress); err != nil {
		return "", nil, errors.New(strings.ReplaceAll(err.Error(), temporary, file))
	}
	return imported, copied, nil
}

func copyBeside(file, target string) (temporary string, err error) {
	from, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer func() { _ = from.Close() }()
	info, err := from.Stat()
	if err == nil {
		err = judgeSource(file, info)
	}
	if err != nil {
		return "", err
	}
	to, err := os.CreateTemp(filepath.Dir(target), "."+filepath.Base(target)+"-*")
	if err != nil {
		return "", err
	}
	err = copyChecked(to, from, info.Size())
	if err := errors.Join(err, to.Close()); err != nil {
		return "", errors.Join(fmt.Errorf("read %s: %w", file, err), os.Remove(to.Name()))
	}
	return to.Name(), nil
}

// CheckDatabase reads the whole database. The error is ErrBusy if a server uses the folder, and
// fs.ErrNotExist without a database.
func CheckDatabase(ctx context.Context, dir string) (err error) {
	if err := store.CheckPath(DatabaseFile(dir)); err != nil {
		return err
	}
	if !IsUsed(dir) {
		return store.CheckDatabase(ctx, DatabaseFile(dir))
	}
	unlock, err := LockFolder(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	return store.CheckDatabase(ctx, DatabaseFile(dir))
}

// ErrChanged means that a file is not a snapshot or was changed.
var ErrChanged = errors.New("the file is not a whole snapshot, or was changed since it was written")

// A snapshot is a SQLite file with an additional last line. SQLite ignores the line. The line
// contains the SHA-256 of everything before.
const (
	checksumBegin = "\nparley snapshot sha256 "
	checksumSize  = int64(len(checksumBegin) + 2*sha256.Size + len("\n"))
)

// appendChecksum requires that no connection to the database is open.
func appendChecksum(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	sum := sha256.New()
	if _, err = io.Copy(sum, f); err == nil {
		_, err = fmt.Fprintf(f, "%s%x\n", checksumBegin, sum.Sum(nil))
	}
	return errors.Join(err, f.Sync(), f.Close())
}

func copyChecked(to io.Writer, from *os.File, size int64) error {
	size -= checksumSize
	sum := sha256.New()
	if _, err := io.Copy(io.MultiWriter(to, sum), io.LimitReader(from, size)); err != nil {
		return err
	}
	line := make([]byte, checksumSize)
	if _, err := from.ReadAt(line, max(size, 0)); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if want := fmt.Sprintf("%s%x\n", checksumBegin, sum.Sum(nil)); string(line) != want {
		return fmt.Errorf("%w: the checksum at its end is missing or differs", ErrChanged)
	}
	return nil
}
