package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/parley-npc/parley/localserver/store/db"
)

type sqliteDatabase struct {
	connections
	watch     fileWatch
	log       *logSync // nil unless Durability is Normal
	queue     writeQueue
	now       func() time.Time
	committed func(writes int, duration time.Duration)
	temporary string // directory to remove at Close, or ""
}

func openSQLite(ctx context.Context, options Options) (*sqliteDatabase, error) {
	if !hasSQLite {
		return nil, errNoSQLite
	}
	s := &sqliteDatabase{now: options.Now, committed: options.OnCommit, queue: writeQueue{slot: make(chan struct{}, 1)}}
	if err := s.open(ctx, options); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *sqliteDatabase) open(ctx context.Context, options Options) error {
	path, err := s.preparePath(ctx, &options)
	if err != nil {
		return err
	}
	s.watch.path, s.watch.probe = path, options.probeRoom
	s.connections, err = openToWrite(ctx, path, options)
	if err != nil && errors.Is(s.watch.checkRoom(), ErrFull) {
		s.connections, err = openOnFullDisk(ctx, path, options.steps, err)
		s.watch.readOnly = true
	}
	if err == nil {
		err = s.watch.remember()
	}
	if err != nil || s.watch.readOnly || options.Durability != Normal {
		return err
	}
	if s.log, err = openLogSync(ctx, s.writer, path, options.disk); err != nil {
		return err
	}
	return errors.Join(s.log.syncOrSchedule(true), options.disk.syncFolder(filepath.Dir(path)))
}

func (s *sqliteDatabase) Ping(ctx context.Context) error {
	if err := s.CheckKept(); err != nil {
		return err
	}
	if err := s.watch.checkRoom(); err != nil {
		return err
	}
	return s.readers.PingContext(ctx)
}

func (s *sqliteDatabase) CheckKept() error { return cmp.Or(s.watch.check(), s.log.failed()) }

func (*sqliteDatabase) IsTaken(err error) bool { return isTaken(err) }

func (*sqliteDatabase) IsShared() bool { return false }

func (s *sqliteDatabase) Close() error {
	err := errors.Join(s.log.close(), s.closeBoth())
	if s.temporary != "" {
		err = errors.Join(err, os.RemoveAll(s.temporary))
	}
	return err
}

// Read avoids sql.Tx, because cancellation would need a goroutine for each short statement.
func (s *sqliteDatabase) Read(ctx context.Context, work txWork) error {
	return s.withConnection(ctx, func(ctx context.Context, conn *sql.Conn) error {
		if _, err := conn.ExecContext(ctx, "BEGIN"); err != nil {
			return err
		}
		defer func() { _, _ = conn.ExecContext(ctx, "ROLLBACK") }()
		return work(ctx, db.NewSQLite(conn))
	})
}

func (s *sqliteDatabase) Query(ctx context.Context, work txWork) error {
	return s.withConnection(ctx, func(ctx context.Context, conn *sql.Conn) error {
		return work(ctx, db.NewSQLite(conn))
	})
}

func (s *sqliteDatabase) withConnection(ctx context.Context, use func(context.Context, *sql.Conn) error) error {
	conn, err := s.readers.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	return use(context.WithoutCancel(ctx), conn)
}

type connections struct {
	writer, readers *sql.DB // writer is nil if the disk was full at the start
}

func openToWrite(ctx context.Context, path string, options Options) (c connections, err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, c.closeBoth())
		}
	}()
	if err := options.steps.inspectFile(ctx, path, fileURI(path)+commonOptions); err != nil {
		return c, err
	}
	if c.writer, err = openPool(fileURI(path)+writerOptions+synchronous[options.Durability], 1); err != nil {
		return c, err
	}
	if err := options.steps.migrateSchemaTo(ctx, c.writer, options.steps.newest()); err != nil {
		return c, fmt.Errorf("migrate the database %s: %w", path, err)
	}
	if _, err := c.writer.ExecContext(ctx, fmt.Sprint("PRAGMA wal_autocheckpoint = ", logPages)); err != nil {
		return c, err
	}
	if c.readers, err = openPool(fileURI(path)+readerOptions, readerConnections()); err != nil {
		return c, err
	}
	return c, c.readers.PingContext(ctx)
}

