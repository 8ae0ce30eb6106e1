// Package postgres implements the database of package store with PostgreSQL. Several servers may
// use a database at the same time. Errors never contain a password.
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

// Options configures a database.
type Options struct {
	// Address is a URL in the format of libpq. Missing parts come from libpq's environment
	// variables and files.
	Address string
	// Password is for an address without a password. It replaces PGPASSWORD.
	Password string
	Now      func() time.Time
	// OnCommit is called after every commit with the number of writes and the duration.
	OnCommit func(writes int, duration time.Duration)
	// Patience is how long Open retries while the database is unavailable. 0 means a single
	// attempt.
	Patience time.Duration
	// OnWait is called every few seconds while Open waits. It may be nil.
	OnWait func(cause error)
}

// A Database is an open database. It is safe for concurrent use.
type Database struct {
	options Options
	pool    *sql.DB
	idle    int
}

const (
	defaultConnections = 16 // maximum number, unless the address contains pool_max_conns
	connectTimeout     = 5 * time.Second
	idleLifetime       = 5 * time.Minute
	lifetime           = 30 * time.Minute
	patience           = 15 * time.Second
)

var sessionDefaults = map[string]string{
	"application_name":                    "parley",
	"statement_timeout":                   "10s",
	"lock_timeout":                        "5s",
	"idle_in_transaction_session_timeout": "30s",
}

// Open opens a database and migrates its schema. Open returns an error after Patience, and for a
// database of another program or of a newer version.
func Open(ctx context.Context, options Options) (*Database, error) {
	d, err := openPool(options)
	if err != nil {
		return nil, err
	}
	if err := d.prepareWhenUp(ctx); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

const (
	startPulse  = 500 * time.Millisecond
	startNotice = 10 * time.Second
)

func (d *Database) prepareWhenUp(ctx context.Context) error {
	options, started := d.options, time.Now()
	notified := started.Add(-startNotice)
	for {
		err := d.prepare(ctx)
		if err == nil {
			return nil
		}
		err = describeFailure(options.Address, err)
		waited := time.Since(started)
		switch {
		case options.Patience == 0, ctx.Err() != nil, !db.IsAway(err):
			return err
		case waited >= options.Patience:
			return fmt.Errorf("%w (waited %s)", err, options.Patience)
		case options.OnWait != nil && time.Since(notified) >= startNotice:
			notified = time.Now()
			options.OnWait(err)
		}
		select {
		case <-time.After(startPulse):
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		}
	}
}

func openPool(options Options) (*Database, error) {
	config, maxConns, err := parseConfig(options, sessionDefaults)
	if err != nil {
		return nil, err
	}
	d := &Database{options: options, pool: stdlib.OpenDB(*config), idle: maxConns}
	d.pool.SetMaxOpenConns(maxConns)
	d.pool.SetMaxIdleConns(maxConns)
	d.pool.SetConnMaxIdleTime(idleLifetime)
	d.pool.SetConnMaxLifetime(lifetime)
	return d, nil
}

// PostgreSQL does not know the setting pool_max_conns.
func parseConfig(options Options, defaults map[string]string) (config *pgx.ConnConfig, maxConns int, err error) {
	address, err := parseAddress(options.Address)
	if err != nil {
		return nil, 0, err
	}
	config, err = pgx.ParseConfig(options.Address)
	if err != nil {
		return nil, 0, fmt.Errorf("the database %s: %w", address, address.hideSecrets(err))
	}
	if len(address.secrets()) == 0 && options.Password != "" {
		config.Password = options.Password
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	if err := checkEncryption(config); err != nil {
		return nil, 0, fmt.Errorf("the database %s: %w", address, err)
	}
	for name, value := range defaults {
		if config.RuntimeParams[name] == "" {
			config.RuntimeParams[name] = value
		}
	}
	const name = "pool_max_conns"
	value := config.RuntimeParams[name]
	delete(config.RuntimeParams, name)
	if value == "" {
		return config, defaultConnections, nil
	}
	if maxConns, err = strconv.Atoi(value); err != nil || maxConns < 1 || maxConns > 1000 {
		return nil, 0, fmt.Errorf("the address of the database: %s must be a number from 1 to 1000", name)
	}
	return config, maxConns, nil
}

// Without a clear sslmode, libpq silently falls back to plain text.
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

// A migration may take longer than a query, so its pool has no timeouts.
func (d *Database) prepare(ctx context.Context) error {
	if err := d.pool.PingContext(ctx); err != nil {
		return err
	}
	config, _, err := parseConfig(d.options, nil)
	if err != nil {
		return err
	}
	pool := stdlib.OpenDB(*config)
	return errors.Join(schemaSteps{db.PostgresMigrations()}.migrateSchema(ctx, pool), pool.Close())
}

// Ping returns ErrDown if the database does not answer, and ErrStandby if it is read-only.
func (d *Database) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	writable, err := db.New(d.pool).CanWrite(ctx)
	if err == nil && !writable {
		return db.ErrStandby
	}
	return explain(err)
}

// CheckKept returns nil, because PostgreSQL reports failed commits.
func (*Database) CheckKept() error { return nil }

// IsTaken reports whether err means that a unique value already exists.
func (*Database) IsTaken(err error) bool { return codeOf(err) == codeUnique }

// IsShared returns true, because other servers may write.
func (*Database) IsShared() bool { return true }

// Close closes the connections.
func (d *Database) Close() error { return d.pool.Close() }

// Query is Read for a single statement, without a transaction.
func (d *Database) Query(ctx context.Context, work func(context.Context, *db.Queries) error) error {
	return d.runWithRetry(ctx, func(ctx context.Context, conn *sql.Conn) error { return work(ctx, newQueries(conn)) })
}

// Read runs work on one snapshot of the database.
func (d *Database) Read(ctx context.Context, work func(context.Context, *db.Queries) error) error {
	return d.runWithRetry(ctx, func(ctx context.Context, conn *sql.Conn) error {
		tx, err := conn.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }()
		return work(ctx, newQueries(tx))
	})
}
