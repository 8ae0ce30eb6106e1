package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/engine"
)

func newOpening(p Persona, machine, visitor string) Opening {
	at := RoundTime(time.Now())
	return Opening{
		PlayerRef: PlayerRef{PersonaID: p.ID, UserSessionID: visitor},
		Session: Session{
			ID: uuid.NewString(), MachineID: p.MachineIDs[machine], Version: p.Version,
			Engine: engine.Session{State: "start"}, PlayerName: "Kim", PlayerGender: "female", StartedAt: at,
		},
		Line: Message{ID: uuid.NewString(), Role: "assistant", Content: "Halt!", State: "start", At: at},
	}
}

func enterMachine(t testing.TB, s *Store, p Persona, machine, visitor string) Opening {
	t.Helper()
	o := newOpening(p, machine, visitor)
	assert.Value(s.SaveOpening(context.Background(), o))(t)
	return o
}

// nextTurn returns a turn of a loaded session; ends makes it the last of the machine.
func nextTurn(l LoadedSession, text string, ends bool) Turn {
	at := RoundTime(time.Now())
	n := l.Session
	n.Turn++
	n.Engine.Score++
	turn := Turn{
		PersonaID: l.Persona.ID,
		Said:      Message{ID: uuid.NewString(), Role: "user", Content: text, State: "start", At: at},
		Reply: Message{ID: uuid.NewString(), Role: "assistant", Content: "re: " + text, State: "end", Score: n.Engine.Score,
			Decision: personas.DecidePass, At: at, Trace: `{"why":"x"}`},
	}
	if ends {
		n.Engine.Outcome = personas.Accept
		turn.Completion = &Completion{MachineID: n.MachineID, Outcome: personas.Accept, Score: n.Engine.Score, At: at}
		turn.Unlocked = []string{l.Persona.Machines.IDs["cellar"]}
		turn.Vars = map[string]string{"name": "Kim"}
	}
	turn.Session = n
	return turn
}

func mustLoad(t testing.TB, s *Store, ref PlayerRef, machine string) LoadedSession {
	t.Helper()
	return assert.Value(s.LoadSession(context.Background(), ref, machine, 20))(t)
}

func sayLine(t testing.TB, s *Store, ref PlayerRef, machine, text string, ends bool) Turn {
	t.Helper()
	turn := nextTurn(mustLoad(t, s, ref, machine), text, ends)
	answer := assert.Value(s.SaveTurn(context.Background(), turn))(t)
	assert.Must(t, answer == nil, "the turn was answered before: %s", answer)
	return turn
}

func TestSaveTurn(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *Store) {
		p := publishPersona(t, s, "gate", "cellar")
		o := enterMachine(t, s, p, "gate", "v")
		first := sayLine(t, s, o.PlayerRef, "gate", "hello", false)
		second := sayLine(t, s, o.PlayerRef, p.MachineIDs["gate"], "again", true)
		l := mustLoad(t, s, o.PlayerRef, "")
		want := second.Session
		want.Revision, want.LastMessageAt, want.cached = 2, second.Reply.At, l.Session.cached
		assert.Equal(t, l.Session, want, "session")
		assert.Equal(t, l.Vars["name"], "Kim", "vars %v", l.Vars)
		assert.Equal(t, len(l.Recent), 5, "vars %v", l.Vars)
		told := withoutTraces(o.Line, first.Said, first.Reply, second.Said, second.Reply)
		_, messages := readHistory(t, s, o.PlayerRef, "")
		assert.DeepEqual(t, messages, told, "history")
		st := assert.Value(s.LoadProgressWithRoute(t.Context(), o.PlayerRef))(t)
		assert.Must(t, len(st.Completions) == 1, "standing %+v", st)
		assert.Equal(t, st.Completions[0], *second.Completion)
		assert.Must(t, len(st.Route) == 1, "standing %+v", st)
		assert.Equal(t, len(st.Sessions), 1)
		assert.DeepEqual(t, st.Unlocked, []string{p.MachineIDs["cellar"]})
	})
}

// wordsOf returns messages reduced to role and text.
func wordsOf(messages []Message) []Message {
	words := make([]Message, len(messages))
	for i, m := range messages {
		words[i] = Message{Role: m.Role, Content: m.Content}
	}
	return words
}

