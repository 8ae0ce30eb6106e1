package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"os"
	"strings"

	"github.com/parley-npc/parley/localserver/store/postgres"
)

//go:embed queries/copy/rows.sql
var rowStatements string

// rowTables are the tables of a snapshot, each after those that its rows name.
var rowTables = [...]string{
	"users", "personas", "persona_versions", "machines", "players", "sessions", "messages", "completions", "unlocks", "route", "variables", "api_keys", "answers",
}

// Copied is how many rows of a table were copied.
type Copied struct {
	Table string
	Rows  int64
}

// Progress is told what is done of a copy: so many rows of all, the last ones in a table.
// nil is for nobody.
type Progress func(table string, done, total int64)

// rowSource are the rows of all tables at one moment.
type rowSource interface {
	CountRows(ctx context.Context) (map[string]int64, error)
	ReadTable(ctx context.Context, table string) (*sql.Rows, error)
}

// rowTarget takes rows, and gives those that it has.
type rowTarget interface {
	rowSource
	WriteTable(ctx context.Context, table string, columns []string, next func() ([]any, error)) error
}

// rowCopy copies the rows of all tables, one after another.
type rowCopy struct {
	from        rowSource
	to          rowTarget
	progress    Progress
	done, total int64
}

// progressStep is after how many rows progress is told.
const progressStep = 500

// copyTables copies all rows and reads them again where they have arrived: their number
// and their hash must be those of the source, table by table.
func copyTables(ctx context.Context, from rowSource, to rowTarget, progress Progress) ([]Copied, error) {
	counts, err := from.CountRows(ctx)
	if err != nil {
		return nil, err
	}
	c := &rowCopy{from: from, to: to, progress: progress}
	for _, count := range counts {
		c.total += count
	}
	var copied []Copied
	for _, table := range rowTables {
		rows, err := c.copyTable(ctx, table)
		if err != nil {
			return nil, fmt.Errorf("table %s: %w", table, err)
		}
		copied = append(copied, Copied{table, rows})
	}
	return copied, nil
}

func (c *rowCopy) copyTable(ctx context.Context, table string) (int64, error) {
	sent := newDigest()
	if err := c.sendRows(ctx, table, sent); err != nil {
		return 0, err
	}
	rows, err := c.to.ReadTable(ctx, table)
	if err != nil {
		return 0, err
	}
	arrived := newDigest()
	if err := arrived.addRows(rows); err != nil {
		return 0, err
	}
	return sent.rows, sent.compare(arrived)
}

// sendRows copies the rows of a table and adds them to a digest.
func (c *rowCopy) sendRows(ctx context.Context, table string, sent *digest) error {
	rows, err := c.from.ReadTable(ctx, table)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	err = c.to.WriteTable(ctx, table, columns, func() ([]any, error) {
		row, err := scanNext(rows, len(columns))
		if row != nil {
			sent.addRow(row)
			c.countRow(table)
		}
		return row, err
	})
	return errors.Join(err, rows.Err())
}

func (c *rowCopy) countRow(table string) {
	if c.done++; c.progress != nil && (c.done%progressStep == 0 || c.done == c.total) {
		c.progress(table, c.done, c.total)
	}
}

// scanNext gives the cells of the next row, nil behind the last one. A cell is nil, a
// string, an int64, a bool or a []byte.
func scanNext(rows *sql.Rows, columns int) ([]any, error) {
	if !rows.Next() {
		return nil, rows.Err()
	}
	cells, places := make([]any, columns), make([]any, columns)
	for i := range cells {
		places[i] = &cells[i]
	}
	return cells, rows.Scan(places...)
}

// digest is the number and the hash of rows in their order.
type digest struct {
	rows int64
	sum  hash.Hash
}

func newDigest() *digest { return &digest{sum: sha256.New()} }

// addRows adds rows and closes them.
func (d *digest) addRows(rows *sql.Rows) error {
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	for {
		row, err := scanNext(rows, len(columns))
		if row == nil || err != nil {
			return err
		}
		d.addRow(row)
	}
}

// addRow adds a row: of each cell its kind, its length and its bytes.
func (d *digest) addRow(row []any) {
	d.rows++
	for _, cell := range row {
		switch value := cell.(type) {
		case nil:
			d.addCell('n', nil)
		case string:
			d.addCell('t', []byte(value))
		case []byte:
			d.addCell('b', value)
		default: // a number or a truth
			d.addCell('v', fmt.Append(nil, value))
		}
	}
}

func (d *digest) addCell(kind byte, content []byte) {
	var head [9]byte
	head[0] = kind
	binary.BigEndian.PutUint64(head[1:], uint64(len(content)))
	d.sum.Write(head[:])
	d.sum.Write(content)
}

// compare refuses other rows than those that were sent.
func (d *digest) compare(arrived *digest) error {
	switch {
	case d.rows != arrived.rows:
		return fmt.Errorf("%d rows were copied, and %d have arrived", d.rows, arrived.rows)
	case string(d.sum.Sum(nil)) != string(arrived.sum.Sum(nil)):
		return fmt.Errorf("the %d rows that have arrived are not those that were copied: their hashes differ", d.rows)
	}
	return nil
}

// fileRows are the rows of a SQLite file, in one transaction.
type fileRows struct {
	tx         *sql.Tx
	statements map[string]string
}

