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

// ErrEmptied means that a database has lost its content. Even an interrupted first start leaves a
// file with content.
var ErrEmptied = errors.New("the database has lost its content")

const afterEmptied = "restore a snapshot (parley localserver restore --force), " +
	"or move the file away to start with an empty database"

func prepareFile(ctx context.Context, path string, options *Options) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("create the folder for the database: %w", err)
	}
	if err := atomicfile.CheckNew(path); err != nil {
		return fmt.Errorf("open the database: %w", err)
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0o600)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return createDatabase(ctx, path, options)
	case err != nil:
		return fmt.Errorf("open the database: %w", err)
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("open the database: %w", err)
	}
	return checkHeader(path)
}

// The file gets its name after its content is on the disk. An interrupted start leaves a complete
// database or no file.
func createDatabase(ctx context.Context, path string, options *Options) error {
	if err := checkLeftLog(path); err != nil {
		return err
	}
	content, err := emptyDatabase(ctx)
	if err != nil {
		return fmt.Errorf("create the database: %w", err)
	}
	err = atomicfile.Create(path, content, 0o600)
	if err == nil && options.Durability != Volatile {
		err = errors.Join(options.disk.syncPath(path), options.disk.syncNames(path))
	}
	if err != nil && !errors.Is(err, fs.ErrExist) { // Another process may have created the file.
		return fmt.Errorf("create the database: %w", nameFullDisk(err))
	}
	return nil
}

func checkLeftLog(path string) error {
	if _, err := os.Lstat(path + logSuffixes[0]); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fmt.Errorf(
		"%w: the log %s%s exists, but %s does not: %s", ErrEmptied, path, logSuffixes[0], path, afterEmptied,
	)
}

// ErrLinked means that a database file has several hard links. SQLite would write a separate log
// for each name. The lock of a data directory would miss a server with the other name.
var ErrLinked = errors.New("the database file has another name (a hard link)")

// CheckLinks returns ErrLinked if a database file has several hard links. The file need not exist.
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

func checkLinks(path string, file *os.File) error {
	count, err := atomicfile.CountNames(file)
	if err != nil || count <= 1 {
		return err // Some file systems do not count hard links.
	}
	if removeLeftNames(path, file) > 0 {
		if count, err = atomicfile.CountNames(file); err != nil || count <= 1 {
			return err
		}
	}
	return fmt.Errorf(
		"%w: %s has %d names: delete the others (find / -samefile FILE lists them), or use a copy of the file",
		ErrLinked, path, count,
	)
}

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
