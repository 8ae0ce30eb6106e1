package store

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
)

var (
	alice = User{ID: "alice", Email: "alice@example.com", DisplayName: "Alice"}
	bob   = User{ID: "bob", Email: "bob@example.com", DisplayName: "Bob"}
)

func withUsers(t testing.TB, s *Store) *Store {
	t.Helper()
	for _, u := range []User{alice, bob} {
		assert.NoError(t, s.UpsertUser(context.Background(), u))
	}
	return s
}

// guardPersona returns a persona with machines of these keys.
func guardPersona(name string, keys ...string) personas.Persona {
	doc := personas.Persona{Name: name, Description: "keeps a gate", IdentityPrompt: "You keep a gate."}
	for _, key := range keys {
		doc.Machines = append(doc.Machines, personas.Machine{
			Key:         key,
			States:      []personas.State{{Key: "start", IsInitial: true}, {Key: "end", IsTerminal: true}},
			Transitions: []personas.Transition{{From: "start", To: "end", Decision: personas.DecidePass, ScoreDelta: 3}},
		})
	}
	return doc
}

func savePersona(t testing.TB, s *Store, in PersonaSave) Persona {
	t.Helper()
	p, _, err := s.SavePersona(context.Background(), in)
	assert.NoError(t, err)
	return p
}

func publishPersona(t testing.TB, s *Store, keys ...string) Persona {
	t.Helper()
	p := savePersona(t, s, PersonaSave{OwnerID: alice.ID, Doc: guardPersona("Ava", keys...)})
	assert.NoError(t, s.PublishPersona(context.Background(), p.ID, alice.ID))
	return p
}

func TestUpsertUserWritesOnlyChanges(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *Store) {
		renamed := User{ID: alice.ID, Email: "a@example.com", DisplayName: "A"}
		assert.NoError(t, s.UpsertUser(t.Context(), renamed))
		var u User
		assert.NoError(t, rawPool(t, s).QueryRow("SELECT id, email, display_name FROM users WHERE id = 'alice'").Scan(&u.ID, &u.Email, &u.DisplayName))
		assert.Equal(t, u, renamed, "stored")
		held := assert.Value(rawPool(t, s).Begin())(t)
		defer func() { _ = held.Rollback() }()
		assert.Value(held.Exec("UPDATE users SET email = email WHERE id = 'alice'"))(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		assert.NoError(t, s.UpsertUser(ctx, renamed)) // must not wait for the writer
	})
}

func TestSavePersona(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, open opener) {
		clock := newClock()
		s := withUsers(t, open(t, Options{Now: clock.readTime}))
		doc := guardPersona("Ava", "gate", "cellar")
		doc.Extra = personas.Members{{Name: "x-note", Value: []byte(`{"a":1}`)}}
		first, created, err := s.SavePersona(t.Context(), PersonaSave{OwnerID: alice.ID, Doc: doc})
		assert.NoError(t, err)
		assert.True(t, created, "created %v, %v, %+v", created, err, first)
		assert.Equal(t, first.Version, 1)
		assert.True(t, !first.Public, "created %v, %v, %+v", created, err, first)
		assert.Equal(t, first.OwnerID, alice.ID)
		want := RoundTime(clock.at)
		assert.True(t, first.CreatedAt.Equal(want) && first.UpdatedAt.Equal(want), "created at %v, updated at %v, want %v", first.CreatedAt, first.UpdatedAt, want)
		got := assert.Value(s.LoadPersona(t.Context(), first.ID, alice.ID, nil))(t)
		assert.DeepEqual(t, got, first)
		clock.at = clock.at.Add(-time.Hour)
		second, created, err := s.SavePersona(t.Context(), PersonaSave{PersonaID: first.ID, OwnerID: alice.ID, Doc: guardPersona("Eva", "tower", "gate")})
		assert.NoError(t, err)
		assert.True(t, !created, "saved %v, %v, %+v", created, err, second)
		assert.Equal(t, second.Version, 2)
		assert.Equal(t, second.Doc.Name, "Eva")
		assert.True(t, second.CreatedAt.Equal(first.CreatedAt) && second.UpdatedAt.After(first.UpdatedAt),
			"with the clock set back: created %v, updated %v", second.CreatedAt, second.UpdatedAt)
		assert.True(t, second.MachineIDs["gate"] == first.MachineIDs["gate"] && second.MachineIDs["tower"] != "" && len(second.MachineIDs) == 3,
			"machine ids %v, were %v", second.MachineIDs, first.MachineIDs)
		third := savePersona(t, s, PersonaSave{PersonaID: first.ID, OwnerID: alice.ID, Doc: guardPersona("Ava", "cellar")})
		assert.Equal(t, third.MachineIDs["cellar"], first.MachineIDs["cellar"], "a machine that came back has another id")
		assert.Equal(t, countRows(t, s, "persona_versions"), 1, "versions are kept that no session plays")
	})
}