func newFileRows(tx *sql.Tx) *fileRows {
	return &fileRows{tx, postgres.ParseStatements(rowStatements)}
}

func (r *fileRows) CountRows(ctx context.Context) (map[string]int64, error) {
	rows, err := r.tx.QueryContext(ctx, r.statements["count"]) //nolint:rowserrcheck // ScanCounts asks for it
	if err != nil {
		return nil, err
	}
	return postgres.ScanCounts(rows)
}

func (r *fileRows) ReadTable(ctx context.Context, table string) (*sql.Rows, error) {
	return r.tx.QueryContext(ctx, r.statements["read "+table])
}

func (r *fileRows) WriteTable(ctx context.Context, table string, columns []string, next func() ([]any, error)) error {
	write, err := r.tx.PrepareContext(ctx, r.statements["write "+table])
	if err != nil {
		return err
	}
	defer func() { _ = write.Close() }()
	for {
		row, err := next()
		if row == nil || err != nil {
			return err
		}
		if err := checkLengths(table, columns, row); err != nil {
			return err
		}
		if _, err := write.ExecContext(ctx, row...); err != nil {
			return err
		}
	}
}

// checkLengths refuses a cell that is too long to be restored.
func checkLengths(table string, columns []string, row []any) error {
	for i, cell := range row {
		size, limit := 0, cellLimit(table, columns[i])
		switch value := cell.(type) {
		case string:
			size = len(value)
		case []byte:
			size = len(value)
		}
		if size > limit {
			return fmt.Errorf("column %s: it has a value of %d bytes, and a snapshot takes %d", columns[i], size, limit)
		}
	}
	return nil
}

// DescribeCopied says how many rows of which tables there are.
func DescribeCopied(copied []Copied) string {
	var parts []string
	total := int64(0)
	for _, c := range copied {
		if total += c.Rows; c.Rows > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", strings.ReplaceAll(c.Table, "_", " "), c.Rows))
		}
	}
	if total == 0 {
		return "no rows"
	}
	return fmt.Sprintf("%d rows: %s", total, strings.Join(parts, ", "))
}

// Refusals of databases that a copy is taken from or brought into.
var (
	ErrEmpty error = postgres.ErrEmpty
	ErrKept  error = postgres.ErrKept
	ErrInUse error = postgres.ErrInUse
)

// IsPostgres reports whether a path is the address of a PostgreSQL database.
func IsPostgres(path string) bool { return postgres.IsAddress(path) }

// CopyPostgres writes what the PostgreSQL database of the options' path holds at one moment into a new file as
// CopyDatabase makes it, whether or not servers use the database, and checks what has
// arrived. Memory does not grow with the number of rows.
func CopyPostgres(ctx context.Context, from Options, to string, progress Progress) (copied []Copied, err error) {
	if !hasSQLite {
		return nil, errNoSQLite
	}
	source, err := postgres.OpenRows(ctx, from.forPostgres())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	if err := createEmpty(to); err != nil {
		return nil, err
	}
	copied, err = fillFile(ctx, source, to, progress)
	if err == nil {
		err = checkIntegrity(ctx, to)
	}
	if err == nil {
		err = syncToDisk(to)
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(to))
	}
	return copied, nil
}

// fillFile makes a database of the newest schema in an empty file, with the rows of
// another one.
func fillFile(ctx context.Context, source rowSource, to string, progress Progress) (copied []Copied, err error) {
	pool, err := openPool(fileURI(absolutePath(to))+commonOptions, 1)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	if err := ownSteps().migrateSchema(ctx, pool); err != nil {
		return nil, err
	}
	err = inTransaction(ctx, pool, func(tx *sql.Tx) error {
		copied, err = copyTables(ctx, source, newFileRows(tx), progress)
		return err
	})
	return copied, err
}

func inTransaction(ctx context.Context, pool *sql.DB, work func(*sql.Tx) error) error {
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if err := work(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// FillPostgres makes the rows of a file, which ImportDatabase has made and nobody else
// uses, those of the PostgreSQL database of the options' path. It is one transaction: whatever goes wrong, the
// database has the rows that it had, and it can be done again. It refuses a
// database that servers use (ErrInUse), and one with rows (ErrKept) unless replace allows
// to delete them.
func FillPostgres(ctx context.Context, from string, to Options, replace bool, progress Progress) (copied []Copied, err error) {
	pool, err := openPool(fileURI(absolutePath(from))+commonOptions, 1)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	if err := ownSteps().migrateSchema(ctx, pool); err != nil {
		return nil, fmt.Errorf("bring the rows up to date: %w", err)
	}
	target, err := postgres.ReplaceRows(ctx, to.forPostgres(), replace)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	err = inTransaction(ctx, pool, func(tx *sql.Tx) error {
		copied, err = copyTables(ctx, newFileRows(tx), target, progress)
		return err
	})
	if err != nil {
		return nil, err
	}
	return copied, target.Commit()
}

// CountCopied counts the rows of a file as CopyDatabase makes it.
func CountCopied(ctx context.Context, path string) (copied []Copied, err error) {
	r, err := openToRead(ctx, path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	tx, err := r.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback() }()
	counts, err := newFileRows(tx).CountRows(ctx)
	for _, table := range rowTables {
		copied = append(copied, Copied{table, counts[table]})
	}
	return copied, err
}
