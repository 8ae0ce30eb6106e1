package play

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/scripted"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

func TestOpenChoosesTheMachine(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	ids := st.persona.MachineIDs
	for _, machine := range []string{"", "gate", ids["gate"]} {
		assert.Equal(t, st.open(machine).MachineID, ids["gate"], "%q opened", machine)
	}
	for machine, want := range map[string]Kind{
		"cellar": Locked, ids["cellar"]: Locked, "nowhere": NotFound, "00000000-0000-7000-8000-000000000000": NotFound,
	} {
		refused(st.Open(t.Context(), OpenRequest{Ref: st.ref(machine)}))(t, machine, want)
	}
	same(t, "available", availableKeys(st.progress()), "gate")
}

func (st *serviceFixture) finish() Reply {
	st.t.Helper()
	st.open("gate")
	st.say("gate", "please [[pass]]")
	return st.say("gate", "open [[pass]]")
}

func TestOpenAgainReplaces(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	st.finish()
	before := st.history("gate")
	o := st.open("gate")
	now := st.history("gate")
	assert.True(t, o.SessionID != before.SessionID, "after opening again: %+v", now)
	assert.Must(t, len(now.Messages) == 1, "after opening again: %+v", now)
	assert.Equal(t, now.CurrentState, "hello")
	assert.Equal(t, now.Score, 0)
	assert.Equal(t, now.Outcome, nil)
	p := st.progress()
	same(t, "available", availableKeys(p), "gate", "cellar", "tower")
	assert.True(t, len(p.CompletedMachines) == 1 && p.CompletedMachines[0].Outcome == string(personas.Accept) && textOf[string](p.CurrentMachineID) == o.MachineID,
		"what was completed did not stay: %+v", p)
	st.say("gate", "please [[pass]]")
	r := st.say("gate", "out [[kick_out]]")
	if p := st.progress(); textOf[personas.Outcome](r.Outcome) != personas.KickOut || p.CompletedMachines[0].Outcome != string(personas.KickOut) || p.RelationshipLevel != -2 {
		t.Errorf("the latest completion does not count: %+v", p)
	}
	same(t, "available after a worse end", availableKeys(st.progress()), "gate", "cellar", "tower")
	assert.Empty(t, st.finish().Unlocked, "unlocked a second time")
}

func TestNewestSessionIsMeant(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	st.finish()
	st.open("tower")
	cellar := st.open("cellar")
	gate := st.open("gate")
	assert.Equal(t, st.history("").SessionID, gate.SessionID, "history")
	st.say("cellar", "hm [[redirect]]") // talking there does not make it the newest
	assert.Equal(t, st.say("", "please [[pass]]").SessionID, gate.SessionID, "the message went to")
	assert.Equal(t, textOf[string](st.progress().CurrentMachineID), gate.MachineID, "current machine")
	st.say("", "open [[pass]]")
	assert.Equal(t, textOf[string](st.progress().CurrentMachineID), cellar.MachineID, "current machine")
}

func TestMissingSessionsAreRefused(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	nobody := Ref{PersonaID: st.persona.ID, UserSessionID: "nobody"}
	unknown := Ref{PersonaID: "unknown", UserSessionID: "v"}
	for _, c := range []struct {
		what string
		ref  Ref
	}{{"no session", nobody}, {"unknown persona", unknown}} {
		t.Run(c.what, func(t *testing.T) {
			refused(st.Turn(t.Context(), TurnRequest{Ref: c.ref, Message: "x"}))(t, "message, "+c.what, NotFound)
			refused(st.readHistory(t.Context(), c.ref))(t, "history, "+c.what, NotFound)
			refused(st.Reset(t.Context(), c.ref))(t, "reset, "+c.what, NotFound)
		})
	}
	refused(st.Open(t.Context(), OpenRequest{Ref: unknown}))(t, "open", NotFound)
	refused(st.Progress(t.Context(), unknown))(t, "progress", NotFound)
	refused(st.Available(t.Context(), unknown))(t, "available", NotFound)
	refused(st.ResetProgress(t.Context(), unknown))(t, "reset progress", NotFound)
	refused(st.Migrate(t.Context(), "alice", "nobody"))(t, "migrate", NotFound)
	p, err := st.Progress(t.Context(), nobody)
	assert.NoError(t, err)
	assert.Equal(t, textOf[string](p.CurrentMachineID), "")
	assert.Must(t, p.CrossMachineVars != nil, "progress of nobody: %+v, %v", p, err)
	assert.Equal(t, len(p.CompletedMachines)+len(p.RoutePath), 0)
	reset, err := st.ResetProgress(t.Context(), nobody)
	assert.True(t, reset.DeletedSessions == 0 && err == nil, "reset progress of nobody: %+v, %v", reset, err)
	st.open("")
	for _, machine := range []string{"nowhere", "cellar"} {
		refused(st.Reset(t.Context(), st.ref(machine)))(t, "reset "+machine, NotFound)
		refused(st.Turn(t.Context(), TurnRequest{Ref: st.ref(machine), Message: "x"}))(t, "message to "+machine, NotFound)
	}
}

