package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/parley-npc/parley/localserver/store/db"
	"github.com/parley-npc/parley/localserver/store/postgres"
)

// Copied is the number of copied rows of a table.
type Copied struct {
	Table string
	Rows  int64
}

type rowSource interface {
	tableReader
	CountRows(ctx context.Context) (map[string]int64, error)
}

// A tableWriter calls next until the row is nil.
type tableWriter interface {
	WriteTable(ctx context.Context, table string, columns []string, next func() ([]any, error)) error
}

type rowTarget interface {
	tableReader
	tableWriter
}

const progressStep = 500

func copyTables(
	ctx context.Context, from rowSource, to rowTarget, tables []string, progress Progress,
) ([]Copied, error) {
	sent, err := sendTables(ctx, from, to, tables, progress)
	if err != nil {
		return nil, err
	}
	return compareTables(ctx, to, tables, sent)
}

func sendTables(
	ctx context.Context, from rowSource, to rowTarget, tables []string, progress Progress,
) ([]*digest, error) {
	counts, err := from.CountRows(ctx)
	if err != nil {
		return nil, err
	}
	done, total := int64(0), int64(0)
	for _, count := range counts {
		total += count
	}
	sent := make([]*digest, len(tables))
	for i, table := range tables {
		skipped := int64(0)
		if area, ok := to.(stagingArea); ok {
			skipped, err = countStaged(ctx, from, area, table)
		}
		sent[i] = newDigest()
		if err == nil {
			err = sendRows(ctx, from, to, table, skipped, func(row []any) {
				sent[i].addRow(row)
				if done++; progress != nil && (done%progressStep == 0 || done == total) {
					progress(table, done, total)
				}
			})
		}
		if err != nil {
			return nil, fmt.Errorf("table %s: %w", table, err)
		}
	}
	return sent, nil
}

func compareTables(ctx context.Context, to tableReader, tables []string, sent []*digest) ([]Copied, error) {
	var copied []Copied
	for i, table := range tables {
		arrived, err := readDigest(ctx, to, table, math.MaxInt64)
		if err == nil {
			err = sent[i].compare(arrived)
		}
		if err != nil {
			return nil, fmt.Errorf("table %s: %w", table, err)
		}
		copied = append(copied, Copied{table, arrived.rows})
	}
	return copied, nil
}

type stagingArea interface {
	rowTarget
	EmptyTable(ctx context.Context, table string) error
}

func countStaged(ctx context.Context, from tableReader, to stagingArea, table string) (int64, error) {
	staged, err := readDigest(ctx, to, table, math.MaxInt64)
	if err != nil {
		return 0, err
	}
	ours, err := readDigest(ctx, from, table, staged.rows)
	if err != nil || ours.compare(staged) == nil {
		return staged.rows, err
	}
	return 0, to.EmptyTable(ctx, table)
}

func sendRows(
	ctx context.Context, from tableReader, to tableWriter, table string, skipped int64, note func(row []any),
) error {
	rows, err := from.ReadTable(ctx, table)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	next := func() ([]any, error) {
		row, err := scanNext(rows, len(columns))
		if row != nil {
			note(row)
		}
		return row, err
	}
	for range skipped {
		if _, err := next(); err != nil {
			return err
		}
	}
	return errors.Join(to.WriteTable(ctx, table, columns, next), rows.Err())
}

type fileRows struct{ tx *sql.Tx }

func (r fileRows) CountRows(ctx context.Context) (map[string]int64, error) {
	return db.CountRows(ctx, r.tx)
}

func (r fileRows) ReadTable(ctx context.Context, table string) (*sql.Rows, error) {
	return r.tx.QueryContext(ctx, db.FindTable(table).Select(table, "rowid"))
}

func (r fileRows) WriteTable(ctx context.Context, table string, _ []string, next func() ([]any, error)) error {
	t := db.FindTable(table)
	places := strings.TrimSuffix(strings.Repeat("?, ", len(t.Columns)), ", ")
	statement := "INSERT INTO " + t.Name + " (" + t.ColumnList() + ") VALUES (" + places + ")"
	return insertRows(ctx, r.tx, statement, next)
}

func insertRows(ctx context.Context, tx *sql.Tx, statement string, next func() ([]any, error)) error {
	write, err := tx.PrepareContext(ctx, statement)
	if err != nil {
		return err
	}
	defer func() { _ = write.Close() }()
	for {
		row, err := next()
		if row == nil || err != nil {
			return err
		}
		if _, err := write.ExecContext(ctx, row...); err != nil {
			return err
		}
	}
}

// DescribeCopied returns the total number of rows and the number for each table.
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

// CopyPostgres is CopyDatabase for the PostgreSQL database at from.Path. CopyPostgres also compares
// the copied rows. Its memory use is constant.
func CopyPostgres(ctx context.Context, from Options, to string, progress Progress) (copied []Copied, err error) {
	source, err := postgres.OpenRows(ctx, from.forPostgres())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	return makeCopy(ctx, postgres.DescribeAddress(from.Path), to, progress, func() error {
		return fillFile(ctx, source, to, progress)
	})
}

func fillFile(ctx context.Context, source rowSource, to string, progress Progress) (err error) {
	pool, err := openPool(fileURI(absolutePath(to))+commonOptions, 1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	if err := ownSteps().migrateSchemaTo(ctx, pool, ownSteps().newest()); err != nil {
		return err
	}
	return inTransaction(ctx, pool, func(tx *sql.Tx) error {
		_, err := copyTables(ctx, source, fileRows{tx}, tableNames(), progress)
		return err
	})
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

// FillPostgres replaces the rows of the PostgreSQL database at to.Path by the rows of an imported
// file. Staging tables keep the rows after an interruption. FillPostgres returns ErrInUse if
// servers use the database, and ErrKept if replace is false and rows exist.
func FillPostgres(
	ctx context.Context, from string, to Options, replace bool, progress Progress,
) (copied []Copied, err error) {
	pool, err := openPool(fileURI(absolutePath(from))+commonOptions, 1)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	if err := ownSteps().migrateSchemaTo(ctx, pool, ownSteps().newest()); err != nil {
		return nil, fmt.Errorf("migrate the rows: %w", err)
	}
	if err := CheckTarget(ctx, to, replace); err != nil {
		return nil, err
	}
	staging, err := postgres.OpenStaging(ctx, to.forPostgres())
	if err != nil {
		return nil, err
	}
	var sent []*digest
	err = inTransaction(ctx, pool, func(tx *sql.Tx) error {
		sent, err = sendTables(ctx, fileRows{tx}, staging, tableNames(), progress)
		return err
	})
	// ReplaceRows would count the open connection of the staging area as a server.
	if err := errors.Join(err, staging.Close()); err != nil {
		return nil, err
	}
	target, err := postgres.ReplaceRows(ctx, to.forPostgres(), replace)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	if err := target.TakeStaged(ctx, staging); err != nil {
		return nil, err
	}
	if copied, err = compareTables(ctx, target, tableNames(), sent); err != nil {
		return nil, err
	}
	return copied, target.Commit()
}

// CheckTarget returns the error that FillPostgres would return, without changing the database.
// CheckTarget accepts an older schema.
func CheckTarget(ctx context.Context, to Options, replace bool) error {
	return postgres.CheckTarget(ctx, to.forPostgres(), replace)
}

func tableNames() []string {
	var names []string
	for _, t := range db.Tables {
		names = append(names, t.Name)
	}
	return names
}
