package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
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

// A tableWriter writes rows to a table. next returns the next row, or nil after the last row.
type tableWriter interface {
	WriteTable(ctx context.Context, table string, columns []string, next func() ([]any, error)) error
}

type rowTarget interface {
	tableReader
	tableWriter
}

const progressStep = 500

// copyTables copies tables, and checks that the copied rows are equal to the original rows.
func copyTables(ctx context.Context, from rowSource, to rowTarget, tables []string, progress Progress) ([]Copied, error) {
	counts, err := from.CountRows(ctx)
	if err != nil {
		return nil, err
	}
	done, total := int64(0), int64(0)
	for _, count := range counts {
		total += count
	}
	copied := make([]Copied, len(tables))
	for i, table := range tables {
		sent := newDigest()
		err := sendRows(ctx, from, to, table, func(row []any) {
			sent.addRow(row)
			if done++; progress != nil && (done%progressStep == 0 || done == total) {
				progress(table, done, total)
			}
		})
		if err == nil {
			err = compareTable(ctx, to, table, sent)
		}
		if err != nil {
			return nil, fmt.Errorf("table %s: %w", table, err)
		}
		copied[i] = Copied{table, sent.rows}
	}
	return copied, nil
}

func compareTable(ctx context.Context, to tableReader, table string, sent *digest) error {
	rows, err := to.ReadTable(ctx, table)
	if err != nil {
		return err
	}
	arrived := newDigest()
	if err := arrived.addRows(rows); err != nil {
		return err
	}
	return sent.compare(arrived)
}

// sendRows copies the rows of a table. It calls note for each row.
func sendRows(ctx context.Context, from tableReader, to tableWriter, table string, note func(row []any)) error {
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

// DescribeCopied returns a text with the total number of rows and the number of rows of each table.
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

// CopyPostgres is like CopyDatabase, but for the PostgreSQL database at from.Path. It also compares
// the copied rows. Its memory does not depend on the number of rows.
func CopyPostgres(ctx context.Context, from Options, to string, progress Progress) (copied []Copied, err error) {
	source, err := postgres.OpenRows(ctx, from.forPostgres())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	return makeCopy(ctx, postgres.DescribeAddress(from.Path), to, progress, func() error { return fillFile(ctx, source, to, progress) })
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

// FillPostgres replaces the rows of the PostgreSQL database at to.Path by the rows of a file, in one
// transaction. ImportDatabase must have created the file. FillPostgres returns ErrInUse if servers
// use the database, and ErrKept if the database has rows and replace is false.
func FillPostgres(ctx context.Context, from string, to Options, replace bool, progress Progress) (copied []Copied, err error) {
	pool, err := openPool(fileURI(absolutePath(from))+commonOptions, 1)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	if err := ownSteps().migrateSchemaTo(ctx, pool, ownSteps().newest()); err != nil {
		return nil, fmt.Errorf("migrate the rows: %w", err)
	}
	err = inTransaction(ctx, pool, func(tx *sql.Tx) (err error) {
		target, err := postgres.ReplaceRows(ctx, to.forPostgres(), replace)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, target.Close()) }()
		if copied, err = copyTables(ctx, fileRows{tx}, target, tableNames(), progress); err != nil {
			return err
		}
		return target.Commit()
	})
	return copied, err
}

// CheckTarget returns the error that FillPostgres would return, without changing the database. It
// accepts a database with an older schema.
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
