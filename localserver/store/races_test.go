package store

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/assert"
)

// atOnce calls do from count goroutines at once; errors other than those allowed fail the test.
func atOnce(t *testing.T, count int, do func(i int) error, allowed ...error) (errs []error) {
	t.Helper()
	errs = make([]error, count)
	var group sync.WaitGroup
	start := make(chan struct{})
	for i := range count {
		group.Go(func() {
			<-start
			errs[i] = do(i)
		})
	}
	close(start)
	group.Wait()
	for _, err := range errs {
		assert.True(t, err == nil || slices.ContainsFunc(allowed, func(may error) bool { return errors.Is(err, may) }), "ended with %v", err)
	}
	return errs
}

func countDone(errs []error) (n int) {
	for _, err := range errs {
		if err == nil {
			n++
		}
	}
	return n
}

// openNodes opens one database twice, as two servers do.
func openNodes(t *testing.T, open opener) []*Store {
	s := withUsers(t, open(t, Options{Durability: Normal}))
	return []*Store{s, open(t, Options{Path: addressOf(s), Durability: Normal})}
}

// rounds is how often each race is run.
const rounds = 8

// TestSameSaveAtOnce: concurrent equal saves under one key create one persona.
func TestSameSaveAtOnce(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, open opener) {
		nodes := openNodes(t, open)
		for round := range rounds {
			ids := make([]string, 8)
			atOnce(t, len(ids), func(i int) error {
				p, created, err := nodes[i%2].SavePersona(t.Context(), PersonaSave{
					OwnerID: alice.ID, Doc: guardPersona("Ava", "gate"), Idempotency: &IdempotentCall{Scope: "save", Key: fmt.Sprint(round), BodyHash: "h"},
				})
				if ids[i] = p.ID; err == nil && !created {
					t.Error("it was not created")
				}
				return err
			})
			if slices.Sort(ids); ids[0] != ids[len(ids)-1] {
				t.Errorf("one call made %v", ids)
			}
		}
		assert.Equal(t, countRows(t, nodes[0], "personas"), rounds, "personas")
	})
}

// TestSameTurnAtOnce: of concurrent equal turns one is stored, and all get its answer.
func TestSameTurnAtOnce(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, open opener) {
		nodes := openNodes(t, open)
		o := enterMachine(t, nodes[0], publishPersona(t, nodes[0], "gate"), "gate", "v")
		for round := range rounds {
			l := mustLoad(t, nodes[0], o.PlayerRef, "gate")
			var made atomic.Int32
			errs := atOnce(t, 8, func(i int) error {
				turn := nextTurn(l, fmt.Sprint(round), false)
				turn.Idempotency = &IdempotentCall{Scope: "turn", Key: fmt.Sprint(round), BodyHash: "h", Answer: []byte("answer")}
				answer, err := nodes[i%2].SaveTurn(t.Context(), turn)
				if err == nil && answer == nil {
					made.Add(1)
				}
				return err
			})
			assert.Equal(t, made.Load(), 1)
			assert.Equal(t, countDone(errs), 8)
		}
	})
}

// TestSamePlayerAtOnce: concurrent openings make one player with one session per machine.
func TestSamePlayerAtOnce(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, open opener) {
		nodes := openNodes(t, open)
		p := publishPersona(t, nodes[0], "gate", "cellar")
		for round := range rounds {
			player := fmt.Sprint("v", round)
			errs := atOnce(t, 6, func(i int) error {
				_, err := nodes[i%2].SaveOpening(t.Context(), newOpening(p, []string{"gate", "cellar"}[i/3], player))
				return err
			})
			st := assert.Value(nodes[0].LoadProgressWithRoute(t.Context(), PlayerRef{PersonaID: p.ID, UserSessionID: player}))(t)
			assert.Equal(t, len(st.Sessions), 2)
			assert.Equal(t, len(st.Route), countDone(errs))
			assert.Equal(t, countDone(errs), 6)
		}
		assert.Equal(t, countRows(t, nodes[0], "players"), rounds, "players")
	})
}

// TestOneUserGetsThePlayer has two users take over the same players.
func TestOneUserGetsThePlayer(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, open opener) {
		nodes := openNodes(t, open)
		ps := []Persona{publishPersona(t, nodes[0], "gate"), publishPersona(t, nodes[0], "gate")}
		for round := range rounds {
			player := fmt.Sprint("v", round)
			for _, p := range ps {
				enterMachine(t, nodes[0], p, "gate", player)
			}
			errs := atOnce(t, 2, func(i int) error {
				sessions, found, err := nodes[i].MigratePlayers(t.Context(), []string{alice.ID, bob.ID}[i], player)
				if err == nil && (sessions != 2 || len(found) != 2) {
					t.Errorf("took over %d sessions of %v", sessions, found)
				}
				return err
			}, ErrNotFound)
			assert.Equal(t, countDone(errs), 1, "users got the player")
		}
	})
}

