package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/parley-npc/parley/localserver/store/db"
)

// Rows reads or replaces all rows of a database in one transaction. It is not safe for concurrent
// use.
type Rows struct {
	pool *sql.DB
	conn *sql.Conn
	tx   *sql.Tx
}

var rowSettings = map[string]string{
	"application_name": "parley", "statement_timeout": "0", "idle_in_transaction_session_timeout": "0",
	"lock_timeout": "10s",
}

// OpenRows opens a snapshot of all rows for reading. Servers may use the database meanwhile.
// OpenRows returns ErrEmpty for an unused database.
func OpenRows(ctx context.Context, options Options) (*Rows, error) {
	d, err := openPool(options)
	if err != nil {
		return nil, err
	}
	current, newest, err := d.checkVersion(ctx)
	if err == nil && current < newest { // The columns may differ.
		err = fmt.Errorf(
			"%w: start a server of this version with it once, or copy it with the older parley", db.ErrOlder,
		)
	}
	if err = errors.Join(err, d.Close()); err != nil {
		return nil, describeFailure(options.Address, err)
	}
	return beginRows(ctx, options, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
}

// ReplaceRows migrates a database, and begins a transaction that replaces all rows. ReplaceRows
// returns ErrInUse if servers use the database, and ErrKept if replace is false and rows exist.
func ReplaceRows(ctx context.Context, options Options, replace bool) (*Rows, error) {
	if _, err := migrateTarget(ctx, options); err != nil {
		return nil, err
	}
	r, err := beginRows(ctx, options, nil)
	if err != nil {
		return nil, err
	}
	if err := r.makeRoom(ctx, replace); err != nil {
		return nil, errors.Join(describeFailure(options.Address, err), r.Close())
	}
	return r, nil
}

func migrateTarget(ctx context.Context, options Options) (version int64, err error) {
	d, err := Open(ctx, options)
	if err != nil {
		return 0, err
	}
	version, _, err = d.checkVersion(ctx)
	if err := errors.Join(err, d.Ping(ctx), d.Close()); err != nil {
		return 0, describeFailure(options.Address, err)
	}
	return version, nil
}

func describeFailure(address string, err error) error {
	parsed, malformed := parseAddress(address)
	if malformed != nil {
		return malformed
	}
	return fmt.Errorf("the database %s: %w", parsed, parsed.hideSecrets(explain(err)))
}

func beginRows(ctx context.Context, options Options, how *sql.TxOptions) (*Rows, error) {
	r, err := connectRows(ctx, options)
	if err != nil {
		return nil, err
	}
	if r.tx, err = r.conn.BeginTx(ctx, how); err != nil {
		return nil, errors.Join(describeFailure(options.Address, err), r.Close())
	}
	return r, nil
}

func connectRows(ctx context.Context, options Options) (*Rows, error) {
	config, _, err := parseConfig(options, rowSettings)
	if err != nil {
		return nil, err
	}
	r := &Rows{pool: stdlib.OpenDB(*config)}
	if r.conn, err = r.pool.Conn(ctx); err != nil {
		return nil, errors.Join(describeFailure(options.Address, err), r.Close())
	}
	return r, nil
}

// CheckTarget returns the error that ReplaceRows would return, without changing the database.
// CheckTarget accepts a missing or older schema.
func CheckTarget(ctx context.Context, options Options, replace bool) error {
	switch _, err := Check(ctx, options); {
	case errors.Is(err, db.ErrEmpty), errors.Is(err, db.ErrOlder):
		return nil
	case err != nil:
		return err
	}
	r, err := beginRows(ctx, options, nil)
	if err != nil {
		return err
	}
	if err := errors.Join(r.checkRoom(ctx, replace), r.Close()); err != nil {
		return describeFailure(options.Address, err)
	}
	return nil
}

func (r *Rows) makeRoom(ctx context.Context, replace bool) error {
	if err := r.checkRoom(ctx, replace); err != nil {
		return err
	}
	for _, table := range slices.Backward(db.Tables[:]) {
		if _, err := r.tx.ExecContext(ctx, table.Delete()); err != nil {
			return err
		}
	}
	return nil
}

// checkRoom takes the lock for migrations. No server can then start until the connection is closed.
func (r *Rows) checkRoom(ctx context.Context, replace bool) error {
	if err := db.New(r.tx).LockMigrations(ctx, migrationLock); err != nil {
		if codeOf(err) == codeLockTaken {
			return db.ErrInUse
		}
		return err
	}
	if err := r.checkAlone(ctx); err != nil {
		return err
	}
	counts, err := r.CountRows(ctx)
	if err != nil {
		return err
	}
	total := int64(0)
	for _, count := range counts {
		total += count
	}
	if total > 0 && !replace {
		return fmt.Errorf("%w (%d rows)", db.ErrKept, total)
	}
	return nil
}

const (
	closingTimeout = 2 * time.Second
	closingPulse   = 50 * time.Millisecond
)

func (r *Rows) checkAlone(ctx context.Context) error {
	for end := time.Now().Add(closingTimeout); ; time.Sleep(closingPulse) {
		others, err := r.countOthers(ctx)
		switch {
		case err != nil || others == 0:
			return err
		case time.Now().After(end):
			return fmt.Errorf("%w (open connections: %d)", db.ErrInUse, others)
		}
	}
}

// A transaction keeps the snapshot of its first query, so the snapshot of connections is cleared
// first.
func (r *Rows) countOthers(ctx context.Context) (n int, err error) {
	if _, err := r.tx.ExecContext(ctx, "SELECT pg_stat_clear_snapshot()"); err != nil {
		return 0, err
	}
	const others = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()" +
		" AND application_name = current_setting('application_name') AND pid <> pg_backend_pid()"
	err = r.tx.QueryRowContext(ctx, others).Scan(&n)
	return n, err
}

// CountRows counts the rows of each table.
func (r *Rows) CountRows(ctx context.Context) (map[string]int64, error) {
	return db.CountRows(ctx, r.tx)
}

// ReadTable returns a table's rows in the order of Table.Select.
func (r *Rows) ReadTable(ctx context.Context, table string) (*sql.Rows, error) {
	return r.tx.QueryContext(ctx, db.FindTable(table).Select(table, insertedColumn))
}

const insertedColumn = "seq"

// WriteTable adds rows to a table. WriteTable calls next until the row is nil.
func (r *Rows) WriteTable(ctx context.Context, table string, columns []string, next func() ([]any, error)) error {
	var failure error // returned instead of PostgreSQL's error, which only quotes it
	checked := func() ([]any, error) {
		row, err := next()
		if err == nil {
			err = checkTexts(columns, row)
		}
		failure = err
		return row, err
	}
	return r.conn.Raw(func(driver any) error {
		conn := driver.(*stdlib.Conn).Conn()
		_, err := conn.CopyFrom(ctx, pgx.Identifier{table}, columns, pgx.CopyFromFunc(checked))
		if failure != nil {
			return failure
		}
		return explain(err)
	})
}

func checkTexts(columns []string, row []any) error {
	for i, cell := range row {
		if text, ok := cell.(string); ok && (!utf8.ValidString(text) || strings.Contains(text, "\x00")) {
			return fmt.Errorf(
				"column %s has a text that is not UTF-8 or contains a NUL, which PostgreSQL cannot store", columns[i],
			)
		}
	}
	return nil
}

// Commit commits all written rows.
func (r *Rows) Commit() error { return explain(commit(r.tx)) }

// Close rolls back uncommitted rows.
func (r *Rows) Close() error {
	if r.tx != nil {
		_ = r.tx.Rollback() // After Commit this has no effect.
	}
	if r.conn != nil {
		_ = r.conn.Close()
	}
	return r.pool.Close()
}

func newQueries(on db.DBTX) *db.Queries { return db.New(cleanTexts{on}) }

// PostgreSQL rejects NUL and invalid UTF-8. Only the names in searches can contain them.
type cleanTexts struct{ on db.DBTX }

func (c cleanTexts) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	return c.on.ExecContext(ctx, query, cleanAll(args)...)
}

func (c cleanTexts) PrepareContext(ctx context.Context, query string) (*sql.Stmt, error) {
	return c.on.PrepareContext(ctx, query)
}

func (c cleanTexts) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return c.on.QueryContext(ctx, query, cleanAll(args)...)
}

func (c cleanTexts) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	return c.on.QueryRowContext(ctx, query, cleanAll(args)...)
}

func cleanAll(args []any) []any {
	for i, arg := range args {
		switch value := arg.(type) {
		case string:
			args[i] = cleanText(value)
		case sql.NullString:
			args[i] = sql.NullString{String: cleanText(value.String), Valid: value.Valid}
		}
	}
	return args
}

func cleanText(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}
