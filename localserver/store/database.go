package store

import (
	"context"

	"github.com/parley-npc/parley/localserver/store/db"
	"github.com/parley-npc/parley/localserver/store/postgres"
)

// txWork is the work inside a transaction. A database may roll the transaction back and run the
// work again.
type txWork = func(ctx context.Context, q *db.Queries) error

// A database runs transactions on SQLite or PostgreSQL. The methods of Store use it.
type database interface {
	// Read runs work in a read-only transaction, on one snapshot of the database.
	Read(ctx context.Context, work txWork) error
	// Query is like Read, but work may run only a single statement.
	Query(ctx context.Context, work txWork) error
	// Write runs work in a transaction and commits it, or rolls it back if work fails. The
	// transaction is isolated from other writes.
	Write(ctx context.Context, work txWork) error
	// WriteUnsynced is like Write, but with Normal durability it does not wait for the disk. A
	// power cut within a second may then undo the write.
	WriteUnsynced(ctx context.Context, work txWork) error
	Ping(ctx context.Context) error
	CheckKept() error
	IsTaken(err error) bool
	// IsShared reports whether other processes may also write the database. If it returns true,
	// cached rows may be outdated.
	IsShared() bool
	Close() error
}

func (o Options) forPostgres() postgres.Options {
	return postgres.Options{
		Address: o.Path, Password: o.Password, Now: o.Now, OnCommit: o.OnCommit, Patience: o.Patience, OnWait: o.OnWait,
	}
}

// IsPostgres reports whether a path is the address of a PostgreSQL database.
func IsPostgres(path string) bool { return postgres.IsAddress(path) }

// CheckAddress returns an error if the address of a PostgreSQL database cannot be parsed. The error
// does not contain the address.
func CheckAddress(address string) error { return postgres.CheckAddress(address) }

// HasPassword reports whether the address of a PostgreSQL database contains a password or a text
// that may be a password.
func HasPassword(address string) bool { return postgres.HasPassword(address) }

// DescribeAddress returns the address of a PostgreSQL database without secrets.
func DescribeAddress(address string) string { return postgres.DescribeAddress(address) }

// query runs a query that takes parameters, such as (*db.Queries).Version.
func query[P, T any](ctx context.Context, kept database, run func(*db.Queries, context.Context, P) (T, error), params P) (T, error) {
	return fetch(ctx, kept.Query, func(ctx context.Context, q *db.Queries) (T, error) { return run(q, ctx, params) })
}

// fetch runs work in a transaction and returns the result of work. run is the method that runs
// transactions, such as Store.database.Read.
func fetch[T any](
	ctx context.Context, run func(context.Context, txWork) error, work func(context.Context, *db.Queries) (T, error),
) (value T, err error) {
	err = run(ctx, func(ctx context.Context, q *db.Queries) error {
		value, err = work(ctx, q)
		return err
	})
	return value, err
}

// CheckKept returns an error, such as ErrLost, if new writes would be lost.
func CheckKept(s *Store) error { return s.database.CheckKept() }

type countedDatabase struct {
	database
	counts *writeCounts
}

// Write runs work and counts it as a write that may concern any player.
func (d *countedDatabase) Write(ctx context.Context, work txWork) error {
	defer d.counts.others.Add(1)
	return d.database.Write(ctx, work)
}

// writePlayer runs a write that concerns one player. The write does not wait for the disk. work
// must set *id to the player's id, or to "" if the write may concern any player. writePlayer
// returns the stamp of the write.
func (d *countedDatabase) writePlayer(ctx context.Context, id *string, work txWork) (stamp writeStamp, err error) {
	defer func() {
		if *id == "" {
			d.counts.others.Add(1)
			return
		}
		stamp.player = d.counts.ofPlayer(*id).Add(1)
		stamp.others = d.counts.others.Load()
	}()
	return stamp, d.WriteUnsynced(ctx, work)
}
