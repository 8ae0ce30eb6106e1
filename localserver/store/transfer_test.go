package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/parley-npc/parley/localserver/store/db"
	"github.com/parley-npc/parley/localserver/store/postgres"
	"github.com/parley-npc/parley/personas/assert"
)

// newTarget returns the options of an empty PostgreSQL database with its own connection names.
func newTarget(t testing.TB) Options {
	t.Helper()
	address := newAddress(t)
	_, schema, _ := strings.Cut(address, "search_path=")
	return Options{Path: address + "&application_name=" + schema}
}

// hardRows are rows that a copy may spoil: texts of all kinds, NULL, bytes, the largest numbers,
// and completions without a column for their order.
const hardRows = `
INSERT INTO users VALUES ('Zoë', '', 'name' || char(10) || 'with a line'), ('a', 'é', '𝄞'), ('B', 'x', char(9));
INSERT INTO personas (id, owner_id, public, version, name, description, created_at, updated_at) VALUES ('p', 'a', 1, 9223372036854775807, 'n', '', -1, 0);
INSERT INTO persona_versions VALUES ('p', 1, '{"a": 1.50, "a" :2}');
INSERT INTO machines VALUES ('m1', 'p', 'one'), ('m2', 'p', 'two'), ('m3', 'p', 'three');
INSERT INTO players (id, space, persona_id, user_session_id, owner_id) VALUES ('y', '', 'p', 'us', NULL), ('x', 's', 'p', 'us', 'a');
INSERT INTO players VALUES ('z', '', 'p', 'fork', NULL, 'y', 'y', 'm1', 9, 8, 'a "label"');
INSERT INTO completions VALUES ('y', 'm3', 'won', 1, 7), ('y', 'm1', 'lost', 1, 7), ('y', 'm2', 'won', 1, 7), ('x', 'm2', 'won', 1, 7);
INSERT INTO unlocks VALUES ('y', 'm2');
INSERT INTO route VALUES ('y', 1, 'm3', 5, 6);
INSERT INTO earlier_progress VALUES ('y', 3, '[]', '["m2"]', '{"k": ""}');
INSERT INTO variables VALUES ('y', 'k', '');
INSERT INTO sessions (id, player_id, machine_id, persona_id, version, entered, state, score, redirects, follow_up_pending, outcome, turn, revision, summary, summary_to,
    player_name, player_gender, started_at, last_message_at, asides, moment, begun) VALUES ('s', 'y', 'm1', 'p', 1, 1, 'st', -5, 0, 1, '', 1, 2, '', 0, 'n', '', 1, 2, 3, 4, 5);
INSERT INTO messages (session_id, seq, id, role, content, state, score, decision, follow_up, created_at, trace, aside, moment, redirects, follow_up_pending, asides, outcome, summary, summary_to) VALUES
    ('s', 10, 'i', 'npc', '\x41 \N	tab', 'st', 0, '', 0, 1, '{}', 1, 4, 3, 1, 2, 'won', 'so far', 7), ('s', 9, 'j', 'player', '''"', 'st', 0, '', 1, 1, '', 0, 0, 0, 0, 0, '', '', 0);
INSERT INTO api_keys VALUES ('k', 'a', 'n', 'pk', 'hash', 1, NULL, 3);
INSERT INTO answers VALUES (77, 'sc', 'k', 'h', x'00ff5c2e', 'p', 1, NULL, NULL), (5, 'sb', 'k', 'h', x'', 'p', 1, 'y', 's');`

// hardDatabase is a closed database with hard rows.
func hardDatabase(t testing.TB) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "parley.db")
	s := assert.Value(Open(t.Context(), Options{Path: path}))(t)
	_, err := inSQLite(s).writer.Exec(hardRows)
	assert.NoError(t, errors.Join(err, s.Close()))
	return path
}