func TestReset(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	st.tick()
	st.finish()
	st.open("tower")
	st.say("tower", "x [[redirect]]")
	cellar := st.open("cellar")
	st.say("cellar", "x [[redirect]]")
	done := assert.Value(st.Reset(t.Context(), st.ref("cellar")))(t)
	assert.Equal(t, done, wire.ResetDone{SessionID: cellar.SessionID, Message: cellar.Message})
	h := st.history("cellar")
	assert.Must(t, len(h.Messages) == 1, "after a reset: %+v", h)
	assert.Equal(t, h.Messages[0].Content, cellar.Message)
	assert.Equal(t, h.CurrentState, "dark")
	assert.True(t, h.LastMessageAt.Equal(h.Messages[0].CreatedAt.Time), "after a reset: %+v", h)
	assert.Equal(t, len(st.history("gate").Messages), 5, "another machine's history")
	done = assert.Value(st.Reset(t.Context(), st.ref("")))(t)
	assert.Equal(t, done.SessionID, cellar.SessionID)
	for _, machine := range []string{"gate", "tower", "cellar"} {
		h := st.history(machine)
		assert.True(t, len(h.Messages) == 1 && h.Outcome == nil && h.Score == 0, "%s after a reset of all: %+v", machine, h)
	}
	p := st.progress()
	assert.Equal(t, len(p.CompletedMachines), 1)
	assert.Equal(t, len(p.RoutePath), 3)
	assert.Equal(t, p.RelationshipLevel, 0)
	st.say("gate", "please [[pass]]") // and the finished machine goes on
}

func TestSessionPlaysItsVersion(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	st.finish()
	st.open("gate")
	doc := document(t)
	doc.Machines[0].States[0].Key, doc.Machines[0].Transitions[0].From, doc.Machines[0].Transitions[1].From = "new", "new", "new"
	doc.Machines = doc.Machines[:2] // tower and attic go
	doc.Links = doc.Links[:1]
	st.save(doc)
	assert.Equal(t, st.say("gate", "please [[pass]]").CurrentState, "talk")
	r := st.say("gate", "open [[pass]]")
	assert.True(t, r.MachineCompleted, "the session does not end: %+v", r)
	same(t, "available", availableKeys(st.progress()), "gate", "cellar")
	refused(st.Open(t.Context(), OpenRequest{Ref: st.ref("tower")}))(t, "a machine that is gone", NotFound)
	st.open("gate")
	assert.Equal(t, st.history("gate").CurrentState, "new", "a new session")
}

// TestLinkYoungerThanItsCompletion adds a link when its source was completed.
func TestLinkYoungerThanItsCompletion(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	doc := document(t)
	links := doc.Links
	doc.Links = links[2:]
	doc.Machines[1].States[0].Offline = nil
	st.save(doc)
	st.finish()
	doc.Links = links
	st.save(doc)
	same(t, "available", availableKeys(st.progress()), "gate", "cellar", "tower")
	st.open("cellar")
	st.open("gate")
	st.say("gate", "please [[pass]]")
	st.say("gate", "out [[kick_out]]")
	same(t, "after a worse end", availableKeys(st.progress()), "gate", "cellar", "tower")
}

// TestSavedWhileOpening saves new versions while the model thinks of the line.
func TestSavedWhileOpening(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	left := maxOpenings - 1
	st.actor.open = func() error {
		if left > 0 {
			left--
			st.save(document(t))
		}
		return nil
	}
	st.open("")
	left = maxOpenings
	refused(st.Open(t.Context(), OpenRequest{Ref: st.ref("")}))(t, "saved again and again", Conflict)
	assert.Equal(t, len(st.progress().RoutePath), 1, "the route")
}

// TestSignedInPlayerGoesOn: a session begun without a token can be continued with one, unless the
// user already has a player with that id. The next opening makes it the user's.
func TestSignedInPlayerGoesOn(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	began := st.open("")
	st.say("", "please [[pass]]")
	bob := st.ref("")
	bob.UserID = "bob"
	assert.Value(st.Turn(t.Context(), TurnRequest{Ref: bob, Message: "hm [[redirect]]"}))(t)
	h := st.history("")
	assert.True(t, h.SessionID == began.SessionID && len(h.Messages) == 5, "a message took the session away: %+v", h)
	assert.Value(st.Open(t.Context(), OpenRequest{Ref: bob, PlayerName: "Bob"}))(t)
	refused(st.readHistory(t.Context(), st.ref("")))(t, "without the token", NotFound)
	p, err := st.Progress(t.Context(), bob)
	assert.True(t, err == nil && len(p.RoutePath) == 2, "bob's progress: %+v, %v", p, err)
}

