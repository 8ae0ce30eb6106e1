// Package postgres keeps the rows of the store in a PostgreSQL database, which several servers may
// use at once. It has the connections and the handling of conflicts with other servers; the queries
// are in store/db, and the meaning of the rows is in store. It never shows a password.
package postgres

import (
	"context"
	"crypto/tls"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/parley-npc/parley/localserver/store/db"
)

// Options describe which database it is.
type Options struct {
	// Address is a URL as libpq accepts it. Missing parts come from the environment (PGPASSFILE,
	// PGSERVICE and others) and from the files that libpq reads.
	Address string
	// Password replaces PGPASSWORD: it is used if the address lacks a password.
	Password string
	Now      func() time.Time
	// OnCommit is called after every commit with its number of writes and its duration.
	OnCommit func(writes int, took time.Duration)
	// Patience is for how long Open tries again while the database is starting or cannot be
	// reached; 0 is once.
	Patience time.Duration
	// OnWait is called with the reason while Open waits, at once and every few seconds. It may be
	// nil.
	OnWait func(why error)
}

// Database is an open database. It is safe for concurrent use.
type Database struct {
	pool      *sql.DB
	idle      int
	now       func() time.Time
	committed func(writes int, took time.Duration)
}

// Bounds of the connections.
const (
	defaultConnections = 16 // at once, unless the address has pool_max_conns
	connectPatience    = 5 * time.Second
	idleLifetime       = 5 * time.Minute
	lifetime           = 30 * time.Minute
	// patience is how long an answer may take, also in a turn's transaction. The database gives up
	// a statement sooner.
	patience = 15 * time.Second
)

// sessionDefaults are settings of a connection that the address does not make.
var sessionDefaults = map[string]string{
	"application_name":                    "parley",
	"statement_timeout":                   "10s",
	"lock_timeout":                        "5s",
	"idle_in_transaction_session_timeout": "30s",
}

// Open opens a database and brings its schema up to date. It refuses one that cannot be
// reached within Patience, that has tables or code of another program or that a later version
// has written.
func Open(ctx context.Context, o Options) (*Database, error) {
	d, at, err := openPool(o)
	if err != nil {
		return nil, err
	}
	if err := d.prepareWhenUp(ctx, at, o); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// How often Open tries again, and says that it waits.
const (
	startPulse  = 500 * time.Millisecond
	startNotice = 10 * time.Second
)

// prepareWhenUp does prepare, again within o.Patience while the database is away.
func (d *Database) prepareWhenUp(ctx context.Context, at location, o Options) error {
	begun := time.Now()
	said := begun.Add(-startNotice)
	for {
		err := d.prepare(ctx, at, o)
		if err == nil {
			return nil
		}
		err = describeFailure(at, err)
		waited := time.Since(begun)
		switch {
		case o.Patience == 0, ctx.Err() != nil, !db.IsAway(err):
			return err
		case waited >= o.Patience:
			return fmt.Errorf("%w (waited %s)", err, o.Patience)
		case o.OnWait != nil && time.Since(said) >= startNotice:
			said = time.Now()
			o.OnWait(err)
		}
		select {
		case <-time.After(startPulse):
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		}
	}
}

func openPool(o Options) (*Database, location, error) {
	at, err := parseAddress(o.Address)
	if err != nil {
		return nil, at, err
	}
	config, err := parseConfig(at, o)
	if err != nil {
		return nil, at, err
	}
	most, err := takeConnectionBound(config)
	if err != nil {
		return nil, at, err
	}
	for name, value := range sessionDefaults {
		if config.RuntimeParams[name] == "" {
			config.RuntimeParams[name] = value
		}
	}
	d := &Database{pool: stdlib.OpenDB(*config), idle: most, now: o.Now, committed: o.OnCommit}
	d.pool.SetMaxOpenConns(most)
	d.pool.SetMaxIdleConns(most)
	d.pool.SetConnMaxIdleTime(idleLifetime)
	d.pool.SetConnMaxLifetime(lifetime)
	return d, at, nil
}

func parseConfig(at location, o Options) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(o.Address)
	if err != nil {
		return nil, fmt.Errorf("the database %s: %w", at, at.hideSecrets(err))
	}
	if len(at.secrets()) == 0 && o.Password != "" {
		config.Password = o.Password
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectPatience
	}
	if err := checkEncryption(config); err != nil {
		return nil, fmt.Errorf("the database %s: %w", at, err)
	}
	return config, nil
}

