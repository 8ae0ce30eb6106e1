package postgres

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/parley-npc/parley/localserver/store/db"
)

// Maximum numbers of repetitions after each kind of error, and the waits between them. The maximum
// wait doubles each time. The actual wait is random, so that conflicting writers do not conflict
// again.
const (
	maxContended = 12
	maxBroken    = 3
	maxLost      = 3
	firstWait    = 2 * time.Millisecond
	longestWait  = 200 * time.Millisecond
)

// errUnsure means that the connection was cut during a commit. It is unknown whether the commit
// succeeded, so the work is not repeated.
var errUnsure = errors.New("the connection was cut during the commit")

// Write runs work in a transaction. It commits the transaction, or rolls it back if work fails. If
// another write has changed a row that work changes, it repeats work on the new rows. The isolation
// level is not SERIALIZABLE, because that would only cause more conflicts: writes conflict only in
// rows that both change, in unique rows, and in references between rows.
func (d *Database) Write(ctx context.Context, work func(context.Context, *db.Queries) error) error {
	begun := d.options.Now()
	err := d.repeat(ctx, func(within context.Context, conn *sql.Conn) error {
		tx, err := conn.BeginTx(within, &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }()
		if err := work(within, newQueries(tx)); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		return commit(tx)
	})
	if err == nil {
		d.options.OnCommit(1, d.options.Now().Sub(begun))
	}
	return err
}

// WriteUnsynced is the same as Write. The setting synchronous_commit of PostgreSQL determines
// whether a commit waits for the disk.
func (d *Database) WriteUnsynced(ctx context.Context, work func(context.Context, *db.Queries) error) error {
	return d.Write(ctx, work)
}

func commit(tx *sql.Tx) error {
	err := tx.Commit()
	if err != nil && codeOf(err) == "" {
		return errors.Join(errUnsure, err)
	}
	return err
}

// repeat runs work on a connection. After a conflict with another write, or if the connection was
// cut, it repeats work a few times. It returns early if ctx ends between two attempts or while it
// waits for a connection.
func (d *Database) repeat(ctx context.Context, work func(context.Context, *sql.Conn) error) error {
	lost := 0
	for tries := 1; ; tries++ {
		err := d.try(ctx, work)
		if err == nil {
			return nil
		}
		if gone := ctx.Err(); gone != nil {
			return gone
		}
		switch {
		case isContended(err) && tries <= maxContended, isBroken(err) && tries <= maxBroken:
		case isCut(err) && lost < maxLost:
			d.pool.SetMaxIdleConns(0) // closes the idle connections, which are probably cut too
			d.pool.SetMaxIdleConns(d.idle)
			lost++
		default:
			return explain(err)
		}
		most := min(firstWait<<min(tries, 10), longestWait)
		select {
		case <-time.After(rand.N(most) + time.Millisecond): //nolint:gosec // nobody gains by guessing it
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// isCut reports whether the connection was cut before anything was stored. It returns false after a
// timeout, because repeated work would make the caller wait several times as long.
func isCut(err error) bool {
	waited := errors.Is(err, context.DeadlineExceeded) || slices.Contains([]string{codeLockTaken, codeCanceled}, codeOf(err))
	return isDown(err) && !waited && !errors.Is(err, errUnsure)
}

// try runs work on a connection, with the time limit patience. The end of ctx does not interrupt a
// statement, because that would close the connection, and statements are short.
func (d *Database) try(ctx context.Context, work func(context.Context, *sql.Conn) error) error {
	waiting, enough := context.WithTimeout(ctx, patience)
	defer enough()
	conn, err := d.pool.Conn(waiting)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	return work(within, conn)
}