func TestSavePersonaIfUpdatedAt(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *Store) {
		p := savePersona(t, s, PersonaSave{OwnerID: alice.ID, Doc: guardPersona("Ava", "gate")})
		at := p.UpdatedAt.Add(999 * time.Microsecond) // the same millisecond
		next := savePersona(t, s, PersonaSave{PersonaID: p.ID, OwnerID: alice.ID, Doc: guardPersona("Eva", "gate"), IfUpdatedAt: &at})
		for _, off := range []time.Duration{-time.Millisecond, time.Millisecond} {
			t.Run(fmt.Sprint(off), func(t *testing.T) {
				at := next.UpdatedAt.Add(off)
				_, _, err := s.SavePersona(t.Context(), PersonaSave{PersonaID: p.ID, OwnerID: alice.ID, Doc: guardPersona("X", "gate"), IfUpdatedAt: &at})
				checkRefuses(t, fmt.Sprint("off by ", off), err, ErrChanged)
			})
		}
		got, _ := s.LoadPersona(t.Context(), p.ID, alice.ID, nil)
		assert.True(t, got.Doc.Name == "Eva" && got.Version == 2, "a refused save left %q, version %d", got.Doc.Name, got.Version)
	})
}

// TestOwnersOnly walks save, publish and delete by owner and stranger.
func TestOwnersOnly(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *Store) {
		hidden := savePersona(t, s, PersonaSave{OwnerID: alice.ID, Doc: guardPersona("Hidden", "gate")})
		shown := publishPersona(t, s, "gate")
		calls := map[string]func(id, user string) error{
			"save": func(id, user string) error {
				_, _, err := s.SavePersona(t.Context(), PersonaSave{PersonaID: id, OwnerID: user, Doc: guardPersona("Mine", "gate")})
				return err
			},
			"publish": func(id, user string) error { return s.PublishPersona(t.Context(), id, user) },
			"delete":  func(id, user string) error { return s.DeletePersona(t.Context(), id, user) },
		}
		before := countTables(t, s)
		for name, call := range calls {
			t.Run(name, func(t *testing.T) {
				checkRefuses(t, name+" unknown", call("nothing", alice.ID), ErrNotFound)
				checkRefuses(t, name+" hidden", call(hidden.ID, bob.ID), ErrNotFound)
				checkRefuses(t, name+" published", call(shown.ID, bob.ID), ErrForbidden)
				checkRefuses(t, name+" published, nobody", call(shown.ID, ""), ErrForbidden)
			})
		}
		assert.DeepEqual(t, countTables(t, s), before, "refused calls changed the tables")
		for _, viewer := range []string{"", bob.ID} {
			t.Run(fmt.Sprintf("viewer %q", viewer), func(t *testing.T) {
				refused(s.LoadPersona(t.Context(), hidden.ID, viewer, nil))(t, "read hidden", ErrNotFound)
				assert.Value(s.LoadPersona(t.Context(), shown.ID, viewer, nil))(t)
			})
		}
	})
}

