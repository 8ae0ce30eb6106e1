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
		return store.ExplainLength(err)
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

// maxSnapshot is the largest snapshot that is restored, in bytes.
const maxSnapshot = 16 << 30

// RestoreSnapshot makes the rows of a snapshot the data of a folder, in a schema that
// the program makes. It refuses a folder on which a server runs (ErrBusy), a file that is
// no snapshot, is damaged, of a later version or changed by another program, and data
// that is there already (ErrExists) unless replace allows to replace it; then aside is
// the file in which the old data is kept. Until all is checked, nothing is changed.
func RestoreSnapshot(ctx context.Context, file, dir string, replace bool, now time.Time) (aside string, err error) {
	if err := checkSource(file); err != nil {
		return "", err
	}
	if err := prepareFolder(dir); err != nil {
		return "", err
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
	made, err := importBeside(ctx, file, path)
	if err != nil {
		return "", err
	}
	defer func() { _ = os.Remove(made) }() // It is gone where all went well.
	if IsUsed(dir) {
		aside = path + ".before-" + now.UTC().Format("20060102-150405.000")
	}
	return aside, store.ReplaceDatabase(ctx, path, made, aside)
}

// checkSource refuses what is no file to restore from, before it is opened: opening a
// pipe waits for somebody to write into it.
func checkSource(file string) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	return judgeSource(file, info)
}

func judgeSource(file string, info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return fmt.Errorf("%s is a folder", file)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no ordinary file: name a snapshot", file)
	case info.Size() > maxSnapshot:
		return fmt.Errorf("%s has %d bytes, and a snapshot that is restored has at most %d", file, info.Size(), maxSnapshot)
	}
	return nil
}

// importBeside makes a database of the rows of a snapshot, in a file beside another
// one. What is read is a copy, so that nobody changes it meanwhile.
func importBeside(ctx context.Context, file, beside string) (made string, err error) {
	temporary, err := copyBeside(file, beside)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.Remove(temporary)) }()
	if made, err = newName(beside); err != nil {
		return "", err
	}
	if err := store.ImportDatabase(ctx, temporary, made); err != nil {
		return "", errors.New(strings.ReplaceAll(err.Error(), temporary, file))
	}
	return made, nil
}

// copyBeside is a copy of a file beside another one.
func copyBeside(file, beside string) (temporary string, err error) {
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
	to, err := os.CreateTemp(filepath.Dir(beside), "."+filepath.Base(beside)+"-*")
	if err != nil {
		return "", err
	}
	// Of a file that grows meanwhile there is as much as it had.
	_, err = io.Copy(to, io.LimitReader(from, info.Size()))
	if err := errors.Join(err, to.Close()); err != nil {
		return "", errors.Join(fmt.Errorf("copy %s: %w", file, err), os.Remove(to.Name()))
	}
	return to.Name(), nil
}