func TestLoadGivesOnlyTheLast(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *Store) {
		o := enterMachine(t, s, publishPersona(t, s, "gate"), "gate", "v")
		for i := range 12 {
			sayLine(t, s, o.PlayerRef, "gate", fmt.Sprint("m", i), false)
		}
		for _, c := range []struct {
			count int
			want  int
			first string
		}{{1, 1, "re: m11"}, {20, 20, "m2"}, {24, 24, "m0"}, {25, 25, "Halt!"}, {26, 25, "Halt!"}} {
			t.Run(fmt.Sprint("at most ", c.count), func(t *testing.T) {
				l := assert.Value(s.LoadSession(t.Context(), o.PlayerRef, "gate", c.count))(t)
				tail := assert.Value(s.LastMessages(t.Context(), &l.Session, c.count))(t)
				newest := tail[len(tail)-1]
				assert.True(t, newest.Role == "assistant" && newest.Decision != "" && newest.State != "", "how the last one was judged is lost: %+v", newest)
				assert.True(t, len(l.Recent) == c.want && l.Recent[0].Content == c.first && reflect.DeepEqual(wordsOf(tail), wordsOf(l.Recent)),
					"last %d: %d, first %q", c.count, len(l.Recent), l.Recent[0].Content)
			})
		}
	})
}

func TestSaveTurnAllOrNothing(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *Store) {
		p := publishPersona(t, s, "gate", "cellar")
		o := enterMachine(t, s, p, "gate", "v")
		l := mustLoad(t, s, o.PlayerRef, "gate")
		before := countTables(t, s)
		broken := nextTurn(l, "x", true)
		broken.Idempotency = &IdempotentCall{Scope: "s", Key: "k", BodyHash: "h", Answer: nil} // answer NOT NULL: the last statement fails
		_, err := s.SaveTurn(t.Context(), broken)
		assert.Must(t, err != nil, "the broken turn was stored")
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		refused(s.SaveTurn(gone, nextTurn(l, "x", true)))(t, "a caller who is gone", context.Canceled)
		assert.DeepEqual(t, countTables(t, s), before, "half a turn was kept")
		now := mustLoad(t, s, o.PlayerRef, "gate").Session
		now.cached = l.Session.cached
		assert.Equal(t, now, l.Session, "the session moved")
	})
}

func TestWriteGivesUpBeforeCommit(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *Store) {
		o := enterMachine(t, s, publishPersona(t, s, "gate"), "gate", "v")
		ctx, cancel := context.WithCancel(t.Context())
		s.now = func() time.Time { cancel(); return time.Now() } // asked by the answer's storage
		turn := nextTurn(mustLoad(t, s, o.PlayerRef, "gate"), "x", false)
		turn.Idempotency = &IdempotentCall{Scope: "s", Key: "k", BodyHash: "h", Answer: []byte("{}")}
		refused(s.SaveTurn(ctx, turn))(t, "cancelled inside", context.Canceled)
		assert.Equal(t, countRows(t, s, "messages"), 1, "messages")
	})
}

func TestSaveTurnConflicts(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *Store) {
		p := publishPersona(t, s, "gate")
		o := enterMachine(t, s, p, "gate", "v")
		stale := mustLoad(t, s, o.PlayerRef, "gate")
		sayLine(t, s, o.PlayerRef, "gate", "first", false)
		refused(s.SaveTurn(t.Context(), nextTurn(stale, "second", false)))(t, "a turn that lost", ErrChanged)

		start := engine.Session{State: "start"}
		stale = mustLoad(t, s, o.PlayerRef, "gate")
		for range 2 {
			assert.Value(s.RestartSessions(t.Context(), []Restart{{SessionID: stale.Session.ID, Engine: start}}, time.Now()))(t)
		}
		refused(s.SaveTurn(t.Context(), nextTurn(stale, "from before the reset", false)))(t, "a turn from before a reset", ErrChanged)
		sayLine(t, s, o.PlayerRef, "gate", "after the reset", false)

		stale = mustLoad(t, s, o.PlayerRef, "gate")
		enterMachine(t, s, p, "gate", "v")
		refused(s.SaveTurn(t.Context(), nextTurn(stale, "x", false)))(t, "a turn of a replaced session", ErrChanged)
		refused(s.RestartSessions(t.Context(), []Restart{{SessionID: stale.Session.ID, Engine: start}}, time.Now()))(t, "a reset of a replaced session", ErrChanged)
	})
}