func TestPersonas(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *Store) {
		addPersona := func(owner, name string, public bool) {
			p := savePersona(t, s, PersonaSave{OwnerID: owner, Doc: guardPersona(name, "gate")})
			if public {
				assert.NoError(t, s.PublishPersona(t.Context(), p.ID, owner))
			}
		}
		addPersona(alice.ID, "a1", true)
		addPersona(alice.ID, "a2", false)
		addPersona(bob.ID, "b1", true)
		addPersona(bob.ID, "b2", false)
		cases := []struct {
			list PersonaQuery
			want []string
		}{
			{PersonaQuery{PublicOnly: true, Limit: 20}, []string{"b1", "a1"}},
			{PersonaQuery{Limit: 20}, []string{"b1", "a1"}},
			{PersonaQuery{Viewer: alice.ID, PublicOnly: true, Limit: 20}, []string{"b1", "a1"}},
			{PersonaQuery{Viewer: alice.ID, Limit: 20}, []string{"b1", "a2", "a1"}},
			{PersonaQuery{Viewer: alice.ID, Mine: true, Limit: 20}, []string{"a2", "a1"}},
			{PersonaQuery{Viewer: alice.ID, Mine: true, PublicOnly: true, Limit: 20}, []string{"a1"}},
			{PersonaQuery{Mine: true, Limit: 20}, []string{}},
			{PersonaQuery{Viewer: alice.ID, Limit: 2}, []string{"b1", "a2"}},
			{PersonaQuery{Viewer: alice.ID, Mine: true, Limit: 1}, []string{"a2"}},
			{PersonaQuery{PublicOnly: true, Limit: 1}, []string{"b1"}},
			{PersonaQuery{PublicOnly: true}, []string{}},
			{PersonaQuery{Viewer: alice.ID, Limit: -1}, []string{}},
		}
		for _, c := range cases {
			t.Run(fmt.Sprintf("%+v", c.list), func(t *testing.T) {
				got := assert.Value(s.ListPersonas(t.Context(), c.list))(t)
				names := []string{}
				for _, item := range got {
					names = append(names, item.Name)
					assert.True(t, item.Public == (item.Name[1] == '1') && item.Description != "" && !item.CreatedAt.IsZero(),
						"item %+v", item)
				}
				assert.DeepEqual(t, names, c.want, c.list)
			})
		}
	})
}

func TestSavePersonaOnce(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, open opener) {
		clock := newClock()
		s := withUsers(t, open(t, Options{Now: clock.readTime}))
		in := PersonaSave{OwnerID: alice.ID, Doc: guardPersona("Ava", "gate"), Idempotency: &IdempotentCall{Scope: "save alice", Key: "k", BodyHash: "h"}}
		first := savePersona(t, s, in)
		again, created, err := s.SavePersona(t.Context(), in)
		assert.True(t, err == nil && created && reflect.DeepEqual(again, first),
			"again: %v, %v, %+v\nwant %+v", created, err, again, first)
		other := in
		other.Idempotency = &IdempotentCall{Scope: "save alice", Key: "k", BodyHash: "other"}
		_, _, err = s.SavePersona(t.Context(), other)
		checkRefuses(t, "another body", err, ErrKeyReused)
		_, _, err = s.LoadAnswer(t.Context(), other.Idempotency)
		checkRefuses(t, "answer to another body", err, ErrKeyReused)
		assert.Equal(t, countRows(t, s, "personas"), 1, "personas")
		for _, c := range []struct {
			after time.Duration
			ok    bool
		}{{IdempotencyWindow, true}, {IdempotencyWindow + time.Millisecond, false}} {
			t.Run(c.after.String(), func(t *testing.T) {
				clock.at = newClock().at.Add(c.after)
				_, ok, err := s.LoadAnswer(t.Context(), in.Idempotency)
				assert.True(t, ok == c.ok && err == nil, "after %v: answered %v, %v", c.after, ok, err)
			})
		}
		assert.True(t, savePersona(t, s, in).ID != first.ID, "a key of yesterday gave yesterday's answer")
		clock.at = clock.at.Add(IdempotencyWindow + time.Millisecond)
		in.Idempotency = &IdempotentCall{Scope: "save alice", Key: "another", BodyHash: "h"}
		savePersona(t, s, in)
		assert.Equal(t, countRows(t, s, "answers"), 1, "answers are kept want only the new one")
		_, ok, err := s.LoadAnswer(t.Context(), &IdempotentCall{})
		assert.True(t, !ok && err == nil, "the zero Once: %v, %v", ok, err)
	})
}

