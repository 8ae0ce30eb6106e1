package localserver

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/parley-npc/parley/localserver/store"
)

// CheckData reads the database of a data folder through and says what is wrong
// with it. The error is ErrBusy while a server runs there, and fs.ErrNotExist
// where none ever did.
func CheckData(ctx context.Context, dir string) (err error) {
	if !Used(dir) {
		return store.Check(ctx, filepath.Join(dir, databaseFile))
	}
	unlock, err := lock(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	return store.Check(ctx, filepath.Join(dir, databaseFile))
}