func TestTurnOnce(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *Store) {
		o := enterMachine(t, s, publishPersona(t, s, "gate"), "gate", "v")
		turn := nextTurn(mustLoad(t, s, o.PlayerRef, "gate"), "hello", false)
		turn.Idempotency = &IdempotentCall{Scope: "s", Key: "k", BodyHash: "h", Answer: []byte(`{"a":1}`)}
		assert.Value(s.SaveTurn(t.Context(), turn))(t)
		turn.Idempotency = &IdempotentCall{Scope: "s", Key: "k", BodyHash: "h", Answer: []byte(`{"a":2}`)}
		answer := assert.Value(s.SaveTurn(t.Context(), turn))(t)
		assert.Equal(t, string(answer), `{"a":1}`)
		turn.Idempotency = &IdempotentCall{Scope: "s", Key: "k", BodyHash: "i", Answer: []byte("x")}
		refused(s.SaveTurn(t.Context(), turn))(t, "another body", ErrKeyReused)
		assert.Equal(t, countRows(t, s, "messages"), 3, "messages")
	})
}

func TestRestart(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *Store) {
		p := publishPersona(t, s, "gate", "cellar")
		o := enterMachine(t, s, p, "gate", "v")
		sayLine(t, s, o.PlayerRef, "gate", "hello", true)
		at := RoundTime(time.Now().Add(time.Hour))
		lines, err := s.RestartSessions(t.Context(), []Restart{{SessionID: o.Session.ID, Engine: engine.Session{State: "start"}}}, at)
		assert.Must(t, err == nil && reflect.DeepEqual(lines, []string{"Halt!"}), "lines %v, %v", lines, err)
		n, messages := readHistory(t, s, o.PlayerRef, "gate")
		want := o.Line
		want.At = at
		assert.DeepEqual(t, messages, []Message{want}, "after a restart: %+v, %+v", n, messages)
		assert.Equal(t, n.Turn, 0)
		assert.Equal(t, n.Engine, o.Session.Engine)
		assert.True(t, n.LastMessageAt.Equal(at), "after a restart: %+v, %+v", n, messages)
		st, err := s.LoadProgress(t.Context(), o.PlayerRef)
		assert.NoError(t, err)
		assert.Must(t, len(st.Completions) == 1, "progress did not stay: %+v, %v", st, err)
		assert.Must(t, len(st.Unlocked) == 1, "progress did not stay: %+v, %v", st, err)
		assert.Equal(t, st.Vars["name"], "Kim")
	})
}

func TestVersionsOfSessions(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *Store) {
		p := publishPersona(t, s, "gate")
		old := enterMachine(t, s, p, "gate", "v")
		newer := savePersona(t, s, PersonaSave{PersonaID: p.ID, OwnerID: alice.ID, Doc: guardPersona("Eva", "gate")})
		savePersona(t, s, PersonaSave{PersonaID: p.ID, OwnerID: alice.ID, Doc: guardPersona("Uwe", "gate")})
		l := mustLoad(t, s, old.PlayerRef, "gate")
		assert.True(t, l.Session.Version == 1 && l.Persona.Version == 3, "the session plays version %d of %d", l.Session.Version, l.Persona.Version)
		for number, want := range map[int64]error{1: nil, 2: ErrNotFound, 3: nil} {
			t.Run(fmt.Sprint(number), func(t *testing.T) {
				_, err := s.LoadVersion(t.Context(), p.ID, number)
				checkRefuses(t, fmt.Sprint("version ", number), err, want)
			})
		}
		late := newOpening(newer, "gate", "v")
		refused(s.SaveOpening(t.Context(), late))(t, "a session in a version of before", ErrChanged)
		assert.Value(s.ResetProgress(t.Context(), old.PlayerRef))(t)
		s.versions = newVersionCache()
		_, err := s.LoadVersion(t.Context(), p.ID, 1)
		checkRefuses(t, "a version that nobody plays any more", err, ErrNotFound)

		third := savePersona(t, s, PersonaSave{PersonaID: p.ID, OwnerID: alice.ID, Doc: guardPersona("Uwe", "gate")})
		enterMachine(t, s, third, "gate", "v")
		enterMachine(t, s, savePersona(t, s, PersonaSave{PersonaID: p.ID, OwnerID: alice.ID, Doc: guardPersona("Ava", "gate")}), "gate", "v")
		_, err = s.LoadVersion(t.Context(), p.ID, third.Version)
		checkRefuses(t, "the version of a replaced session", err, ErrNotFound)
	})
}

