package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/store/db"
	"github.com/parley-npc/parley/personas"
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
	fresh := &Store{database: s.database, sessions: newSessionCache(), versions: s.versions, now: s.now, newID: s.newID}
	return fresh.LoadSession(t.Context(), ref, machine, cachedMessages)
}

// checkSame compares a server's cached session with the database.
func checkSame(t *testing.T, s *Store, ref PlayerRef, machine string) {
	t.Helper()
	want, wantErr := loadCold(t, s, ref, machine)
	got, err := s.LoadSession(t.Context(), ref, machine, cachedMessages)
	got.Session.cached, want.Session.cached = nil, nil
	assert.DeepEqual(t, got, want, "remembered %v %v", err, wantErr)
	assert.Equal(t, fmt.Sprint(err), fmt.Sprint(wantErr), "remembered %v %v", err, wantErr)
}

// openWriters opens two servers of one database, or one server twice.
func openWriters(t *testing.T, open opener) []*Store {
	t.Helper()
	if nodes := openNodes(t, open); nodes[0].database.IsShared() {
		return nodes
	}
	s := withUsers(t, open(t, Options{Durability: Normal}))
	return []*Store{s, s}
}

// TestCachedSessionSeesOtherServers: another server's changes are seen despite the cache.
func TestCachedSessionSeesOtherServers(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, open opener) {
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
					refused(nodes[0].LoadSession(t.Context(), w, machine, cachedMessages))(t, "a load afterwards", c.want)
					if c.want != nil {
						return
					}
				}
			})
		}
	})
}

// TestCachedVariablesAreReloaded: variables that were loaded earlier do not count as current.
func TestCachedVariablesAreReloaded(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, open opener) {
		nodes := openWriters(t, open)
		p := publishPersona(t, nodes[0], "gate", "cellar")
		w := enterMachine(t, nodes[0], p, "cellar", "v").PlayerRef
		enterMachine(t, nodes[0], p, "gate", "v")
		l := warm(t, nodes[0], w, "gate")
		assert.Value(nodes[1].SaveTurn(t.Context(), nextTurn(mustLoad(t, nodes[1], w, "cellar"), "x", true)))(t)
		assert.Value(nodes[0].SaveTurn(t.Context(), nextTurn(l, "loaded before", false)))(t)
		checkSame(t, nodes[0], w, "gate")
	})
}

// TestCachedSessionAfterCrash stores a turn without updating the cache.
func TestCachedSessionAfterCrash(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, open opener) {
		nodes := openWriters(t, open)
		w := enterMachine(t, nodes[0], publishPersona(t, nodes[0], "gate"), "gate", "v").PlayerRef
		turn := nextTurn(warm(t, nodes[0], w, "gate"), "kept, but nobody knows", false)
		assert.NoError(t, nodes[0].database.Write(t.Context(), func(ctx context.Context, q *db.Queries) error { return saveTurn(ctx, q, &turn) }))
		checkSame(t, nodes[0], w, "gate")
		checkSame(t, open(t, Options{Path: addressOf(nodes[0])}), w, "gate")
	})
}

// TestRefusedTurnDropsCachedSession: after a refused turn, the session is dropped from the cache.
func TestRefusedTurnDropsCachedSession(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *Store) {
		w := enterMachine(t, s, publishPersona(t, s, "gate"), "gate", "v").PlayerRef
		l := warm(t, s, w, "gate")
		late := nextTurn(l, "late", false)
		late.Session.Revision--
		refused(s.SaveTurn(t.Context(), late))(t, "a turn on an older revision", ErrChanged)
		_, found := s.sessions.Find(sessionName{w, "gate"})
		assert.True(t, !found, "it is remembered after a refusal")
		checkSame(t, s, w, "gate")
		gone, leave := context.WithCancel(t.Context())
		leave()
		_, err := s.SaveTurn(gone, nextTurn(l, "given up", false))
		assert.ErrorIs(t, err, context.Canceled, "given up")
		checkSame(t, s, w, "gate")
	})
}