// checkEncryption refuses settings that silently connect to another machine without encryption if
// the server offers no TLS: those of libpq when sslmode is missing, prefer or allow.
func checkEncryption(config *pgx.ConnConfig) error {
	plain, encrypted := map[string]bool{}, map[string]bool{}
	note := func(host string, uses *tls.Config) {
		if uses == nil {
			plain[host] = true
		} else {
			encrypted[host] = true
		}
	}
	note(config.Host, config.TLSConfig)
	for _, other := range config.Fallbacks {
		note(other.Host, other.TLSConfig)
	}
	for host := range plain {
		if encrypted[host] && !isThisMachine(host) {
			return db.ErrUnencrypted
		}
	}
	return nil
}

func isThisMachine(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || filepath.IsAbs(host) || ip != nil && ip.IsLoopback()
}

// takeConnectionBound takes out of the settings how many connections there may be.
func takeConnectionBound(config *pgx.ConnConfig) (int, error) {
	const name = "pool_max_conns"
	said := config.RuntimeParams[name]
	delete(config.RuntimeParams, name)
	if said == "" {
		return defaultConnections, nil
	}
	most, err := strconv.Atoi(said)
	if err != nil || most < 1 || most > 1000 {
		return 0, fmt.Errorf("the address of the database: %s must be a number from 1 to 1000", name)
	}
	return most, nil
}

// prepare migrates the schema over separate connections: a migration may take longer than our
// statements, and nobody waits for it.
func (d *Database) prepare(ctx context.Context, at location, o Options) error {
	if err := d.pool.PingContext(ctx); err != nil {
		return err
	}
	config, err := parseConfig(at, o)
	if err != nil {
		return err
	}
	if _, err := takeConnectionBound(config); err != nil {
		return err
	}
	pool := stdlib.OpenDB(*config)
	return errors.Join(schemaSteps{db.PostgresMigrations()}.migrateSchema(ctx, pool), pool.Close())
}

// Ping reports whether the database answers (ErrDown) and takes writes (ErrStandby).
func (d *Database) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	writable, err := db.New(d.pool).CanWrite(ctx)
	if err == nil && !writable {
		return db.ErrStandby
	}
	return explain(err)
}

// CheckKept always returns nil: the database itself reports a failed commit.
func (*Database) CheckKept() error { return nil }

// IsTaken reports whether an error says that a row with the same id or secret exists.
func (*Database) IsTaken(err error) bool { return codeOf(err) == codeUnique }

// IsShared is true: other servers may use the database.
func (*Database) IsShared() bool { return true }

// Close closes the connections.
func (d *Database) Close() error { return d.pool.Close() }

// dropIdle closes the idle connections: when one was cut, others were too.
func (d *Database) dropIdle() {
	d.pool.SetMaxIdleConns(0)
	d.pool.SetMaxIdleConns(d.idle)
}

// Query is Read for a single statement, which is a snapshot without a transaction.
func (d *Database) Query(ctx context.Context, do func(context.Context, *db.Queries) error) error {
	return d.repeat(ctx, func(ctx context.Context, conn *sql.Conn) error { return do(ctx, newQueries(conn)) })
}

// Read does the work on one snapshot of the database.
func (d *Database) Read(ctx context.Context, do func(context.Context, *db.Queries) error) error {
	return d.repeat(ctx, func(ctx context.Context, conn *sql.Conn) error {
		tx, err := conn.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }()
		return do(ctx, newQueries(tx))
	})
}