func TestPlayersOfUsers(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *Store) {
		p := publishPersona(t, s, "gate")
		as := func(user string) PlayerRef { return PlayerRef{PersonaID: p.ID, UserSessionID: "v", UserID: user} }
		enterMachine(t, s, p, "gate", "v")
		o := newOpening(p, "gate", "v")
		o.UserID = alice.ID
		assert.Value(s.SaveOpening(t.Context(), o))(t) // a signed-in caller who knows the secret takes the player
		for user, want := range map[string]error{alice.ID: nil, bob.ID: ErrNoSession, "": ErrNoSession} {
			t.Run(fmt.Sprintf("user %q", user), func(t *testing.T) {
				refused(s.LoadSession(t.Context(), as(user), "gate", 20))(t, "load as "+user, want)
				refused(s.OpenHistory(t.Context(), as(user), "", HistoryPart{}))(t, "history as "+user, want)
				for name, load := range map[string]func(context.Context, PlayerRef) (PlayerProgress, error){"standing": s.LoadProgress, "progress": s.LoadProgressWithRoute} {
					st := assert.Value(load(t.Context(), as(user)))(t)
					seen := st.PlayerID != ""
					assert.Equal(t, seen, user == alice.ID || user == "" && name == "progress", "%s as %q shows a player", name, user)
				}
				if want != nil {
					n, err := s.ResetProgress(t.Context(), as(user))
					assert.True(t, n == 0 && err == nil, "reset progress as %q: %d, %v", user, n, err)
				}
			})
		}
	})
}

func TestSpacesAreApart(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *Store) {
		p := publishPersona(t, s, "gate")
		enterMachine(t, s, p, "gate", "v")
		sdk := PlayerRef{Space: alice.ID, PersonaID: p.ID, UserSessionID: "v"}
		refused(s.LoadSession(t.Context(), sdk, "", 20))(t, "the web's session from the SDK", ErrNoSession)
		refused(s.LoadProgress(t.Context(), PlayerRef{Space: bob.ID, PersonaID: p.ID, UserSessionID: "v"}))(t, "another account's persona", ErrNotOwn)
		hidden := savePersona(t, s, PersonaSave{OwnerID: alice.ID, Doc: guardPersona("Hidden", "gate")})
		refused(s.LoadProgress(t.Context(), PlayerRef{Space: alice.ID, PersonaID: hidden.ID, UserSessionID: "v"}))(t, "an unpublished persona", ErrNotOwn)
	})
}

func TestLoadRefuses(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *Store) {
		p := publishPersona(t, s, "gate", "cellar")
		hidden := savePersona(t, s, PersonaSave{OwnerID: alice.ID, Doc: guardPersona("Hidden", "gate")})
		o := enterMachine(t, s, p, "gate", "v")
		for _, c := range []struct {
			what    string
			who     PlayerRef
			machine string
			want    error
		}{
			{"unknown persona", PlayerRef{PersonaID: "x", UserSessionID: "v"}, "", ErrNotFound},
			{"hidden persona", PlayerRef{PersonaID: hidden.ID, UserSessionID: "v"}, "", ErrNotFound},
			{"unknown machine", o.PlayerRef, "attic", ErrNoMachine},
			{"no session there", o.PlayerRef, "cellar", ErrNoSession},
			{"unknown player", PlayerRef{PersonaID: p.ID, UserSessionID: "w"}, "", ErrNoSession},
		} {
			t.Run(c.what, func(t *testing.T) {
				_, err := s.LoadSession(t.Context(), c.who, c.machine, 20)
				checkRefuses(t, c.what, err, c.want)
				checkRefuses(t, c.what, err, ErrNotFound)
			})
		}
	})
}