func TestKeys(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, open opener) {
		clock := newClock()
		s := withUsers(t, open(t, Options{Now: clock.readTime}))
		k := Key{ID: "1", OwnerID: alice.ID, Name: "game", Prefix: "pk_live_ab", Hash: "hash", CreatedAt: RoundTime(clock.at)}
		assert.NoError(t, s.CreateKey(t.Context(), k))
		checkRefuses(t, "same id", s.CreateKey(t.Context(), Key{ID: "1", OwnerID: alice.ID, Hash: "other"}), ErrConflict)
		checkRefuses(t, "same hash", s.CreateKey(t.Context(), Key{ID: "2", OwnerID: bob.ID, Hash: "hash"}), ErrConflict)
		got := assert.Value(s.KeyByHash(t.Context(), "hash"))(t)
		assert.Equal(t, got, k)
		for _, step := range []struct{ after, used time.Duration }{{0, 0}, {keyUseGrain - time.Millisecond, 0}, {keyUseGrain, keyUseGrain}} {
			clock.at = newClock().at.Add(step.after)
			assert.NoError(t, s.TouchKey(t.Context(), got))
			got = assert.Value(s.KeyByHash(t.Context(), "hash"))(t)
			want := RoundTime(newClock().at.Add(step.used))
			assert.True(t, got.LastUsedAt.Equal(want), "after %v: last used %v, want %v", step.after, got.LastUsedAt, want)
		}
		checkRefuses(t, "revoke by another", s.RevokeKey(t.Context(), "1", bob.ID), ErrNotFound)
		if keys, err := s.ListKeys(t.Context(), alice.ID); err != nil || len(keys) != 1 {
			t.Errorf("keys %v, %v", keys, err)
		}
		assert.NoError(t, s.RevokeKey(t.Context(), "1", alice.ID))
		checkRefuses(t, "revoke again", s.RevokeKey(t.Context(), "1", alice.ID), ErrNotFound)
		refused(s.KeyByHash(t.Context(), "hash"))(t, "a revoked key", ErrNotFound)
		if keys, err := s.ListKeys(t.Context(), alice.ID); err != nil || len(keys) != 0 {
			t.Errorf("keys after revoking %v, %v", keys, err)
		}
	})
}

func TestNumbersAtTheirLimits(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *Store) {
		p := publishPersona(t, s, "gate")
		o := newOpening(p, "gate", "visitor")
		o.Session.Engine.Score = math.MinInt
		assert.Value(s.SaveOpening(t.Context(), o))(t)
		l := assert.Value(s.LoadSession(t.Context(), o.PlayerRef, "gate", 20))(t)
		assert.Equal(t, l.Session.Engine.Score, math.MinInt)
	})
}

