package postgres

import (
	"context"
	"database/sql"
	"errors"

	"github.com/parley-npc/parley/localserver/store/db"
)

// restoreLock is the number of the advisory lock that a restore holds. As text, the number is
// "PRLZ".
const restoreLock = migrationLock + 1

// stagedBatch is the number of rows that are committed together. After an interruption, at most
// this many rows must be sent again.
const stagedBatch = 2000

// Staging contains the rows of a running restore. The rows are in separate tables, which remain
// after an interruption. It is not safe for concurrent use.
type Staging struct {
	rows *Rows
}

// OpenStaging creates the staging tables, or opens those of an interrupted restore. It returns the
// errors of ReplaceRows. It returns ErrRestoring if another restore is running.
func OpenStaging(ctx context.Context, o Options, replace bool) (*Staging, error) {
	if err := migrateTarget(ctx, o); err != nil {
		return nil, err
	}
	if err := checkPlace(ctx, o, replace); err != nil {
		return nil, err
	}
	r, err := connectRows(ctx, o, stagingPrefix)
	if err != nil {
		return nil, err
	}
	s := &Staging{r}
	if err := s.prepare(ctx); err != nil {
		return nil, errors.Join(describeFailure(o.Address, err), s.Close())
	}
	return s, nil
}

// CheckTarget returns the error that OpenStaging would return, without changing anything. It
// accepts a database without a schema or with an older schema.
func CheckTarget(ctx context.Context, o Options, replace bool) error {
	switch _, err := Check(ctx, o); {
	case errors.Is(err, db.ErrEmpty), errors.Is(err, db.ErrOlder):
		return nil
	case err != nil:
		return err
	}
	return checkPlace(ctx, o, replace)
}

func checkPlace(ctx context.Context, o Options, replace bool) error {
	r, err := beginRows(ctx, o, nil)
	if err != nil {
		return err
	}
	if err := errors.Join(r.checkRoom(ctx, replace), r.Close()); err != nil {
		return describeFailure(o.Address, err)
	}
	return nil
}

// prepare takes restoreLock and creates the missing tables. The lock is released when the
// connection is closed. The tables are unlogged, so they are empty after a crash of PostgreSQL.
func (s *Staging) prepare(ctx context.Context) error {
	if err := db.New(s.rows.conn).LockMigrations(ctx, restoreLock); err != nil {
		if codeOf(err) == codeLockTaken {
			return db.ErrRestoring
		}
		return err
	}
	for _, table := range db.Tables {
		if err := s.prepareTable(ctx, table.Name); err != nil {
			return err
		}
	}
	return nil
}

func (s *Staging) prepareTable(ctx context.Context, table string) error {
	columns := db.CountDifferingColumnsParams{Ours: table, Theirs: stagedTable(table)}
	differing, err := db.New(s.rows.conn).CountDifferingColumns(ctx, columns)
	if err != nil {
		return err
	}
	if differing > 0 {
		if err := s.execute(ctx, "DROP TABLE IF EXISTS "+stagedTable(table)); err != nil {
			return err
		}
	}
	return s.execute(ctx, "CREATE UNLOGGED TABLE IF NOT EXISTS "+stagedTable(table)+" (LIKE "+table+" INCLUDING IDENTITY)")
}

func (s *Staging) execute(ctx context.Context, statement string) error {
	_, err := s.rows.conn.ExecContext(ctx, statement)
	return err
}

func stagedTable(table string) string { return "restored_" + table }

// ReadTable returns the staged rows of a table, in the order of their keys.
func (s *Staging) ReadTable(ctx context.Context, table string) (*sql.Rows, error) {
	return s.rows.conn.QueryContext(ctx, db.FindTable(table).Select(stagedTable(table), insertedColumn))
}

// EmptyTable deletes the staged rows of a table.
func (s *Staging) EmptyTable(ctx context.Context, table string) error {
	return s.execute(ctx, "TRUNCATE "+stagedTable(table))
}

// WriteTable stages the rows of a table. It is like Rows.WriteTable, but commits the rows in
// batches of stagedBatch.
func (s *Staging) WriteTable(ctx context.Context, table string, columns []string, next func() ([]any, error)) error {
	for more := true; more; {
		taken := 0
		err := s.rows.WriteTable(ctx, stagedTable(table), columns, func() ([]any, error) {
			if taken == stagedBatch {
				return nil, nil
			}
			row, err := next()
			more, taken = row != nil && err == nil, taken+1
			return row, err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Close closes the connection. The staged rows remain for the next restore.
func (s *Staging) Close() error { return s.rows.Close() }

// TakeStaged moves the staged rows of all tables to their final tables and drops the staging
// tables. The caller must call Commit.
func (r *Rows) TakeStaged(ctx context.Context) error {
	for _, table := range db.Tables {
		staged := stagedTable(table.Name)
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
