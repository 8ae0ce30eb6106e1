package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"

	"github.com/parley-npc/parley/localserver/store/postgres"
)

// Refusals of databases that a copy is taken from or brought into.
var (
	ErrEmpty error = postgres.ErrEmpty
	ErrKept  error = postgres.ErrKept
	ErrInUse error = postgres.ErrInUse
)

// IsPostgres reports whether a path is the address of a PostgreSQL database.
func IsPostgres(path string) bool { return postgres.IsAddress(path) }

// CopyPostgres writes what the PostgreSQL database of the options' path holds at one moment into a new file as
// CopyDatabase makes it, whether or not servers use the database, and checks what has
// arrived. Memory does not grow with the number of rows.
func CopyPostgres(ctx context.Context, from Options, to string, progress Progress) (copied []Copied, err error) {
	if !hasSQLite {
		return nil, errNoSQLite
	}
	source, err := postgres.OpenRows(ctx, from.forPostgres())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	if err := createEmpty(to); err != nil {
		return nil, err
	}
	copied, err = fillFile(ctx, source, to, progress)
	if err == nil {
		err = checkIntegrity(ctx, to)
	}
	if err == nil {
		err = syncToDisk(to)
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(to))
	}
	return copied, nil
}

// fillFile makes a database of the newest schema in an empty file, with the rows of
// another one.
func fillFile(ctx context.Context, source rowSource, to string, progress Progress) (copied []Copied, err error) {
	pool, err := openPool(fileURI(absolutePath(to))+commonOptions, 1)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	if err := ownSteps().migrateSchema(ctx, pool); err != nil {
		return nil, err
	}
	err = inTransaction(ctx, pool, func(tx *sql.Tx) error {
		copied, err = copyTables(ctx, source, newFileRows(tx), progress)
		return err
	})
	return copied, err
}

func inTransaction(ctx context.Context, pool *sql.DB, work func(*sql.Tx) error) error {
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if err := work(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// FillPostgres makes the rows of a file, which ImportDatabase has made and nobody else
// uses, those of the PostgreSQL database of the options' path. It is one transaction: whatever goes wrong, the
// database has the rows that it had, and it can be done again. It refuses a
// database that servers use (ErrInUse), and one with rows (ErrKept) unless replace allows
// to delete them.
func FillPostgres(ctx context.Context, from string, to Options, replace bool, progress Progress) (copied []Copied, err error) {
	pool, err := openPool(fileURI(absolutePath(from))+commonOptions, 1)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	if err := ownSteps().migrateSchema(ctx, pool); err != nil {
		return nil, fmt.Errorf("bring the rows up to date: %w", err)
	}
	target, err := postgres.ReplaceRows(ctx, to.forPostgres(), replace)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	err = inTransaction(ctx, pool, func(tx *sql.Tx) error {
		copied, err = copyTables(ctx, newFileRows(tx), target, progress)
		return err
	})
	if err != nil {
		return nil, err
	}
	return copied, target.Commit()
}

// CountCopied counts the rows of a file as CopyDatabase makes it.
func CountCopied(ctx context.Context, path string) (copied []Copied, err error) {
	r, err := openToRead(ctx, path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	tx, err := r.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback() }()
	counts, err := newFileRows(tx).CountRows(ctx)
	for _, table := range rowTables {
		copied = append(copied, Copied{table, counts[table]})
	}
	return copied, err
}
