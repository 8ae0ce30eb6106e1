package store

import (
	"context"

	"github.com/parley-npc/parley/localserver/store/db"
	"github.com/parley-npc/parley/localserver/store/postgres"
)

// A database may roll back a txWork and call it again.
type txWork = func(ctx context.Context, q *db.Queries) error

type database interface {
	// Read runs work on one snapshot of the database.
	Read(ctx context.Context, work txWork) error
	// Query is Read for a single statement.
	Query(ctx context.Context, work txWork) error
	Write(ctx context.Context, work txWork) error
	// WriteUnsynced is Write, but with Normal durability a power cut within a second may undo it.
	WriteUnsynced(ctx context.Context, work txWork) error
	Ping(ctx context.Context) error
	CheckKept() error
	IsTaken(err error) bool
	// IsShared reports whether other processes may write, so that cached rows may be outdated.
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

// CheckAddress returns an error for a malformed address of a PostgreSQL database. The error omits
// the address.
func CheckAddress(address string) error { return postgres.CheckAddress(address) }

// HasPassword reports whether the address of a PostgreSQL database may contain a password.
func HasPassword(address string) bool { return postgres.HasPassword(address) }

// DescribeAddress returns the address of a PostgreSQL database without secrets.
func DescribeAddress(address string) string { return postgres.DescribeAddress(address) }

func query[P, T any](
	ctx context.Context, backend database, run func(*db.Queries, context.Context, P) (T, error), params P,
) (T, error) {
	return fetch(ctx, backend.Query, func(ctx context.Context, q *db.Queries) (T, error) { return run(q, ctx, params) })
}

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

func (d *countedDatabase) Write(ctx context.Context, work txWork) error {
	defer d.counts.others.Add(1)
	return d.database.Write(ctx, work)
}

// work must set *id, or leave "" if the write may change any player.
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
