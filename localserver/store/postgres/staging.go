package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/parley-npc/parley/localserver/store/db"
)

const (
	restoreLock = migrationLock + 1
	stagedBatch = 2000
)

// Staging contains the rows of a running restore, in tables that remain after an interruption. It
// is not safe for concurrent use.
type Staging struct {
	*Rows
	version int64 // of the schema
}

// OpenStaging migrates a database and creates the staging tables, or opens existing staging tables.
// OpenStaging returns ErrInUse during another restore.
func OpenStaging(ctx context.Context, options Options) (*Staging, error) {
	version, err := migrateTarget(ctx, options)
	if err != nil {
		return nil, err
	}
	r, err := connectRows(ctx, options)
	if err != nil {
		return nil, err
	}
	s := &Staging{r, version}
	if err := s.prepare(ctx); err != nil {
		return nil, errors.Join(describeFailure(options.Address, err), s.Close())
	}
	return s, nil
}

// The end of the connection releases restoreLock. A crash of PostgreSQL empties the unlogged
// tables.
func (s *Staging) prepare(ctx context.Context) error {
	if err := db.New(s.conn).LockMigrations(ctx, restoreLock); err != nil {
		if codeOf(err) == codeLockTaken {
			return db.ErrInUse
		}
		return err
	}
	for _, table := range db.Tables {
		clause := " (LIKE " + table.Name + " INCLUDING IDENTITY)"
		if err := s.execute(ctx, "CREATE UNLOGGED TABLE IF NOT EXISTS "+s.tableOf(table.Name)+clause); err != nil {
			return err
		}
	}
	return nil
}

func (s *Staging) execute(ctx context.Context, statement string) error {
	_, err := s.conn.ExecContext(ctx, statement)
	return err
}

func (s *Staging) tableOf(table string) string { return fmt.Sprintf("restored%d_%s", s.version, table) }

// ReadTable returns the staged rows of a table, in the order of their keys.
func (s *Staging) ReadTable(ctx context.Context, table string) (*sql.Rows, error) {
	return s.conn.QueryContext(ctx, db.FindTable(table).Select(s.tableOf(table), insertedColumn))
}

// EmptyTable deletes the staged rows of a table.
func (s *Staging) EmptyTable(ctx context.Context, table string) error {
	return s.execute(ctx, "TRUNCATE "+s.tableOf(table))
}

// WriteTable stages the rows of a table, in batches of stagedBatch.
func (s *Staging) WriteTable(ctx context.Context, table string, columns []string, next func() ([]any, error)) error {
	for more := true; more; {
		count := 0
		err := s.Rows.WriteTable(ctx, s.tableOf(table), columns, func() ([]any, error) {
			if count == stagedBatch {
				return nil, nil
			}
			row, err := next()
			more, count = row != nil && err == nil, count+1
			return row, err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// TakeStaged moves all staged rows to their tables and drops the staging tables. The caller must
// call Commit.
func (r *Rows) TakeStaged(ctx context.Context, s *Staging) error {
	for _, table := range db.Tables {
		staged := s.tableOf(table.Name)
		for _, statement := range [...]string{
			"INSERT INTO " + table.Name + " (" + table.ColumnList() + ") " + table.Select(staged, insertedColumn),
			"DROP TABLE " + staged,
		} {
			if _, err := r.tx.ExecContext(ctx, statement); err != nil {
				return explain(err)
			}
		}
	}
	return nil
}