// TestCachedSessionsEqualDatabase: after concurrent changes at two servers, caches equal the database.
func TestCachedSessionsEqualDatabase(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, open opener) {
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
	})
}

// TestCachedSessionsAreWeighed compares the weights with the memory that sessions use.
func TestCachedSessionsAreWeighed(t *testing.T) {
	const sessions = 2000
	m := newSessionCache()
	took := allocated(func() {
		for i := range sessions {
			l := LoadedSession{Recent: make([]Message, 0, cachedMessages), Session: Session{ID: fmt.Sprint("s", i)}, Vars: map[string]string{}, Persona: PersonaHead{Machines: Machines{
				IDs: map[string]string{"gate": fmt.Sprint("m", i)}, Keys: map[string]string{fmt.Sprint("m", i): "gate"},
			}}}
			for j := range cachedMessages {
				l.Recent = append(l.Recent, Message{Content: strings.Repeat("x", 90) + fmt.Sprint(i, j)})
			}
			m.keep(cachedSession{name: sessionName{machine: fmt.Sprint(i)}, loaded: l})
		}
	})
	n, counted := m.Size()
	assert.True(t, n == sessions && took <= counted, "%d sessions take %d bytes, counted are %d", n, took, counted)
	t.Logf("%d bytes a session, %d counted", took/sessions, counted/sessions)
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

// TestViewsAreNeverStale: every change clears the cached views, and views are cached per viewer.
func TestViewsAreNeverStale(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *Store) {
		ctx := t.Context()
		p := savePersona(t, s, PersonaSave{OwnerID: alice.ID, Doc: guardPersona("One", "gate")})
		for range 2 {
			got, err := s.LoadPersonaSummary(ctx, p.ID, alice.ID)
			assert.Must(t, err == nil && got.Name == "One" && !got.Public, "the owner sees %+v, %v", got, err)
			_, err = s.LoadPersonaSummary(ctx, p.ID, bob.ID)
			assert.Must(t, errors.Is(err, ErrNotFound), "a stranger gets %v", err)
		}
		assert.NoError(t, s.PublishPersona(ctx, p.ID, alice.ID))
		for _, viewer := range []string{alice.ID, bob.ID, "", bob.ID} {
			t.Run(fmt.Sprintf("viewer %q", viewer), func(t *testing.T) {
				got, err := s.LoadPersonaSummary(ctx, p.ID, viewer)
				assert.Must(t, err == nil && got.Public, "published, but %q sees %+v, %v", viewer, got, err)
			})
		}
		savePersona(t, s, PersonaSave{PersonaID: p.ID, OwnerID: alice.ID, Doc: guardPersona("Two", "gate")})
		got, _ := s.LoadPersonaSummary(ctx, p.ID, bob.ID)
		assert.Must(t, got.Name == "Two", "after a save it is still %q", got.Name)
		assert.NoError(t, s.DeletePersona(ctx, p.ID, alice.ID))
		for _, viewer := range []string{alice.ID, bob.ID, ""} {
			t.Run(fmt.Sprintf("viewer %q", viewer), func(t *testing.T) {
				_, err := s.LoadPersonaSummary(ctx, p.ID, viewer)
				assert.Must(t, errors.Is(err, ErrNotFound), "deleted, but %q gets %v", viewer, err)
			})
		}
	})
}

// TestViewsOvertaken: an answer from before a change is not found after it.
func TestViewsOvertaken(t *testing.T) {
	s := withUsers(t, openStore(t))
	p := publishPersona(t, s, "gate")
	before := s.views.Load()
	assert.NoError(t, s.PublishPersona(t.Context(), p.ID, alice.ID))
	before.Keep(viewKey{p.ID, ""}, PersonaSummary{Name: "old"}, viewBytes)
	got, err := s.LoadPersonaSummary(t.Context(), p.ID, "")
	assert.True(t, err == nil && got.Name == p.Doc.Name, "%q, %v", got.Name, err)
}