// TestOneSaveWins: of concurrent saves with the same If-Match, one succeeds.
func TestOneSaveWins(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, open opener) {
		nodes := openNodes(t, open)
		p := publishPersona(t, nodes[0], "gate")
		for range rounds {
			before := assert.Value(nodes[0].LoadPersona(t.Context(), p.ID, alice.ID, nil))(t)
			errs := atOnce(t, 8, func(i int) error {
				_, _, err := nodes[i%2].SavePersona(t.Context(), PersonaSave{
					PersonaID: p.ID, OwnerID: alice.ID, Doc: guardPersona("Ava", "gate"), IfUpdatedAt: &before.UpdatedAt,
				})
				return err
			}, ErrChanged)
			assert.Equal(t, countDone(errs), 1, "saves went through")
		}
	})
}

// TestDeleteWhileAllPlay: a persona deleted during play leaves nothing.
func TestDeleteWhileAllPlay(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, open opener) {
		nodes := openNodes(t, open)
		empty := countTables(t, nodes[0])
		for range rounds {
			p := publishPersona(t, nodes[0], "gate", "cellar")
			l := mustLoad(t, nodes[0], enterMachine(t, nodes[0], p, "gate", "v").PlayerRef, "gate")
			errs := atOnce(t, 9, func(i int) error {
				s := nodes[i%2]
				switch i % 3 {
				case 0:
					if i > 0 {
						_, err := s.ResetProgress(t.Context(), PlayerRef{PersonaID: p.ID, UserSessionID: "v"})
						return err
					}
					return s.DeletePersona(t.Context(), p.ID, alice.ID)
				case 1:
					turn := nextTurn(l, "x", true)
					turn.Idempotency = &IdempotentCall{Scope: p.ID, Key: fmt.Sprint(i), BodyHash: "h", Answer: []byte("a")}
					_, err := s.SaveTurn(t.Context(), turn)
					return err
				}
				_, err := s.SaveOpening(t.Context(), newOpening(p, "cellar", fmt.Sprint("v", i)))
				return err
			}, ErrNotFound, ErrChanged)
			checkRefuses(t, "the delete", errs[0], nil)
		}
		assert.Equal(t, fmt.Sprint(countTables(t, nodes[0])), fmt.Sprint(empty))
	})
}

// TestKeyIsRevokedOnce: a key is revoked once, and refused by every server afterwards.
func TestKeyIsRevokedOnce(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, open opener) {
		nodes := openNodes(t, open)
		for round := range rounds {
			k := Key{ID: fmt.Sprint(round), OwnerID: alice.ID, Hash: fmt.Sprint("hash", round), CreatedAt: RoundTime(time.Now())}
			created := atOnce(t, 4, func(i int) error { return nodes[i%2].CreateKey(t.Context(), k) }, ErrConflict)
			revoked := atOnce(t, 4, func(i int) error { return nodes[i%2].RevokeKey(t.Context(), k.ID, alice.ID) }, ErrNotFound)
			assert.Equal(t, countDone(created), 1)
			assert.Equal(t, countDone(revoked), 1)
			for _, s := range nodes {
				refused(s.KeyByHash(t.Context(), k.Hash))(t, "a revoked key", ErrNotFound)
			}
		}
	})
}

// TestResetWhilePlaying: a reset and concurrent turns leave a consistent session.
func TestResetWhilePlaying(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, open opener) {
		nodes := openNodes(t, open)
		o := enterMachine(t, nodes[0], publishPersona(t, nodes[0], "gate"), "gate", "v")
		for range rounds {
			l := mustLoad(t, nodes[0], o.PlayerRef, "gate")
			atOnce(t, 6, func(i int) error {
				if i == 0 {
					_, err := nodes[1].RestartSessions(t.Context(), []Restart{{SessionID: l.Session.ID}}, time.Now())
					return err
				}
				_, err := nodes[i%2].SaveTurn(t.Context(), nextTurn(l, "x", false))
				return err
			}, ErrChanged)
			n, messages := readHistory(t, nodes[0], o.PlayerRef, "gate")
			assert.True(t, int64(len(messages)) == n.MessageCount(), "%d messages, the session counts %d", len(messages), n.MessageCount())
		}
	})
}