// dumpFile returns every row of a file as text.
func dumpFile(t testing.TB, path string) string {
	t.Helper()
	pool := assert.Value(sql.Open("sqlite3", fileURI(path)))(t)
	defer func() { assert.NoError(t, pool.Close()) }()
	tx := assert.Value(pool.Begin())(t)
	defer func() { _ = tx.Rollback() }()
	return dumpRows(t, fileRows{tx})
}

func dumpPostgres(t testing.TB, o Options) string {
	t.Helper()
	source := assert.Value(postgres.OpenRows(t.Context(), o.forPostgres()))(t)
	defer func() { assert.NoError(t, source.Close()) }()
	return dumpRows(t, source)
}

func dumpRows(t testing.TB, source rowSource) string {
	t.Helper()
	var all strings.Builder
	for _, table := range db.Tables {
		dumpTable(t, &all, source, table.Name)
	}
	return all.String()
}

func dumpTable(t testing.TB, all *strings.Builder, source rowSource, table string) {
	t.Helper()
	rows, err := source.ReadTable(t.Context(), table)
	assert.NoError(t, err)
	defer func() { _ = rows.Close() }()
	columns := assert.Value(rows.Columns())(t)
	for {
		row := assert.Value(scanNext(rows, len(columns)))(t)
		if row == nil {
			break
		}
		fmt.Fprintf(all, "%s %#v\n", table, row)
	}
	assert.NoError(t, rows.Err())
}

// TestCopiesBetweenEngines: rows copied from SQLite to PostgreSQL and back are unchanged.
func TestCopiesBetweenEngines(t *testing.T) {
	from, to := hardDatabase(t), newTarget(t)
	want := dumpFile(t, from)
	sent := assert.Value(FillPostgres(t.Context(), from, to, false, nil))(t)
	assert.Equal(t, dumpPostgres(t, to), want, "PostgreSQL")
	back := filepath.Join(t.TempDir(), "back")
	returned := assert.Value(CopyPostgres(t.Context(), to, back, nil))(t)
	assert.Equal(t, dumpFile(t, back), want, "the file")
	assert.NoError(t, CheckDatabase(t.Context(), back))
	assert.True(t, slices.Equal(sent, returned) && strings.HasPrefix(DescribeCopied(sent), "25 rows: users 3, personas 1, persona versions 1, "),
		"%v and %v: %s", sent, returned, DescribeCopied(sent))
	if info, err := os.Stat(back); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	assert.Value(ImportDatabase(t.Context(), back, filepath.Join(t.TempDir(), "again"), nil))(t)
}

// TestEveryColumnIsCopied: copies include every column except generated and temporary ones.
func TestEveryColumnIsCopied(t *testing.T) {
	s := openAt(t, Options{Path: filepath.Join(t.TempDir(), "parley.db")})
	tx := assert.Value(inSQLite(s).readers.Begin())(t)
	copied := listCopied(t, fileRows{tx})
	assert.NoError(t, tx.Rollback())
	compareColumnLists(t, inSQLite(s).readers, copied, "SELECT m.name || '.' || c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT IN ('"+versionTable+"', 'sqlite_sequence')")

	o := newTarget(t)
	kept := openAt(t, o)
	addresses.Store(kept, o.Path)
	source := assert.Value(postgres.OpenRows(t.Context(), o.forPostgres()))(t)
	copied = listCopied(t, source)
	assert.NoError(t, source.Close())
	compareColumnLists(t, rawPool(t, kept), copied, "SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = current_schema() AND table_name NOT IN ('parley_migrations', 'callers', 'calls_under_way', 'provider_records')")
}

func listCopied(t *testing.T, source rowSource) (copied []string) {
	t.Helper()
	for _, table := range db.Tables {
		copied = append(copied, columnsOf(t, source, table.Name)...)
	}
	return copied
}