func TestResetProgress(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *Store) {
		p := publishPersona(t, s, "gate", "cellar")
		empty := countTables(t, s)
		o := enterMachine(t, s, p, "gate", "v")
		enterMachine(t, s, p, "cellar", "v")
		sayLine(t, s, o.PlayerRef, "gate", "x", true)
		other := enterMachine(t, s, p, "gate", "w")
		n := assert.Value(s.ResetProgress(t.Context(), o.PlayerRef))(t)
		assert.Equal(t, n, 2)
		if n, err := s.ResetProgress(t.Context(), o.PlayerRef); err != nil || n != 0 {
			t.Errorf("again: deleted %d, %v", n, err)
		}
		mustLoad(t, s, other.PlayerRef, "gate")
		if n, err := s.ResetProgress(t.Context(), other.PlayerRef); err != nil || n != 1 {
			t.Errorf("the other: deleted %d, %v", n, err)
		}
		assert.DeepEqual(t, countTables(t, s), empty)
	})
}

func TestMigrate(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *Store) {
		p, q := publishPersona(t, s, "gate", "cellar"), publishPersona(t, s, "gate")
		enterMachine(t, s, p, "gate", "v")
		enterMachine(t, s, p, "cellar", "v")
		enterMachine(t, s, q, "gate", "v")
		enterMachine(t, s, q, "gate", "someone else")
		sdk := newOpening(q, "gate", "v")
		sdk.Space = alice.ID
		assert.Value(s.SaveOpening(t.Context(), sdk))(t)
		_, _, err := s.MigratePlayers(t.Context(), bob.ID, "nothing")
		checkRefuses(t, "nothing to migrate", err, ErrNotFound)
		for range 2 {
			n, ids, err := s.MigratePlayers(t.Context(), bob.ID, "v")
			assert.NoError(t, err)
			assert.Equal(t, n, 3)
			assert.DeepEqual(t, ids, []string{p.ID, q.ID})
		}
		_, _, err = s.MigratePlayers(t.Context(), alice.ID, "v")
		checkRefuses(t, "another user's", err, ErrNotFound)
		r := publishPersona(t, s, "gate")
		enterMachine(t, s, r, "gate", "v")
		enterMachine(t, s, q, "gate", "v") // a second one beside bob's
		_, _, err = s.MigratePlayers(t.Context(), bob.ID, "v")
		double, ok := errors.AsType[*DoublePlayerError](err)
		assert.True(t, ok && double.PersonaID == q.ID, "of two players with one persona: %v", err)
		assert.Value(s.LoadSession(t.Context(), PlayerRef{PersonaID: r.ID, UserSessionID: "v"}, "", 20))(t) // the refused migration took nothing
		assert.Value(s.LoadSession(t.Context(), sdk.PlayerRef, "", 20))(t)
		assert.Value(s.LoadSession(t.Context(), PlayerRef{PersonaID: q.ID, UserSessionID: "someone else"}, "", 20))(t)
	})
}

// TestDeleteLeavesNothing looks into every table that the schema has.
func TestDeleteLeavesNothing(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *Store) {
		assert.NoError(t, s.CreateKey(t.Context(), Key{ID: "k", OwnerID: alice.ID, Hash: "h"}))
		fillNodes(t, s)
		before := countTables(t, s)
		once := &IdempotentCall{Scope: "s", Key: "k", BodyHash: "h"}
		p := savePersona(t, s, PersonaSave{OwnerID: alice.ID, Doc: guardPersona("Ava", "gate", "cellar"), Idempotency: once})
		assert.NoError(t, s.PublishPersona(t.Context(), p.ID, alice.ID))
		o := enterMachine(t, s, p, "gate", "v")
		savePersona(t, s, PersonaSave{PersonaID: p.ID, OwnerID: alice.ID, Doc: guardPersona("Ava", "gate", "cellar")})
		sayLine(t, s, o.PlayerRef, "gate", "x", true)
		for name, n := range countTables(t, s) {
			assert.True(t, n != 0, "the test puts nothing into %s", name)
		}
		assert.NoError(t, s.DeletePersona(t.Context(), p.ID, alice.ID))
		assert.DeepEqual(t, countTables(t, s), before)
	})
}

