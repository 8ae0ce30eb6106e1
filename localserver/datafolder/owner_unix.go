//go:build !windows

package datafolder

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// ownerOf returns the owner of the nearest existing folder above a new path. ok is false if the
// owner is root. ok is also false if this process is not root, because then it cannot change
// owners.
func ownerOf(path string) (who owner, ok bool) {
	if os.Geteuid() != 0 {
		return owner{}, false
	}
	folder := filepath.Dir(path)
	info, err := os.Stat(folder)
	for err != nil && folder != filepath.Dir(folder) {
		folder = filepath.Dir(folder)
		info, err = os.Stat(folder)
	}
	if err != nil {
		return owner{}, false
	}
	found, ok := info.Sys().(*syscall.Stat_t)
	if !ok || found.Uid == 0 {
		return owner{}, false
	}
	return owner{folder, int(found.Uid), int(found.Gid)}, true
}

// take makes o the owner of a path that root has created, and of the folders between that path and
// o.folder. It skips files that do not exist.
func (o owner) take(path string) error {
	for ; path != o.folder && path != filepath.Dir(path); path = filepath.Dir(path) {
		if err := o.takeOne(path); err != nil {
			return fmt.Errorf("make the owner of %[2]s the owner of %[1]s: %[3]w", path, o.folder, err)
		}
	}
	return nil
}

// takeOne makes o the owner of one file or folder that belongs to root. It does not follow links,
// and it skips files with several hard links. Otherwise the user could replace a file meanwhile and
// become the owner of another file.
func (o owner) takeOne(path string) error {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	found, ok := info.Sys().(*syscall.Stat_t)
	if !ok || found.Uid != 0 || info.Mode().IsRegular() && found.Nlink != 1 {
		return nil
	}
	return f.Chown(o.uid, o.gid)
}