func TestViewsAreBounded(t *testing.T) {
	s := withUsers(t, openStore(t))
	doc := guardPersona("One", "gate")
	doc.IdentityPrompt = strings.Repeat("\U0001f469", personas.MaxPrompt)
	p := savePersona(t, s, PersonaSave{OwnerID: alice.ID, Doc: doc})
	for range 2 {
		assert.Value(s.LoadPersonaSummary(t.Context(), p.ID, alice.ID))(t)
		n, size := s.views.Load().Size()
		assert.True(t, n == 1 && size > len(doc.IdentityPrompt) && size <= maxViewBytes, "%d views of %d bytes", n, size)
	}
}

// TestDocumentsAreReadOnce: a version is parsed once, for any number of requests.
func TestDocumentsAreReadOnce(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *Store) {
		p := publishPersona(t, s, "gate")
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				got, err := s.LoadPersona(t.Context(), p.ID, "", nil)
				assert.True(t, err == nil && got.Doc.Name == p.Doc.Name, "%q, %v", got.Doc.Name, err)
			})
		}
		group.Wait()
		parsed := s.versions.parsed.Load()
		assert.True(t, parsed >= 1 && parsed <= maxParsing, "read %d times by eight at once", parsed)
		for range 3 {
			_, err := s.LoadPersona(t.Context(), p.ID, "", nil)
			_, err2 := s.LoadVersion(t.Context(), p.ID, p.Version)
			assert.True(t, err == nil && err2 == nil && s.versions.parsed.Load() == parsed, "read %d times, %v, %v", s.versions.parsed.Load(), err, err2)
		}
		savePersona(t, s, PersonaSave{PersonaID: p.ID, OwnerID: alice.ID, Doc: guardPersona("Two", "gate")})
		if got, err := s.LoadPersona(t.Context(), p.ID, "", nil); err != nil || got.Doc.Name != "Two" {
			t.Errorf("after a save %q, %v", got.Doc.Name, err)
		}
	})
}

// TestCanceledLoadDoesNotWait: a canceled caller does not wait for a document.
func TestCanceledLoadDoesNotWait(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *Store) {
		p := publishPersona(t, s, "gate")
		for range maxParsing {
			s.versions.parsing <- struct{}{}
		}
		ctx, leave := context.WithCancel(t.Context())
		var group sync.WaitGroup
		for range 2 * readerConnections() {
			group.Go(func() {
				_, err := s.LoadPersona(ctx, p.ID, "", nil)
				assert.ErrorIs(t, err, context.Canceled, "ended with")
				_, err = s.LoadVersion(ctx, p.ID, p.Version)
				assert.ErrorIs(t, err, context.Canceled, "ended with")
			})
		}
		// All others wait, and the database still answers.
		assert.Value(s.LoadPersonaSummary(t.Context(), p.ID, ""))(t)
		leave()
		group.Wait()
		assert.Equal(t, s.versions.parsed.Load(), 0, "read")
	})
}

func TestDocumentsAreBounded(t *testing.T) {
	c := newVersionCache().cache
	for i := range int64(4) {
		c.Keep(versionKey{"p", i}, &Version{}, maxDocumentBytes/4)
	}
	n, size := c.Size()
	assert.True(t, n == 4 && size == maxDocumentBytes, "at the limit %d documents of %d bytes", n, size)
	c.Keep(versionKey{"p", 4}, &Version{}, 1)
	n, size = c.Size()
	assert.True(t, n == 4 && size == maxDocumentBytes/4*3+1, "one past the limit %d documents of %d bytes", n, size)
}

// TestHeldBytes: the memory of a document is counted with everything in it.
func TestHeldBytes(t *testing.T) {
	for _, n := range []int{0, 1, 1000} {
		p := &personas.Persona{Name: "ab", Variables: make([]personas.Variable, n)}
		want := int(reflect.TypeFor[personas.Persona]().Size()) + 2 + n*int(reflect.TypeFor[personas.Variable]().Size())
		assert.Equal(t, heldBytes(reflect.ValueOf(p)), want, "%d variables", n)
	}
}