// TestFindID: an id counts before a key, and a key is exact.
func TestFindID(t *testing.T) {
	ms := Machines{Keys: map[string]string{"0a": "gate", "0b": "Hall"}, IDs: map[string]string{"gate": "0a", "Hall": "0b"}}
	for name, want := range map[string]string{"0a": "0a", "0B": "0b", "gate": "0a", "Hall": "0b", "hall": "", "GATE": "", "": ""} {
		id, ok := ms.FindID(name)
		assert.True(t, id == want && ok == (want != ""), "%q is %q, %v", name, id, ok)
	}
}

// TestDeleteIdle deletes players whose sessions are all idle, and nobody who spoke since.
func TestDeleteIdle(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *Store) {
		p := publishPersona(t, s, "gate", "cellar")
		long := enterMachine(t, s, p, "gate", "long").PlayerRef
		fork := assert.Value(forkAt(t, s, long, "gate", 0))(t)
		time.Sleep(5 * time.Millisecond)
		since := time.Now()
		time.Sleep(5 * time.Millisecond)
		enterMachine(t, s, p, "gate", "new")
		half := enterMachine(t, s, p, "gate", "half").PlayerRef
		enterMachine(t, s, p, "cellar", "half")
		sayLine(t, s, fork, "gate", "still here", false)
		for i := range maxIdleDeleted {
			enterMachine(t, s, p, "gate", fmt.Sprint("many", i))
		}
		deleted, more, err := s.DeleteIdle(t.Context(), since)
		assert.True(t, err == nil && deleted == 1 && !more, "%d deleted, more: %t, %v", deleted, more, err)
		refused(s.LoadSession(t.Context(), long, "gate", 1))(t, "an idle session", ErrNoSession)
		for _, w := range []PlayerRef{fork, half} {
			assert.Value(s.LoadSession(t.Context(), w, "gate", 1))(t, w.UserSessionID)
		}
		_, list, err := s.Branches(t.Context(), fork)
		assert.True(t, err == nil && len(list) == 1 && list[0].Parent == "", "the tree of a fork whose parent was deleted: %+v, %v", list, err)
		deleted, more, err = s.DeleteIdle(t.Context(), time.Now().Add(time.Hour))
		assert.True(t, err == nil && deleted == maxIdleDeleted && more, "%d deleted, more: %t, %v", deleted, more, err)
		deleted, more, err = s.DeleteIdle(t.Context(), time.Now().Add(time.Hour))
		assert.True(t, err == nil && deleted == 3 && !more, "the rest: %d deleted, more: %t, %v", deleted, more, err)
	})
}

// keyed makes a call of a player idempotent.
func keyed(ref PlayerRef, key string) *IdempotentCall {
	return &IdempotentCall{Scope: "s", Key: key, BodyHash: "h", Player: &ref, Answer: []byte(key)}
}

// storedAnswers returns the keys with a stored answer for a player.
func storedAnswers(t *testing.T, s *Store, ref PlayerRef, keys ...string) (found []string, err error) {
	t.Helper()
	for _, key := range keys {
		answer, ok, failed := s.LoadAnswer(t.Context(), keyed(ref, key))
		if failed != nil {
			return nil, failed
		}
		if ok {
			found = append(found, string(answer))
		}
	}
	return found, nil
}