// With a log below 16 MiB, SQLite would copy the same pages more often.
const logPages = 4096

func openOnFullDisk(ctx context.Context, path string, steps schemaSteps, cause error) (c connections, err error) {
	source, marks, err := openOwn(ctx, path)
	if errors.Is(err, ErrForeign) { // It has no tables yet.
		err = fmt.Errorf("%w: %w", ErrFull, cause)
	}
	if err != nil {
		return c, err
	}
	err = steps.checkSchema(ctx, path, source.DB, marks.version)
	if err == nil && marks.version < steps.newest() {
		err = fmt.Errorf("%w: %w", ErrFull, cause)
	}
	if err != nil {
		return c, errors.Join(err, source.Close())
	}
	return connections{readers: source.DB}, nil
}

func (c connections) closeBoth() error {
	var errs []error
	if c.readers != nil {
		errs = append(errs, c.readers.Close())
	}
	if c.writer != nil {
		_, err := c.writer.ExecContext(context.Background(), "PRAGMA wal_checkpoint(TRUNCATE)")
		errs = append(errs, err, c.writer.Close())
	}
	return errors.Join(errs...)
}

type reading struct {
	*sql.DB
	path   string
	frozen fs.FileInfo
}

// The caller must call checkUnchanged after reading, because a read-only directory or a full disk
// prevents locks.
func openToRead(ctx context.Context, path string) (reading, error) {
	source, err := openWith(ctx, path, commonOptions+"&mode=ro")
	if !hasNoLog(err) {
		return source, err
	}
	if HasPendingLog(path) {
		r, soleErr := openWith(ctx, path, soleOptions)
		if soleErr != nil {
			return r, err
		}
		return r, nil
	}
	info, statErr := os.Stat(path)
	if statErr != nil {
		return reading{}, errors.Join(err, statErr)
	}
	source, err = openWith(ctx, path, frozenOptions)
	source.frozen = info
	return source, err
}

func openWith(ctx context.Context, path, options string) (reading, error) {
	pool, err := openPool(fileURI(absolutePath(path))+options, 1)
	if err != nil {
		return reading{}, err
	}
	var version int
	if err := pool.QueryRowContext(ctx, "PRAGMA schema_version").Scan(&version); err != nil {
		return reading{}, errors.Join(fmt.Errorf("read the database %s: %w", path, err), pool.Close())
	}
	return reading{DB: pool, path: path}, nil
}

func (r reading) checkUnchanged() error {
	if r.frozen == nil {
		return nil
	}
	info, err := os.Stat(r.path)
	switch {
	case err != nil:
		return err
	case HasPendingLog(r.path), !os.SameFile(info, r.frozen),
		info.Size() != r.frozen.Size(), !info.ModTime().Equal(r.frozen.ModTime()):
		return fmt.Errorf("a server began to write the database %s while it was being read: try again", r.path)
	}
	return nil
}

var logSuffixes = []string{"-wal", "-shm"}

// HasPendingLog reports whether a database has a log with content. The database file is then
// incomplete.
func HasPendingLog(path string) bool {
	info, err := os.Stat(path + logSuffixes[0])
	return err == nil && info.Size() > 0
}

// The caller with the slot commits all writes that arrived during the previous commit.
type writeQueue struct {
	slot    chan struct{} // capacity 1; full while a caller commits
	mu      sync.Mutex
	waiting []*writeJob
}

type writeJob struct {
	ctx    context.Context
	work   txWork
	synced bool // must be on the disk before its caller returns
	err    error
	done   chan struct{}
}

func openLogSync(ctx context.Context, writer *sql.DB, path string, files disk) (*logSync, error) {
	var mode string
	if err := writer.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&mode); err != nil {
		return nil, err
	}
	log := &logSync{disk: files}
	if mode != "wal" { // On a file system without shared memory, SQLite does not use a log and syncs every commit.
		return log, nil
	}
	// SQLite creates the log next to the target of a symbolic link.
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, fmt.Errorf("find the log of the database: %w", err)
	}
	if log.file, err = os.OpenFile(resolved+logSuffixes[0], os.O_RDWR, 0); err != nil {
		return nil, fmt.Errorf("open the log of the database: %w", err)
	}
	return log, nil
}
