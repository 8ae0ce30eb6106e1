package store

import (
	"context"

	"github.com/parley-npc/parley/localserver/store/db"
	"github.com/parley-npc/parley/localserver/store/postgres"
)

// txWork is what happens inside a transaction. A database may undo it and do it again.
type txWork = func(ctx context.Context, q *db.Queries) error

// database stores the rows. The methods of Store are built on it, and it does not know them.
type database interface {
	// Read does the work on one moment of the database.
	Read(ctx context.Context, do txWork) error
	// Query is Read for a single statement.
	Query(ctx context.Context, do txWork) error
	// Write does the work and commits it, or does nothing. Other writes do not interfere with it.
	Write(ctx context.Context, do txWork) error
	// WriteUnsynced is Write that does not wait for the disk if the database is configured so: a
	// power cut within a second may undo it.
	WriteUnsynced(ctx context.Context, do txWork) error
	// Ping reports whether the database answers and can be written.
	Ping(ctx context.Context) error
	// CheckKept reports, at little cost, whether present writes will be found again.
	CheckKept() error
	// IsTaken reports whether an error says that a row with the same id or secret exists.
	IsTaken(err error) bool
	// IsShared reports whether other processes may write too: then nothing can be
	// remembered that a write changes.
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

// CheckAddress refuses the address of a PostgreSQL database that cannot be parsed. The error quotes
// none of it.
func CheckAddress(address string) error { return postgres.CheckAddress(address) }

// HasPassword reports whether the address of a PostgreSQL database contains a password, or a text
// that may be one.
func HasPassword(address string) bool { return postgres.HasPassword(address) }

// DescribeAddress returns the address of a PostgreSQL database without secrets.
func DescribeAddress(address string) string { return postgres.DescribeAddress(address) }

// openDatabase opens the database that the options name.
func openDatabase(ctx context.Context, o Options) (database, error) {
	if IsPostgres(o.Path) {
		kept, err := postgres.Open(ctx, o.forPostgres())
		if err != nil {
			return nil, err
		}
		return kept, nil
	}
	kept, err := openSQLite(ctx, o)
	if err != nil {
		return nil, err
	}
	return kept, nil
}

// CheckKept reports whether present writes will be found again (ErrLost).
func CheckKept(s *Store) error { return s.database.CheckKept() }

// countedDatabase is a database that counts its writes.
type countedDatabase struct {
	database
	counts *writeCounts
}

// Write is a write that may concern any player.
func (d *countedDatabase) Write(ctx context.Context, do txWork) error {
	defer d.counts.others.Add(1)
	return d.database.Write(ctx, do)
}

// writePlayer is an unsynced write that concerns one player, and returns its stamp. The player's id
// must be known when do ends; "" is any player.
func (d *countedDatabase) writePlayer(ctx context.Context, id *string, do txWork) (at writeStamp, err error) {
	defer func() {
		if *id == "" {
			d.counts.others.Add(1)
			return
		}
		at.player = d.counts.ofPlayer(*id).Add(1)
		at.others = d.counts.others.Load()
	}()
	return at, d.WriteUnsynced(ctx, do)
}
