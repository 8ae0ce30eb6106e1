//go:build !windows

package datafolder

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

func ownerOf(path string) (o owner, ok bool) {
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
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || stat.Uid == 0 {
		return owner{}, false
	}
	return owner{folder, int(stat.Uid), int(stat.Gid)}, true
}

func (o owner) chown(path string) error {
	for ; path != o.folder && path != filepath.Dir(path); path = filepath.Dir(path) {
		if err := o.chownOne(path); err != nil {
			return fmt.Errorf("make the owner of %[2]s the owner of %[1]s: %[3]w", path, o.folder, err)
		}
	}
	return nil
}

// chownOne changes the owner of a file or folder of root. It skips links and files with several
// hard links. Otherwise the user could replace the path and take over another file of root.
func (o owner) chownOne(path string) error {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	hasLinks := info.Mode().IsRegular() && ok && stat.Nlink != 1
	if !ok || stat.Uid != 0 || hasLinks {
		return nil
	}
	return file.Chown(o.uid, o.gid)
}
