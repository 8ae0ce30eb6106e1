package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

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

// connections are the connections to the open database.
type connections struct {
	writer, readers *sql.DB // no writer where the disk was full
}

// openToWrite opens a database and brings its schema up to date.
func openToWrite(ctx context.Context, path string, o Options) (c connections, err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, c.closeBoth())
		}
	}()
	if err := o.steps.inspectFile(ctx, path, fileURI(path)+commonOptions); err != nil {
		return c, err
	}
	if c.writer, err = openPool(writerDSN(path, o.Durability), 1); err != nil {
		return c, err
	}
	if err := errors.Join(clearMark(ctx, c.writer), o.steps.migrateSchema(ctx, c.writer)); err != nil {
		return c, fmt.Errorf("bring the database %s up to date: %w", path, err)
	}
	if _, err := c.writer.ExecContext(ctx, fmt.Sprint("PRAGMA wal_autocheckpoint = ", logPages)); err != nil {
		return c, err
	}
	if c.readers, err = openPool(readerDSN(path), readerConnections()); err != nil {
		return c, err
	}
	return c, c.readers.PingContext(ctx)
}

// logPages is after how many pages the log is written back into the database: 16 MiB, in
// which a page that changes with each turn of a session is written back once.
const logPages = 4096

// openOnFullDisk opens a database for reading only, without SQLite's files beside it, because the
// disk is full. cause is why it cannot be opened normally.
func openOnFullDisk(ctx context.Context, path string, steps schemaSteps, cause error) (c connections, err error) {
	dsn, count := fileURI(path)+frozenOptions, readerConnections()
	if writeBackLog(ctx, path); HasPendingLog(path) {
		dsn, count = fileURI(path)+soleOptions+"&_query_only=on", 1
	}
	if err := steps.inspectFile(ctx, path, dsn); err != nil {
		return c, err
	}
	if c.readers, err = openPool(dsn, count); err != nil {
		return c, err
	}
	if m := readMarks(ctx, c.readers); m.err != nil || m.version < steps.newest() {
		return c, errors.Join(fmt.Errorf("%w: %w", ErrFull, cause), m.err, c.closeBoth())
	}
	return c, nil
}

// closeBoth writes the log back into the database file and closes it.
func (c connections) closeBoth() error {
	var errs []error
	if c.readers != nil {
		errs = append(errs, c.readers.Close())
	}
	if c.writer != nil {
		errs = append(errs, checkpointLog(c.writer), c.writer.Close())
	}
	return errors.Join(errs...)
}

func checkpointLog(writer *sql.DB) error {
	_, err := writer.ExecContext(context.Background(), "PRAGMA wal_checkpoint(TRUNCATE)")
	return err
}
