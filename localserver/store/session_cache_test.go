package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/store/db"
	"github.com/parley-npc/parley/personas/assert"
)

// warm plays a turn and makes sure that the session is remembered afterwards.
func warm(t *testing.T, s *Store, ref PlayerRef, machine string) LoadedSession {
	t.Helper()
	sayLine(t, s, ref, machine, "hello", false)
	l, ok, err := loadCached(t.Context(), s.sessions, s.database, sessionName{ref, machine}, cachedMessages)
	assert.NoError(t, err)
	assert.Must(t, ok, "the session is not remembered")
	return l
}

// loadCold loads a session as a server does that has just started.
func loadCold(t *testing.T, s *Store, ref PlayerRef, machine string) (LoadedSession, error) {
	t.Helper()
	fresh := &Store{database: s.database, sessions: newSessionCache(), documents: s.documents, now: s.now, newID: s.newID}
	return fresh.LoadSession(t.Context(), ref, machine, cachedMessages)
}

// checkSame compares a server's cached session with the database.
func checkSame(t *testing.T, s *Store, ref PlayerRef, machine string) {
	t.Helper()
	want, wantErr := loadCold(t, s, ref, machine)
	got, err := s.LoadSession(t.Context(), ref, machine, cachedMessages)
	assert.DeepEqual(t, got, want, "remembered %v %v", err, wantErr)
	assert.Equal(t, fmt.Sprint(err), fmt.Sprint(wantErr), "remembered %v %v", err, wantErr)
}

// openWriters opens two writers of one database: two servers, or the same server twice if the
// database belongs to one server.
func openWriters(t *testing.T, open opener) []*Store {
	t.Helper()
	if nodes := openNodes(t, open); nodes[0].database.IsShared() {
		return nodes
	}
	s := withUsers(t, open(t, Options{Durability: Normal}))
	return []*Store{s, s}
}

// TestHotSessionWhateverHappens lets another server change a session between two turns in every
// possible way: the cached state never shows.
func TestHotSessionWhateverHappens(t *testing.T) { onEachDatabase(t, checkHotSessionWhateverHappens) }

func checkHotSessionWhateverHappens(t *testing.T, open opener) {
	nodes := openWriters(t, open)
	for name, c := range map[string]struct {
		do   func(t *testing.T, other *Store, p Persona, l LoadedSession, w PlayerRef) error
		want error
	}{
		"nothing": {do: func(*testing.T, *Store, Persona, LoadedSession, PlayerRef) error { return nil }},
		"a turn": {do: func(t *testing.T, other *Store, _ Persona, _ LoadedSession, ref PlayerRef) error {
			sayLine(t, other, ref, "gate", "from elsewhere", false)
			return nil
		}},
		"a turn of another machine that leaves variables": {do: func(t *testing.T, other *Store, p Persona, _ LoadedSession, ref PlayerRef) error {
			_, err := other.SaveTurn(t.Context(), nextTurn(mustLoad(t, other, ref, "cellar"), "x", true))
			return err
		}},
		"another machine is opened": {do: func(t *testing.T, other *Store, p Persona, _ LoadedSession, ref PlayerRef) error {
			enterMachine(t, other, p, "cellar", ref.UserSessionID)
			return nil
		}},
		"the machine is opened again": {do: func(t *testing.T, other *Store, p Persona, _ LoadedSession, ref PlayerRef) error {
			enterMachine(t, other, p, "gate", ref.UserSessionID)
			return nil
		}},
		"a reset": {do: func(t *testing.T, other *Store, _ Persona, l LoadedSession, _ PlayerRef) error {
			_, err := other.RestartSessions(t.Context(), []Restart{{SessionID: l.Session.ID}}, time.Now())
			return err
		}},
		"a user takes the player over": {want: ErrNoSession, do: func(t *testing.T, other *Store, _ Persona, _ LoadedSession, ref PlayerRef) error {
			_, _, err := other.MigratePlayers(t.Context(), alice.ID, ref.UserSessionID)
			return err
		}},
		"progress is removed": {want: ErrNoSession, do: func(t *testing.T, other *Store, _ Persona, _ LoadedSession, ref PlayerRef) error {
			_, err := other.ResetProgress(t.Context(), ref)
			return err
		}},
		"the persona is deleted": {want: ErrNotFound, do: func(t *testing.T, other *Store, p Persona, _ LoadedSession, _ PlayerRef) error {
			return other.DeletePersona(t.Context(), p.ID, alice.ID)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			p := publishPersona(t, nodes[0], "gate", "cellar")
			w := enterMachine(t, nodes[0], p, "cellar", t.Name()).PlayerRef
			enterMachine(t, nodes[0], p, "gate", t.Name())
			for _, machine := range []string{"gate", ""} {
				l := warm(t, nodes[0], w, machine)
				assert.NoError(t, c.do(t, nodes[1], p, l, w))
				checkSame(t, nodes[0], w, machine)
				_, err := nodes[0].LoadSession(t.Context(), w, machine, cachedMessages)
				checkRefuses(t, "a load afterwards", err, c.want)
				if c.want != nil {
					return
				}
			}
		})
	}
}

