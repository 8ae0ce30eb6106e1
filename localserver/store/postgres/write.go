package postgres

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/parley-npc/parley/localserver/store/db"
)

const (
	maxContended = 12
	maxBroken    = 3
	maxLost      = 3
	firstWait    = 2 * time.Millisecond
	longestWait  = 200 * time.Millisecond
)

// A retry after errUnsure could write twice.
var errUnsure = errors.New("the connection was cut during the commit")

// Write runs work in a transaction, and repeats work after a conflict with another write. Conflicts
// occur only in changed rows, unique rows and references. The isolation level SERIALIZABLE would
// add conflicts.
func (d *Database) Write(ctx context.Context, work func(context.Context, *db.Queries) error) error {
	started := d.options.Now()
	err := d.runWithRetry(ctx, func(workCtx context.Context, conn *sql.Conn) error {
		tx, err := conn.BeginTx(workCtx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }()
		if err := work(workCtx, newQueries(tx)); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		return commit(tx)
	})
	if err == nil {
		d.options.OnCommit(1, d.options.Now().Sub(started))
	}
	return err
}

// WriteUnsynced is Write. The setting synchronous_commit determines whether a commit waits for the
// disk.
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

func (d *Database) runWithRetry(ctx context.Context, work func(context.Context, *sql.Conn) error) error {
	cuts := 0
	for tries := 1; ; tries++ {
		err := d.runOnce(ctx, work)
		if err == nil {
			return nil
		}
		if cancelled := ctx.Err(); cancelled != nil {
			return cancelled
		}
		switch {
		case isContended(err) && tries <= maxContended, isBroken(err) && tries <= maxBroken:
		case isCut(err) && cuts < maxLost:
			d.pool.SetMaxIdleConns(0) // closes the idle connections, which are probably cut too
			d.pool.SetMaxIdleConns(d.idle)
			cuts++
		default:
			return explain(err)
		}
		maxWait := min(firstWait<<min(tries, 10), longestWait)
		select {
		case <-time.After(rand.N(maxWait) + time.Millisecond): //nolint:gosec // nobody gains by guessing it
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// A retry after a timeout would make the caller wait several times as long.
func isCut(err error) bool {
	code := codeOf(err)
	waited := code == codeLockTaken || code == codeCanceled || errors.Is(err, context.DeadlineExceeded)
	return isDown(err) && !waited && !errors.Is(err, errUnsure)
}

// A cancellation of a statement would close the connection.
func (d *Database) runOnce(ctx context.Context, work func(context.Context, *sql.Conn) error) error {
	waitCtx, cancelWait := context.WithTimeout(ctx, patience)
	defer cancelWait()
	conn, err := d.pool.Conn(waitCtx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	workCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	return work(workCtx, conn)
}
