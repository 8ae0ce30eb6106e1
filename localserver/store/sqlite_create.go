package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/parley-npc/parley/personas/atomicfile"
)

// ErrEmptied means that a database has lost its content. A database of this program is never empty,
// not even after an interrupted first start.
var ErrEmptied = errors.New("the database has lost its content")

const afterEmptied = "put a snapshot in its place (parley localserver restore --force), or move it away to start with nothing"

// prepareFile makes the directory of a database, and an empty database if the file does not exist.
// It refuses an empty file, and a log without its database (ErrEmptied).
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

// ErrLinked refuses a database file with several names. SQLite would keep a log beside each of
// them, and the lock in one directory would not keep out a server that uses another name.
var ErrLinked = errors.New("the database file has another name too (a hard link)")

// CheckLinks refuses a database file with several names (ErrLinked), which need not be there.
func CheckLinks(path string) error {
	file, err := atomicfile.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(checkLinks(path, file), file.Close())
}

// checkLinks refuses an open database file with several names. Names that a start or a
// restore left when it was cut off are removed first.
func checkLinks(path string, file *os.File) error {
	count, err := atomicfile.CountNames(file)
	if err != nil || count <= 1 {
		return err // Some file systems count no names.
	}
	if removeLeftNames(path, file) > 0 {
		if count, err = atomicfile.CountNames(file); err != nil || count <= 1 {
			return err
		}
	}
	return fmt.Errorf("%w: %s has %d names: delete the others (find / -samefile FILE lists them), or use a copy of it", ErrLinked, path, count)
}

// removeLeftNames removes other names of a file that only this program creates: the temporary name
// of a new file, and the name under which a restore keeps the old one. It returns how many it has
// removed.
func removeLeftNames(path string, file *os.File) (removed int) {
	info, err := file.Stat()
	if err != nil {
		return 0
	}
	dir, base := filepath.Split(path)
	entries, err := os.ReadDir(filepath.Clean(dir))
	if err != nil {
		return 0
	}
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasPrefix(name, "."+base+"-") && !strings.HasPrefix(name, base+".before-") {
			continue
		}
		other, err := os.Lstat(filepath.Join(dir, name))
		if err == nil && os.SameFile(info, other) && os.Remove(filepath.Join(dir, name)) == nil {
			removed++
		}
	}
	return removed
}