// TestHotSessionBesideAnother: a turn is loaded, another machine's turn stores variables, and then
// the first turn is stored: the older variables must not count as current.
func TestHotSessionBesideAnother(t *testing.T) { onEachDatabase(t, checkHotSessionBesideAnother) }

func checkHotSessionBesideAnother(t *testing.T, open opener) {
	nodes := openWriters(t, open)
	p := publishPersona(t, nodes[0], "gate", "cellar")
	w := enterMachine(t, nodes[0], p, "cellar", "v").PlayerRef
	enterMachine(t, nodes[0], p, "gate", "v")
	l := warm(t, nodes[0], w, "gate")
	_, err := nodes[1].SaveTurn(t.Context(), nextTurn(mustLoad(t, nodes[1], w, "cellar"), "x", true))
	assert.NoError(t, err)
	assert.Value(nodes[0].SaveTurn(t.Context(), nextTurn(l, "loaded before", false)))(t)
	checkSame(t, nodes[0], w, "gate")
}

// TestHotSessionAfterCrash stores a turn without updating the cache, as when the process ends or
// the connection is cut right after the commit.
func TestHotSessionAfterCrash(t *testing.T) { onEachDatabase(t, checkHotSessionAfterCrash) }

func checkHotSessionAfterCrash(t *testing.T, open opener) {
	nodes := openWriters(t, open)
	w := enterMachine(t, nodes[0], publishPersona(t, nodes[0], "gate"), "gate", "v").PlayerRef
	turn := nextTurn(warm(t, nodes[0], w, "gate"), "kept, but nobody knows", false)
	assert.NoError(t, nodes[0].database.Write(t.Context(), func(ctx context.Context, q *db.Queries) error { return saveTurn(ctx, q, &turn) }))
	checkSame(t, nodes[0], w, "gate")
	checkSame(t, open(t, Options{Path: addressOf(nodes[0])}), w, "gate")
}

// TestHotSessionAfterRefusal: after a refused turn the session is dropped from the cache, and the
// refused state is not cached.
func TestHotSessionAfterRefusal(t *testing.T) { onEachDatabase(t, checkHotSessionAfterRefusal) }

func checkHotSessionAfterRefusal(t *testing.T, open opener) {
	s := withUsers(t, open(t, Options{}))
	w := enterMachine(t, s, publishPersona(t, s, "gate"), "gate", "v").PlayerRef
	l := warm(t, s, w, "gate")
	late := nextTurn(l, "late", false)
	late.Session.Revision--
	_, err := s.SaveTurn(t.Context(), late)
	checkRefuses(t, "a turn on an older revision", err, ErrChanged)
	assert.True(t, s.sessions.findSession(sessionName{w, "gate"}) == nil, "it is remembered after a refusal")
	checkSame(t, s, w, "gate")
	gone, leave := context.WithCancel(t.Context())
	leave()
	_, err = s.SaveTurn(gone, nextTurn(l, "given up", false))
	assert.ErrorIs(t, err, context.Canceled, "given up")
	checkSame(t, s, w, "gate")
}

// TestHotSessionsAtOnce has two servers play, reset, open and take over the same players at once:
// afterwards each cache equals the database.
func TestHotSessionsAtOnce(t *testing.T) { onEachDatabase(t, checkHotSessionsAtOnce) }