func columnsOf(t *testing.T, source rowSource, table string) []string {
	t.Helper()
	rows, err := source.ReadTable(t.Context(), table)
	assert.NoError(t, err)
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	assert.NoError(t, errors.Join(err, rows.Err()))
	for i, column := range columns {
		columns[i] = table + "." + column
	}
	return columns
}

func compareColumnLists(t *testing.T, pool *sql.DB, copied []string, query string) {
	t.Helper()
	there := assert.Value(listNames(t.Context(), pool, query))(t)
	for _, column := range there {
		assert.True(t, column == "answers.id" || column == "completions.seq" || slices.Contains(copied, column),
			"the column %s is not copied: add it to db.Tables", column)
	}
	for _, column := range copied {
		assert.True(t, slices.Contains(there, column), "there is no column %s", column)
	}
}

// TestCopyPostgresWhileWriting: a copy taken during writes holds one moment.
func TestCopyPostgresWhileWriting(t *testing.T) {
	o := newTarget(t)
	s := openAt(t, o)
	stop := make(chan struct{})
	var writers sync.WaitGroup
	writers.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			u := alice
			u.ID, u.Email = fmt.Sprintf("user-%06d", i), fmt.Sprintf("u%d@example.com", i)
			if err := s.UpsertUser(t.Context(), u); err != nil {
				t.Error(err)
				return
			}
		}
	})
	last := 0
	for i := range 10 {
		to := filepath.Join(t.TempDir(), fmt.Sprint("copy", i))
		assert.Value(CopyPostgres(t.Context(), o, to, nil))(t)
		n := usersOf(t, to)
		assert.True(t, n >= last, "copy %d has %d users, the one before had %d", i, n, last)
		last = n
	}
	close(stop)
	writers.Wait()
}

func TestFillRefuses(t *testing.T) {
	from, o := hardDatabase(t), newTarget(t)
	_, err := CopyPostgres(t.Context(), o, filepath.Join(t.TempDir(), "none"), nil)
	checkRefuses(t, "a copy of nothing", err, ErrEmpty)
	assert.NoError(t, CheckTarget(t.Context(), o, false))
	assert.Value(FillPostgres(t.Context(), from, o, false, nil))(t)
	want := dumpPostgres(t, o)

	_, err = FillPostgres(t.Context(), from, o, false, nil)
	checkRefuses(t, "a database with rows", err, ErrKept)
	checkRefuses(t, "a look at a database with rows", CheckTarget(t.Context(), o, false), ErrKept)
	assert.NoError(t, CheckTarget(t.Context(), o, true))
	s := assert.Value(Open(t.Context(), o))(t)
	_, err = FillPostgres(t.Context(), from, o, true, nil)
	checkRefuses(t, "a database in use", err, ErrInUse)
	checkRefuses(t, "a look at a database in use", CheckTarget(t.Context(), o, true), ErrInUse)
	assert.NoError(t, s.Close())

	other := closedDatabase(t)
	execRaw(t, other, "INSERT INTO users VALUES ('u', 'a' || char(0) || 'b', 'n')")
	_, err = FillPostgres(t.Context(), other, o, true, nil)
	assert.ErrorContains(t, err, "table users: column email has a text that is not UTF-8 or contains a NUL", "a text with NUL")
	assert.Equal(t, dumpPostgres(t, o), want, "the database")
}

// manyRows is a closed database with so many messages.
func manyRows(t testing.TB, messages, size int) (path string) {
	t.Helper()
	path = hardDatabase(t)
	s := assert.Value(Open(t.Context(), Options{Path: path}))(t)
	_, err := inSQLite(s).writer.Exec(`WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
INSERT INTO messages (session_id, seq, id, role, content, state, score, decision, follow_up, created_at, trace, aside)
SELECT 's', i, 'i' || i, 'npc', hex(zeroblob(?)), 'st', 0, '', 0, i, '', 0 FROM n`, messages+99, size/2)
	assert.NoError(t, errors.Join(err, s.Close()))
	return path
}

