package datafolder

import (
	"context"
	"errors"

	"github.com/parley-npc/parley/localserver/store"
)

// CheckDatabase reads the whole database and returns an error if it is damaged. It returns ErrBusy if a
// server uses the folder, and fs.ErrNotExist if there is no database.
func CheckDatabase(ctx context.Context, dir string) (err error) {
	if !IsUsed(dir) {
		return store.CheckDatabase(ctx, DatabaseFile(dir))
	}
	unlock, err := LockFolder(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	return store.CheckDatabase(ctx, DatabaseFile(dir))
}