func checkHotSessionsAtOnce(t *testing.T, open opener) {
	nodes := openWriters(t, open)
	p := publishPersona(t, nodes[0], "gate", "cellar")
	refs := make([]PlayerRef, 4)
	for i := range refs {
		refs[i] = enterMachine(t, nodes[0], p, "gate", fmt.Sprint("v", i)).PlayerRef
	}
	for range rounds {
		atOnce(t, 12, func(i int) error {
			s, w := nodes[i%2], refs[rand.IntN(len(refs))]
			for range 4 {
				l, err := s.LoadSession(t.Context(), w, []string{"", "gate"}[i/2%2], cachedMessages)
				if err != nil {
					return err
				}
				switch rand.IntN(6) {
				case 0:
					_, err = s.RestartSessions(t.Context(), []Restart{{SessionID: l.Session.ID}}, time.Now())
				case 1:
					_, err = s.SaveOpening(t.Context(), newOpening(p, "cellar", w.UserSessionID))
				default:
					_, err = s.SaveTurn(t.Context(), nextTurn(l, "x", i%3 == 0))
				}
				if err != nil {
					return err
				}
			}
			return nil
		}, ErrChanged)
		for _, s := range nodes {
			for _, w := range refs {
				checkSame(t, s, w, "")
				checkSame(t, s, w, "gate")
			}
		}
	}
}

// TestHotSessionsAreBounded: a session at the bound is cached and a larger one is not; the total
// size stays within the bound, and the least recently used sessions are dropped first.
func TestHotSessionsAreBounded(t *testing.T) {
	m := newSessionCache()
	session := func(id string, texts int) *cachedSession {
		l := LoadedSession{Session: Session{ID: id}, Recent: []Message{{Content: strings.Repeat("x", texts)}}}
		return newCachedSession(sessionName{machine: id}, l, db.PlayerMarksRow{})
	}
	empty := session("size", 0).bytes
	for over := range 2 {
		m.keepSession(session("large", maxCachedBytes-empty+over))
		found := m.findSession(sessionName{machine: "large"}) != nil
		assert.Equal(t, found, over == 0, "%d over the bound: remembered", over)
	}
	const each = 4096
	for i := range 3 * maxCachedBytes / each {
		m.keepSession(session(fmt.Sprint(i), each-empty))
		m.findSession(sessionName{machine: "0"})
		if m.bytes > maxCachedBytes || len(m.named) != len(m.byID) || m.recent.Len() != len(m.byID) {
			t.Fatalf("%d bytes in %d and %d and %d sessions", m.bytes, m.recent.Len(), len(m.named), len(m.byID))
		}
	}
	assert.Equal(t, m.recent.Len(), maxCachedBytes/each, "sessions of KiB fit")
	if m.findSession(sessionName{machine: "0"}) == nil || m.findSession(sessionName{machine: "1"}) != nil {
		t.Error("not the one used longest ago was forgotten")
	}
}

// TestHotSessionsWeighWhatTheySay compares the weights with the memory that sessions use.
func TestHotSessionsWeighWhatTheySay(t *testing.T) {
	const sessions = 2000
	m, kept := newSessionCache(), make([]*cachedSession, 0, sessions)
	took := allocated(func() {
		for i := range sessions {
			l := LoadedSession{Session: Session{ID: fmt.Sprint("s", i)}, Vars: map[string]string{}, Persona: PersonaHead{Machines: Machines{
				IDs: map[string]string{"gate": fmt.Sprint("m", i)}, Keys: map[string]string{fmt.Sprint("m", i): "gate"},
			}}}
			for j := range cachedMessages {
				l.Recent = append(l.Recent, Message{Content: strings.Repeat("x", 90) + fmt.Sprint(i, j)})
			}
			h := newCachedSession(sessionName{machine: fmt.Sprint(i)}, l, db.PlayerMarksRow{})
			m.keepSession(h)
			kept = append(kept, h)
		}
	})
	assert.True(t, took <= m.bytes, "%d sessions take %d bytes, counted are %d", len(kept), took, m.bytes)
	t.Logf("%d bytes a session, %d counted", took/sessions, m.bytes/sessions)
}

// allocated is how many bytes more are in use after something was done.
func allocated(do func()) int {
	before := heapInUse()
	do()
	return int(heapInUse() - before)
}

func heapInUse() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