// TestAnswersAreDeletedWithTheirSession: answers are deleted with the history and the player of their reply.
func TestAnswersAreDeletedWithTheirSession(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, open opener) {
		s := withUsers(t, open(t, Options{}))
		p := publishPersona(t, s, "gate", "cellar")
		w := PlayerRef{PersonaID: p.ID, UserSessionID: "v"}
		play := func() (sessionID string) {
			t.Helper()
			o := newOpening(p, "gate", "v")
			o.Idempotency = keyed(w, "open")
			assert.Value(s.SaveOpening(t.Context(), o))(t)
			turn := nextTurn(mustLoad(t, s, w, "gate"), "hello", false)
			turn.Idempotency = keyed(w, "say")
			assert.Value(s.SaveTurn(t.Context(), turn))(t)
			return o.Session.ID
		}
		check := func(after string, want ...string) {
			t.Helper()
			found, err := storedAnswers(t, s, w, "open", "say")
			assert.True(t, err == nil && slices.Equal(found, want) && countRows(t, s, "answers") == len(want),
				"after %s: answers %v of %d, %v, want %v", after, found, countRows(t, s, "answers"), err, want)
		}
		id := play()
		check("a turn", "open", "say")
		assert.Value(s.RestartSessions(t.Context(), []Restart{{SessionID: id, Engine: engine.Session{State: "start"}}}, time.Now()))(t)
		check("a reset", "open")
		assert.Value(s.ResetProgress(t.Context(), w))(t)
		check("DELETE progress")

		play()
		enterMachine(t, s, p, "gate", "v")
		check("another opening", "open")
		_, _, err := s.MigratePlayers(t.Context(), bob.ID, "v")
		assert.NoError(t, err)
		found, err := storedAnswers(t, s, w, "open")
		assert.Empty(t, found, "a stranger gets %v, %v", found, err)
		assert.NoError(t, s.DeletePersona(t.Context(), p.ID, alice.ID))
		assert.Equal(t, countRows(t, s, "answers"), 0, "answers outlive their persona")
	})
}

// earlierAnswers are rows of a version that did not store the player of an answer. Keys that begin
// with "gone" are of answers whose player or session no longer exists.
const earlierAnswers = `
INSERT INTO users (id, email, display_name) VALUES ('u', 'e', 'n');
INSERT INTO personas (id, owner_id, public, version, name, description, created_at, updated_at) VALUES ('p', 'u', TRUE, 1, 'n', 'd', 1, 1);
INSERT INTO persona_versions (persona_id, version, doc) VALUES ('p', 1, '{}');
INSERT INTO players (id, space, persona_id, user_session_id, owner_id) VALUES ('pl', '', 'p', 'ann "x"', NULL), ('sdk', 'u', 'p', 'ann "x"', NULL);
INSERT INTO sessions (id, player_id, machine_id, persona_id, version, entered, state, score, redirects, follow_up_pending, outcome, turn, revision, summary, summary_to,
    player_name, player_gender, started_at, last_message_at, asides) VALUES ('s', 'pl', 'm', 'p', 1, 1, 'st', 0, 0, FALSE, '', 1, 2, '', 0, 'n', '', 1, 2, 0);
INSERT INTO answers (scope, key, body_hash, answer, persona_id, created_at) VALUES
    ('save:u', 'save', 'h', CAST('{"Persona": 1}' AS BLOB), 'p', 1),
    ('["init-session","","p","","ann \"x\""]', 'open', '["h","ann \"x\"",""]', CAST('{"session_id": "before"}' AS BLOB), 'p', 1),
    ('["message","","p","","ann \"x\""]', 'say', '["h","ann \"x\"",""]', CAST('{"session_id": "s"}' AS BLOB), 'p', 1),
    ('["message","u","p",""]', 'gone with its session', '["h","ann \"x\"",""]', CAST('{"session_id": "before"}' AS BLOB), 'p', 1),
    ('["init-session","","p","u"]', 'gone with its player', '["h","eve",""]', CAST('{"session_id": "s"}' AS BLOB), 'p', 1);`

// TestEarlierAnswers: answers of an earlier version find their players and sessions.
func TestEarlierAnswers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "parley.db")
	pool := assert.Value(openPool(fileURI(path)+commonOptions, 1))(t)
	assert.NoError(t, ownSteps().migrateSchemaTo(t.Context(), pool, 2))
	assert.Value(pool.Exec(earlierAnswers))(t)
	assert.NoError(t, pool.Close())
	s := openAt(t, Options{Path: path})
	list, err := listNames(t.Context(), inSQLite(s).writer, "SELECT key || ' ' || coalesce(player_id, '-') || ' ' || coalesce(session_id, '-') FROM answers ORDER BY key")
	want := []string{"open pl -", "save - -", "say pl s"}
	assert.True(t, err == nil && slices.Equal(list, want), "%q, %v, want %q", list, err, want)
}
