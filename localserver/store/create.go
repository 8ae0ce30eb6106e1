package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/parley-npc/parley/personas/atomicfile"
)

// ErrEmptied is the refusal of a database that has lost its content. A database of this
// program is never empty, not even one whose first start was cut off
// (docs/decisions/store.md, empty-file).
var ErrEmptied = errors.New("the database has lost its content")

const afterEmptied = "put a snapshot in its place (parley localserver restore --force), or move it away to start with nothing"

// prepareFile makes the folder of a database, and an empty database where there is no file.
// It refuses an empty file, and a log that has lost its database (ErrEmptied).
func prepareFile(ctx context.Context, path string, o *Options) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("make the folder for the database: %w", err)
	}
	if err := atomicfile.CheckNew(path); err != nil {
		return fmt.Errorf("open the database: %w", err)
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0o600)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return createDatabase(ctx, path, o)
	case err != nil:
		return fmt.Errorf("open the database: %w", err)
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("open the database: %w", err)
	}
	return checkHeader(path)
}

// createDatabase makes a database without tables. It gets its name when it is on the disk:
// whenever a start is cut off, there is a database or no file.
func createDatabase(ctx context.Context, path string, o *Options) error {
	if target, err := os.Readlink(path); err == nil { // a link to a file that is not there yet
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	if err := checkLeftLog(path); err != nil {
		return err
	}
	content, err := emptyDatabase(ctx)
	if err != nil {
		return fmt.Errorf("make the database: %w", err)
	}
	err = atomicfile.Create(path, content, 0o600)
	if err == nil && o.Durability != Volatile {
		err = errors.Join(o.disk.syncPath(path), o.disk.syncNames(path))
	}
	if err != nil && !errors.Is(err, fs.ErrExist) { // Somebody else may have made it.
		return fmt.Errorf("make the database: %w", nameFullDisk(err))
	}
	return nil
}

// checkLeftLog refuses the path of a database that is not there, when its log is.
func checkLeftLog(path string) error {
	// A log of no bytes too is left by a database that was taken away.
	if _, err := os.Lstat(path + beside[0]); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fmt.Errorf("%w: there is its log %s%s and no %s: %s", ErrEmptied, path, beside[0], path, afterEmptied)
}
