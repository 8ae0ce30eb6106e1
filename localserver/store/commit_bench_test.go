//go:build cgo

package store

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/assert"
)

// BenchmarkRawCommit measures the disk and SQLite without the store: a transaction with the two
// rows of a turn, each waiting for the disk.
func BenchmarkRawCommit(b *testing.B) {
	for name, durability := range map[string]Durability{"full": Full, "normal": Normal} {
		b.Run(name, func(b *testing.B) {
			pool, err := openPool(writerDSN(filepath.Join(b.TempDir(), "raw.db"), durability), 1)
			assert.NoError(b, err)
			defer func() { assert.NoError(b, pool.Close()) }()
			_, err = pool.Exec("CREATE TABLE messages (session INTEGER, seq INTEGER, content TEXT, PRIMARY KEY (session, seq)) WITHOUT ROWID")
			assert.NoError(b, err)
			for i := 0; b.Loop(); i++ {
				assert.NoError(b, twoRows(pool, i))
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
		})
	}
}

func twoRows(pool *sql.DB, i int) error {
	tx, err := pool.Begin()
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	for row := range 2 {
		if _, err := tx.Exec("INSERT INTO messages VALUES (1, ?, ?)", 2*i+row, "tell me a story please"); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// BenchmarkSaveTurn measures the store's part of a turn, for a number of concurrent sessions.
func BenchmarkSaveTurn(b *testing.B) {
	for _, sessions := range []int{1, 16, 64} {
		b.Run(fmt.Sprint(sessions), func(b *testing.B) {
			s := withUsers(b, openAt(b, Options{Path: filepath.Join(b.TempDir(), "parley.db")}))
			p := publishPersona(b, s, "gate")
			at := make([]PlayerRef, sessions)
			for i := range at {
				at[i] = enterMachine(b, s, p, "gate", fmt.Sprint("v", i)).PlayerRef
			}
			b.ResetTimer()
			var group sync.WaitGroup
			for i := range at {
				group.Go(func() {
					for range (b.N + sessions - 1) / sessions {
						turnOf(b, s, at[i])
					}
				})
			}
			group.Wait()
			b.StopTimer()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "turns/s")
		})
	}
}

// turnOf loads a session and saves a turn of it.
func turnOf(b *testing.B, s *Store, ref PlayerRef) {
	l, err := s.LoadSession(b.Context(), ref, "gate", 20)
	if err != nil {
		b.Error(err)
		return
	}
	n := l.Session
	n.Turn++
	said := Message{ID: s.newID(), Role: "user", Content: "tell me a story please", At: time.Now()}
	reply := Message{ID: s.newID(), Role: "assistant", Content: "Go on.", At: time.Now(), Trace: `{"transition":1}`}
	if _, err := s.SaveTurn(b.Context(), Turn{PersonaID: l.Persona.ID, Session: n, Said: said, Reply: reply}); err != nil {
		b.Error(err)
	}
}
