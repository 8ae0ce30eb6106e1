package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

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
