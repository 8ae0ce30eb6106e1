package store

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/parley-npc/parley/localserver/store/db"
	"github.com/parley-npc/parley/personas/assert"
)

func addUser(id string, then error) txWork {
	return func(ctx context.Context, q *db.Queries) error {
		if err := q.UpsertUser(ctx, db.UpsertUserParams{ID: id}); err != nil {
			return err
		}
		return then
	}
}

// holdWrites keeps the turn until the returned function is called.
func holdWrites(s *Store) (release func()) {
	inSQLite(s).queue.slot <- struct{}{}
	return func() { <-inSQLite(s).queue.slot }
}

func (s *Store) countWaiting() int {
	inSQLite(s).queue.mu.Lock()
	defer inSQLite(s).queue.mu.Unlock()
	return len(inSQLite(s).queue.waiting)
}

// TestSharedCommit: refused and canceled writes of a shared commit store nothing.
func TestSharedCommit(t *testing.T) {
	s := openStore(t)
	release := holdWrites(s)
	refusal := errors.New("refused")
	gone, leave := context.WithCancel(t.Context())
	defer leave()
	errs := make([]error, 9)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			do := addUser(fmt.Sprint(i), nil)
			ctx := t.Context()
			switch i % 3 {
			case 1:
				do = addUser(fmt.Sprint(i), refusal)
			case 2:
				ctx = gone
				do = func(ctx context.Context, q *db.Queries) error {
					leave()
					return addUser(fmt.Sprint(i), nil)(ctx, q)
				}
			}
			errs[i] = s.database.Write(ctx, do)
		})
	}
	for s.countWaiting() < len(errs) {
		runtime.Gosched()
	}
	release()
	wg.Wait()
	for i, want := range []error{nil, refusal, context.Canceled} {
		for ; i < len(errs); i += 3 {
			checkRefuses(t, fmt.Sprint("write ", i), errs[i], want)
		}
	}
	assert.Equal(t, countRows(t, s, "users"), 3, "users want the of the writes that were acknowledged")
}

func TestWithdrawnWriteIsNotDone(t *testing.T) {
	s := openStore(t)
	release := holdWrites(s)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	checkRefuses(t, "given up while it waits", s.database.Write(ctx, addUser("gone", nil)), context.Canceled)
	assert.Equal(t, s.countWaiting(), 0, "writes still wait")
	release()
	assert.NoError(t, s.database.Write(t.Context(), addUser("next", nil)))
	assert.Equal(t, countRows(t, s, "users"), 1, "users")
}

// TestBrokenWrite panics inside a write: the next one must not wait for ever.
func TestBrokenWrite(t *testing.T) {
	s := openStore(t)
	func() {
		defer func() { assert.True(t, recover() != nil, "the panic was swallowed") }()
		_ = s.database.Write(t.Context(), func(context.Context, *db.Queries) error { panic("x") })
	}()
	assert.NoError(t, s.database.Write(t.Context(), addUser("next", nil)))
}

// TestFullDisk: a write on a full disk stores nothing of its batch.
func TestFullDisk(t *testing.T) {
	s := openStore(t)
	var pages int
	assert.NoError(t, inSQLite(s).writer.QueryRow("PRAGMA page_count").Scan(&pages))
	var limit int
	assert.NoError(t, inSQLite(s).writer.QueryRow(fmt.Sprint("PRAGMA max_page_count = ", pages+1)).Scan(&limit))
	release := holdWrites(s)
	big := strings.Repeat("x", 1<<20)
	errs := make([]error, 3)
	var wg sync.WaitGroup
	for i, id := range []string{"before", big, "behind"} {
		wg.Go(func() { errs[i] = s.database.Write(t.Context(), addUser(id, nil)) })
		for s.countWaiting() < i+1 {
			runtime.Gosched()
		}
	}
	release()
	wg.Wait()
	kept := 0
	for _, err := range errs {
		if err == nil {
			kept++
		}
	}
	n := countRows(t, s, "users")
	assert.True(t, errs[1] != nil && n == kept, "%d users of %d acknowledged writes: %v", n, kept, errs)
}

func TestClosed(t *testing.T) {
	s := assert.Value(Open(t.Context(), Options{Path: Memory}))(t)
	assert.NoError(t, s.Close())
	err := s.database.Write(t.Context(), addUser("x", nil))
	assert.True(t, err != nil, "a write to a closed database was acknowledged")
	assert.True(t, s.Ping(t.Context()) != nil, "a closed database answers")
}
