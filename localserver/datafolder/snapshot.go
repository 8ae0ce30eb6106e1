package datafolder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/parley-npc/parley/localserver/store"
)

// Errors of snapshots.
var (
	// ErrNoData is the refusal to copy a data folder in which no server has kept
	// anything.
	ErrNoData = errors.New("no local server has kept anything there")
	// ErrExists is the refusal to write over a file, or over a server's data.
	ErrExists = errors.New("there is one already")
)

// WriteSnapshot writes what the server of a data folder has kept at one moment into a
// file: users, personas, sessions, progress, the hashes of API keys. It does not
// matter whether a server runs there. The signing key of the development provider
// stays where it is, so a snapshot lets nobody sign in. A file that is there already
// is ErrExists, unless replace allows to replace it.
func WriteSnapshot(ctx context.Context, dir, file string, replace bool) error {
	if !IsUsed(dir) {
		return fmt.Errorf("%s: %w", dir, ErrNoData)
	}
	if err := checkTarget(file, replace); err != nil {
		return err
	}
	temporary, err := newName(file)
	if err != nil {
		return err
	}
	if err := store.CopyDatabase(ctx, DatabaseFile(dir), temporary); err != nil {
		return err
	}
	// Somebody may have made the file while the database was copied.
	if err := checkTarget(file, replace); err != nil {
		return errors.Join(err, os.Remove(temporary))
	}
	if err := os.Rename(temporary, file); err != nil {
		return errors.Join(err, os.Remove(temporary))
	}
	return nil
}

// checkTarget finds what speaks against writing a file.
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
		return fmt.Errorf("%s is no ordinary file: name another one", file)
	}
	return nil
}

// newName is the name of a file that is not there, beside another one.
func newName(file string) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+"-*")
	if err != nil {
		return "", err
	}
	return f.Name(), errors.Join(f.Close(), os.Remove(f.Name()))
}

// RestoreSnapshot makes what a snapshot holds the data of a folder. It refuses a folder on
// which a server runs (ErrBusy), a file that is no snapshot, is damaged or of a later
// version, and data that is there already (ErrExists) unless replace allows to replace
// it; then aside is the file in which the old data is kept. Until all is checked,
// nothing is changed.
func RestoreSnapshot(ctx context.Context, file, dir string, replace bool, now time.Time) (aside string, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("data folder: %w", err)
	}
	unlock, err := LockFolder(dir)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	path := DatabaseFile(dir)
	if err := checkTarget(path, replace); err != nil {
		return "", err
	}
	if store.HasPendingLog(file) {
		return "", fmt.Errorf("%s is a database in use and not a snapshot: a part of it stands in %s-wal", file, file)
	}
	temporary, err := copyBeside(file, path)
	if err != nil {
		return "", err
	}
	defer func() { _ = os.Remove(temporary) }() // It is gone where all went well.
	if err := store.CheckDatabase(ctx, temporary); err != nil {
		return "", errors.New(strings.ReplaceAll(err.Error(), temporary, file))
	}
	if IsUsed(dir) {
		aside = path + ".before-" + now.UTC().Format("20060102-150405.000")
	}
	return aside, store.ReplaceDatabase(ctx, path, temporary, aside)
}

// copyBeside is a copy of a file beside another one, on disk.
func copyBeside(file, beside string) (temporary string, err error) {
	from, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer func() { _ = from.Close() }()
	to, err := os.CreateTemp(filepath.Dir(beside), "."+filepath.Base(beside)+"-*")
	if err != nil {
		return "", err
	}
	_, err = io.Copy(to, from)
	if err := errors.Join(err, to.Sync(), to.Close()); err != nil {
		return "", errors.Join(fmt.Errorf("copy %s: %w", file, err), os.Remove(to.Name()))
	}
	return to.Name(), nil
}
