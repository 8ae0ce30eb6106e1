package store

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// Check reads a database through and says what is wrong with it. It changes
// nothing, and is to be asked while nobody writes. The error is fs.ErrNotExist
// where there is no file.
func Check(ctx context.Context, path string) (err error) {
	if !hasSQLite {
		return errNoSQLite
	}
	if _, err := os.Stat(path); err != nil {
		return fmt.Errorf("database: %w", err)
	}
	pool, err := openPool(readerDSN(path), 1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	var verdict string
	if err := pool.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return fmt.Errorf("check %s: %w", path, err)
	}
	if verdict != "ok" {
		return fmt.Errorf("%s is damaged: %s", path, verdict)
	}
	return nil
}
