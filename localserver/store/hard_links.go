package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/parley-npc/parley/personas/atomicfile"
)

// ErrLinked is the refusal of a database file with several names. SQLite would keep a log
// beside each of them, and the lock of the folder beside one would not keep out a server
// that uses another one (docs/decisions/store.md, hard-links).
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
	count, err := countNames(file)
	if err != nil || count <= 1 {
		return err // Some file systems count no names.
	}
	if removeLeftNames(path, file) > 0 {
		if count, err = countNames(file); err != nil || count <= 1 {
			return err
		}
	}
	return fmt.Errorf("%w: %s has %d names: delete the others (find / -samefile FILE lists them), or use a copy of it", ErrLinked, path, count)
}

// removeLeftNames removes the names of a file that only this program gives: the one under
// which it is written at first, and the one under which a restore keeps it aside. It returns
// how many it has removed.
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