// TestNamesBelongToUsers: a user's name is still free for everybody else.
func TestNamesBelongToUsers(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *Store) {
		p := publishPersona(t, s, "gate")
		users := []string{bob.ID, alice.ID, ""}
		as := func(user string) PlayerRef {
			return PlayerRef{PersonaID: p.ID, UserSessionID: "player-1", UserID: user}
		}
		ids := map[string]string{}
		for _, user := range users {
			o := newOpening(p, "gate", "player-1")
			o.UserID = user
			assert.Value(s.SaveOpening(t.Context(), o))(t)
			ids[user] = o.Session.ID
			sayLine(t, s, as(user), "gate", "of "+user, false)
		}
		for _, user := range users {
			n, messages := readHistory(t, s, as(user), "")
			assert.True(t, n.ID == ids[user] && messages[1].Content == "of "+user, "%q sees session %s, %+v", user, n.ID, messages)
		}
		nobodys := func(want string) {
			t.Helper()
			st := assert.Value(s.LoadProgressWithRoute(t.Context(), as("")))(t)
			if found := len(st.Sessions) == 1; found != (want != "") || found && st.Sessions[0].ID != want {
				t.Errorf("without a token progress shows %+v, want session %q", st.Sessions, want)
			}
		}
		nobodys(ids[""])
		for _, c := range []struct{ user, shown string }{{"", ""}, {alice.ID, ids[bob.ID]}, {bob.ID, ""}} {
			n, err := s.ResetProgress(t.Context(), as(c.user))
			assert.True(t, n == 1 && err == nil, "reset progress as %q: %d, %v", c.user, n, err)
			nobodys(c.shown)
		}
	})
}

// TestTraceOfAName: an author sees the own player, else an anonymous one, else the latest.
func TestTraceOfAName(t *testing.T) {
	onEachStore(t, func(t *testing.T, s *Store) {
		p := publishPersona(t, s, "gate", "cellar")
		enter := func(user, machine string) string {
			t.Helper()
			o := newOpening(p, machine, "v")
			o.UserID = user
			assert.Value(s.SaveOpening(t.Context(), o))(t)
			return o.Session.ID
		}
		shows := func(want string) {
			t.Helper()
			h := assert.Value(s.OpenTraces(t.Context(), PlayerRef{PersonaID: p.ID, UserSessionID: "v", UserID: alice.ID}, "", HistoryPart{}))(t)
			assert.Equal(t, h.Session.ID, want, "the trace is of session")
		}
		shows(enter(bob.ID, "gate"))
		shows(enter(bob.ID, "cellar"))
		hers := enter(alice.ID, "gate")
		shows(hers)
		nobodys := enter("", "gate")
		shows(hers)
		assert.Value(s.ResetProgress(t.Context(), PlayerRef{PersonaID: p.ID, UserSessionID: "v", UserID: alice.ID}))(t)
		shows(nobodys)
	})
}

// TestOwnedPlayersGetTheirSpace: what users owned before names belonged to them is theirs.
func TestOwnedPlayersGetTheirSpace(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, open opener) {
		s := withUsers(t, open(t, Options{}))
		p := publishPersona(t, s, "gate")
		own, sdk := newOpening(p, "gate", "hers"), newOpening(p, "gate", "hers")
		own.UserID, sdk.Space = alice.ID, alice.ID
		for _, o := range []Opening{own, sdk} {
			assert.Value(s.SaveOpening(t.Context(), o))(t)
		}
		nobodys := enterMachine(t, s, p, "gate", "v")
		undoMigrations(t, s, 4)
		assert.Value(rawPool(t, s).ExecContext(t.Context(), "UPDATE players SET space = '' WHERE owner_id IS NOT NULL"))(t)
		later := open(t, Options{Path: addressOf(s)})
		for _, o := range []Opening{own, sdk, nobodys} {
			assert.Equal(t, mustLoad(t, later, o.PlayerRef, "").Session.ID, o.Session.ID, "%+v has session", o.PlayerRef)
		}
		refused(later.LoadSession(t.Context(), PlayerRef{PersonaID: p.ID, UserSessionID: "hers"}, "", 20))(t, "hers without a token", ErrNoSession)
	})
}