func TestMigrate(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	st.finish()
	st.open("tower")
	for range 2 {
		m := assert.Value(st.Migrate(t.Context(), "bob", "v"))(t)
		assert.Equal(t, m.MigratedSessions, 2)
		assert.DeepEqual(t, m.Personas, []string{st.persona.ID})
	}
	refused(st.Migrate(t.Context(), "alice", "v"))(t, "somebody else's", NotFound)
	refused(st.readHistory(t.Context(), st.ref("")))(t, "without the token", NotFound)
	st.open("")
	refused(st.Migrate(t.Context(), "bob", "v"))(t, "a second time with the same persona", Conflict)
	assert.Equal(t, len(st.history("").Messages), 1)
	own := st.ref("")
	own.UserID = "bob"
	h, err := st.readHistory(t.Context(), own)
	assert.True(t, err == nil && len(h.Messages) == 1, "with the token: %+v, %v", h, err)
}

func TestRequestsBringTheirModel(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	own := &actor{Model: scripted.New()}
	assert.Value(st.Open(t.Context(), OpenRequest{Ref: st.ref(""), Model: own}))(t)
	assert.Value(st.Turn(t.Context(), TurnRequest{Ref: st.ref(""), Message: "please [[pass]]", Model: own}))(t)
	assert.Equal(t, own.calls.Load(), 2)
	assert.Equal(t, st.actor.calls.Load(), 0)
}

func TestUnreadablePersonaIsNoRefusal(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	st.save(personas.Persona{Name: "empty"})
	_, err := st.Open(t.Context(), OpenRequest{Ref: st.ref("")})
	_, ok := errors.AsType[*Error](err)
	assert.True(t, !ok && err != nil, "got %v, want an internal error", err)
}

// TestSession looks at a session without its messages, on each side.
func TestSession(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	ctx := context.Background()
	refused(st.Session(ctx, st.ref("")))(t, "none", NotFound)
	opening := st.open("gate")
	st.say("gate", "hm [[redirect]]")
	n, err := st.Session(ctx, st.ref(""))
	h := st.history("gate")
	assert.NoError(t, err)
	assert.Equal(t, n.SessionID, opening.SessionID)
	assert.Equal(t, n.MachineID, opening.MachineID)
	assert.Equal(t, n.PersonaID, st.persona.ID)
	assert.Equal(t, n.PlayerName, "Kim")
	assert.Equal(t, n.CurrentState, h.CurrentState)
	assert.Equal(t, n.Score, h.Score)
	assert.Equal(t, n.Outcome, nil)
	assert.Equal(t, h.Outcome, nil)
	assert.True(t, n.StartedAt.Equal(h.StartedAt.Time), "%+v, history %+v, %v", n, h, err)
	assert.True(t, n.LastMessageAt.Equal(h.LastMessageAt.Time), "%+v, history %+v, %v", n, h, err)
	refused(st.Session(ctx, st.ref("cellar")))(t, "another machine", NotFound)
	for space, kind := range map[string]Kind{"alice": NotFound, "bob": Forbidden} {
		r := st.ref("")
		r.Space = space
		refused(st.Session(ctx, r))(t, "in the space of "+space, kind)
	}
}

// TestOpenConversations: the owner gets the newest open conversations and their first turns.
func TestOpenConversations(t *testing.T) {
	st := newServiceFixture(t, store.Volatile)
	st.open("")
	for i := range maxOpenTurns + 1 {
		st.say("gate", fmt.Sprintf("word %d [[aside]]", i))
	}
	list, err := st.OpenConversations(t.Context(), st.persona.ID, "alice")
	assert.NoError(t, err)
	assert.Must(t, len(list) == 1, "%d conversations, %v", len(list), err)
	assert.Must(t, len(list[0].Turns) == maxOpenTurns, "%d conversations, %v", len(list), err)
	assert.Equal(t, list[0].Machine, "gate")
	assert.Equal(t, list[0].Opening, "hello")
	assert.Equal(t, list[0].Turns[1].Message, "word 1 [[aside]]")
	for i := range maxOpenConversations + 1 {
		assert.Value(st.Open(t.Context(), OpenRequest{Ref: Ref{PersonaID: st.persona.ID, UserSessionID: fmt.Sprint("p", i)}, PlayerName: "Kim", PlayerGender: "female"}))(t)
	}
	ended := Ref{PersonaID: st.persona.ID, UserSessionID: fmt.Sprint("p", maxOpenConversations)}
	for _, words := range []string{"a [[pass]]", "b [[pass]]"} {
		assert.Value(st.Turn(t.Context(), TurnRequest{Ref: ended, Message: words}))(t)
	}
	list, err = st.OpenConversations(t.Context(), st.persona.ID, "alice")
	assert.True(t, err == nil && len(list) == maxOpenConversations && len(list[0].Turns) == 0, "%d conversations, %v", len(list), err)
	refused(st.OpenConversations(t.Context(), st.persona.ID, "bob"))(t, "somebody else's", Forbidden)
	refused(st.OpenConversations(t.Context(), "nothing", "alice"))(t, "no persona", NotFound)
}

