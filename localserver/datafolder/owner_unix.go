//go:build !windows

package datafolder

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// ownerOf finds whom the folder belongs to in which something is made at a path: the nearest
// one that is there. ok is false where we are not root, who alone may give files away, and
// where it is root's.
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

// take returns him what root has made at a path, and the folders above it that root has made
// below his own. What is not there is left out.
func (o owner) take(path string) error {
	for ; path != o.folder && path != filepath.Dir(path); path = filepath.Dir(path) {
		if err := o.takeOne(path); err != nil {
			return fmt.Errorf("give %s to the owner of %s: %w", path, o.folder, err)
		}
	}
	return nil
}

// takeOne returns him one file or folder of root's. He can put other things into his folder
// meanwhile, so no link is followed, and nothing is given that has a second name.
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