// TestInterruptedFill: a canceled copy leaves the old rows, and succeeds when it is repeated.
func TestInterruptedFill(t *testing.T) {
	o := newTarget(t)
	assert.Value(FillPostgres(t.Context(), hardDatabase(t), o, false, nil))(t)
	want, many := dumpPostgres(t, o), manyRows(t, 5000, 100)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := FillPostgres(ctx, many, o, true, func(_ string, done, total int64) {
		assert.Equal(t, total, 5025, done)
		if done > total/2 {
			cancel()
		}
	})
	assert.ErrorIs(t, err, context.Canceled, "it was given up")
	assert.Equal(t, dumpPostgres(t, o), want)
	assert.Value(FillPostgres(t.Context(), many, o, true, nil))(t)
	assert.Equal(t, dumpPostgres(t, o), dumpFile(t, many), "done again, it has other rows")
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	to := filepath.Join(t.TempDir(), "copy")
	_, err = CopyPostgres(ctx, o, to, func(string, int64, int64) { cancel() })
	_, missing := os.Stat(to)
	assert.True(t, err != nil && errors.Is(missing, os.ErrNotExist), "a copy that was given up: %v, and the file: %v", err, missing)
}

// countingArea counts the rows that are sent, and gives up after some.
type countingArea struct {
	*postgres.Staging
	sent, limit int
}

var errGivenUp = errors.New("given up")

func (c *countingArea) WriteTable(ctx context.Context, table string, columns []string, next func() ([]any, error)) error {
	return c.Staging.WriteTable(ctx, table, columns, func() ([]any, error) {
		row, err := next()
		if row != nil {
			if c.sent++; c.sent > c.limit {
				return nil, errGivenUp
			}
		}
		return row, err
	})
}

// stageSome sends rows of a file until a limit, and gives how many were sent.
func stageSome(t *testing.T, o Options, file string, limit int) (sent int, failure error) {
	t.Helper()
	staging := assert.Value(postgres.OpenStaging(t.Context(), o.forPostgres()))(t)
	defer func() { assert.NoError(t, staging.Close()) }()
	pool := assert.Value(sql.Open("sqlite3", fileURI(file)))(t)
	defer func() { assert.NoError(t, pool.Close()) }()
	area := &countingArea{Staging: staging, limit: limit}
	failure = inTransaction(t.Context(), pool, func(tx *sql.Tx) error {
		_, err := sendTables(t.Context(), fileRows{tx}, area, tableNames(), nil)
		return err
	})
	return area.sent, failure
}

// TestRestoreGoesOn: rows that have arrived before an interruption are not sent again, unless they
// are of another snapshot. After the restore, no staged rows remain. A second restore at the same
// time is refused.
func TestRestoreGoesOn(t *testing.T) {
	o := newTarget(t)
	assert.Value(FillPostgres(t.Context(), hardDatabase(t), o, false, nil))(t)
	want, many, other := dumpPostgres(t, o), manyRows(t, 9000, 10), manyRows(t, 5000, 100)
	checkSent := func(what, file string, limit, least, most int, want error) {
		t.Helper()
		sent, err := stageSome(t, o, file, limit)
		assert.True(t, sent >= least && sent <= most && errors.Is(err, want),
			"%s: %d rows were sent, not %d to %d: %v", what, sent, least, most, err)
	}
	checkSent("at first", many, 6000, 6001, 6001, errGivenUp)
	checkSent("then", many, 2000, 2001, 2001, errGivenUp) // Some of the first were in no whole batch.
	checkSent("at last", many, 9023, 3000, 5023, nil)
	checkSent("once more", many, 9023, 0, 0, nil)
	assert.Equal(t, dumpPostgres(t, o), want, "servers see")
	checkSent("another snapshot", other, 9023, 5000, 5002, nil)
	waiting := o
	waiting.Path += "&lock_timeout=200ms"
	staging := assert.Value(postgres.OpenStaging(t.Context(), o.forPostgres()))(t)
	_, err := postgres.OpenStaging(t.Context(), waiting.forPostgres())
	checkRefuses(t, "a second restore", err, ErrInUse)
	assert.NoError(t, staging.Close())
	assert.Value(FillPostgres(t.Context(), other, o, true, nil))(t)
	assert.Equal(t, dumpPostgres(t, o), dumpFile(t, other), "at the end it has other rows")
	raw := assert.Value(sql.Open("pgx", o.Path))(t)
	defer func() { assert.NoError(t, raw.Close()) }()
	left := assert.Value(listNames(t.Context(), raw, "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema() AND table_name LIKE 'restored%'"))(t)
	assert.Empty(t, left, "left behind")
}