// TestRefusalSaysWhatHappened: a persona that was saved meanwhile is reported as such.
func TestRefusalSaysWhatHappened(t *testing.T) {
	deletePersona := func(st *serviceFixture) {
		assert.NoError(t, st.Store.DeletePersona(t.Context(), st.persona.ID, "alice"))
	}
	for _, c := range []struct {
		name   string
		change func(*serviceFixture)
		call   func(*serviceFixture) error
		kind   Kind
		words  string
	}{
		{"init-session, saved", func(st *serviceFixture) { st.save(document(t)) }, openAgain, Conflict, savedMeanwhile},
		{"init-session, deleted", deletePersona, openAgain, NotFound, "there is no such persona"},
		{"message, deleted", deletePersona, sayPlease, Conflict, deletedMeanwhile},
		{"message that ends the machine, deleted", deletePersona, sayTheEnd, Conflict, deletedMeanwhile},
		{"message, reset", func(st *serviceFixture) { assert.Value(st.Reset(t.Context(), st.ref("")))(t) }, sayPlease, Conflict, "another call changed the session first: read its history, then send again"},
	} {
		t.Run(c.name, func(t *testing.T) {
			st := newServiceFixture(t, store.Normal)
			st.open("")
			if strings.Contains(c.name, "ends") {
				st.say("", "please [[pass]]")
			}
			st.actor.evaluate = func(ctx context.Context, input llm.Input) (llm.Evaluation, error) {
				c.change(st)
				return st.actor.Model.Evaluate(ctx, input)
			}
			st.actor.open = func() error { c.change(st); return nil }
			err := c.call(st)
			refuses(t, c.name, err, c.kind)
			assert.Equal(t, err.Error(), c.words, "%s: %q", c.name, err)
		})
	}
}

func openAgain(st *serviceFixture) error {
	_, err := st.Open(st.t.Context(), OpenRequest{Ref: st.ref(""), PlayerName: "Kim"})
	return err
}

func sayPlease(st *serviceFixture) error {
	_, err := st.Turn(st.t.Context(), TurnRequest{Ref: st.ref(""), Message: "please [[pass]]"})
	return err
}

func sayTheEnd(st *serviceFixture) error {
	_, err := st.Turn(st.t.Context(), TurnRequest{Ref: st.ref(""), Message: "open [[pass]]"})
	return err
}

// TestStoredAnswers: an answer that an earlier version has stored is read unchanged.
func TestStoredAnswers(t *testing.T) {
	reply := wire.Reply{
		Message: "Enter.", CurrentState: "in", Score: 3, Outcome: new("ACCEPT"), Decision: new("pass"), SessionID: "s",
		ScoringMode: "scoring", MachineCompleted: true,
	}
	unlocked := []wire.UnlockedMachine{{MachineID: "i", MachineKey: "k", Name: "n", IsAutoAdvance: true}}
	for kept, want := range map[string]any{
		`{"message":"Halt!","session_id":"s","user_session_id":"u","persona_name":"p","persona_description":"d","player_name":"Kim","player_gender":"female","machine_id":"m"}`:                                                                                                                            &Opening{wire.Opening{Message: "Halt!", SessionID: "s", UserSessionID: "u", PersonaName: "p", PersonaDescription: new("d"), PlayerName: "Kim", PlayerGender: "female", MachineID: "m"}, true},
		`{"message":"Enter.","current_state":"in","score":3,"outcome":"ACCEPT","decision":"pass","follow_up":false,"redirect_count":null,"session_id":"s","scoring_mode":"scoring","machine_completed":true,"unlocked_machines":[{"machine_id":"i","machine_key":"k","name":"n","is_auto_advance":true}]}`: &Reply{wire.SDKReply{Reply: reply, Unlocked: unlocked}, true},
	} {
		got := reflect.New(reflect.TypeOf(want).Elem()).Interface()
		err := json.Unmarshal([]byte(kept), got)
		if r, ok := got.(*Reply); ok {
			r.Reply.Unlocked = nil // Only the list with objects is used.
		}
		assert.True(t, err == nil && reflect.DeepEqual(got, want), "read %+v, %v\nwant %+v", got, err, want)
		assert.Equal(t, string(assert.Value(json.Marshal(want))(t)), kept)
	}
}