// spoiltTarget stores other rows than it gets.
type spoiltTarget struct {
	rowTarget
	spoil func(table string, row []any) []any
}

func (s spoiltTarget) WriteTable(ctx context.Context, table string, columns []string, next func() ([]any, error)) error {
	return s.rowTarget.WriteTable(ctx, table, columns, func() ([]any, error) {
		for {
			row, err := next()
			if row == nil || err != nil {
				return nil, err
			}
			if row = s.spoil(table, slices.Clone(row)); row != nil {
				return row, nil
			}
		}
	})
}

// TestArrivedRowsAreCompared: a lost row and a changed row give different errors.
func TestArrivedRowsAreCompared(t *testing.T) {
	copyAll := func(from rowSource, to rowTarget) error {
		_, err := copyTables(t.Context(), from, to, tableNames(), nil)
		return err
	}
	importUsers := func(from rowSource, to rowTarget) error {
		_, err := copyTables(t.Context(), from, to, []string{"users"}, nil)
		return err
	}
	lose := func([]any) []any { return nil }
	change := func(column int) func([]any) []any {
		return func(row []any) []any { row[column] = fmt.Sprint(row[column], " "); return row }
	}
	for _, c := range []struct {
		copy  func(rowSource, rowTarget) error
		table string
		spoil func([]any) []any
		want  string
	}{
		{copyAll, "variables", lose, "table variables: 1 rows were sent, but 0 arrived"},
		{copyAll, "messages", change(4), "table messages: the 2 rows that arrived differ from those that were sent"},
		{importUsers, "users", change(1), "the 3 rows that arrived differ from those that were sent"},
	} {
		from, to := openAt(t, Options{Path: hardDatabase(t)}), openAt(t, Options{Path: filepath.Join(t.TempDir(), "to")})
		source := assert.Value(inSQLite(from).readers.Begin())(t)
		target := assert.Value(inSQLite(to).writer.Begin())(t)
		err := c.copy(fileRows{source}, spoiltTarget{fileRows{target}, func(table string, row []any) []any {
			if table == c.table {
				return c.spoil(row)
			}
			return row
		}})
		assert.ErrorContains(t, err, c.want)
		assert.NoError(t, errors.Join(source.Rollback(), target.Rollback()))
	}
}

// maxCopyHeap bounds the memory of a copy of any size, in bytes.
const maxCopyHeap = 48 << 20

// TestCopiesAreStreamed: copying 96 MiB needs less than half of that memory.
func TestCopiesAreStreamed(t *testing.T) {
	o, from := newTarget(t), manyRows(t, 12_000, 8192)
	var most uint64
	measure := func(_ string, done, _ int64) {
		if done%2000 == 0 {
			var m runtime.MemStats
			runtime.GC() // What is collected late is not kept.
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapInuse)
		}
	}
	assert.Value(FillPostgres(t.Context(), from, o, false, measure))(t)
	assert.Value(CopyPostgres(t.Context(), o, filepath.Join(t.TempDir(), "back"), measure))(t)
	assert.True(t, most != 0 && most <= maxCopyHeap, "%d MiB in use", most>>20)
}
