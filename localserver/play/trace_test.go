package play

import (
	"context"
	"testing"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

func (st *serviceFixture) trace(user string) wire.Trace {
	st.t.Helper()
	r := st.ref("")
	r.UserID = user
	return assert.Value(st.readTrace(context.Background(), r))(st.t)
}

// TestTrace plays two turns and reads their traces, including the cost of each step.
func TestTrace(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	st.tick()
	opening := st.open("")
	cost := func(in int) llm.Usage { return llm.Usage{Model: "openai/gpt", In: in, Out: 1} }
	asked := 0
	st.actor.evaluate = func(context.Context, llm.Input) (llm.Evaluation, error) {
		asked++
		if asked == 1 { // no choice: it is asked for again, and both cost
			return llm.Evaluation{Matches: []llm.Match{{Transition: 99}}, Usage: cost(10)}, nil
		}
		return llm.Evaluation{Matches: []llm.Match{{Transition: 0, Why: "polite"}}, Why: "she says please", Usage: cost(20)}, nil
	}
	st.actor.reply = func(_ context.Context, _ llm.Input, emit func(string) error) (llm.GeneratedText, error) {
		return llm.GeneratedText{Text: "Well.", Why: "written", Usage: cost(100)}, emit("Well.")
	}
	r := st.say("", "please")
	assert.Equal(t, r.Tokens, wire.Tokens{In: 130, Out: 3}, "tokens")
	tr := st.trace("alice")
	messages := st.history("").Messages
	want := wire.Trace{SessionID: opening.SessionID, PersonaID: st.persona.ID, MachineID: opening.MachineID, Turns: []wire.TurnTrace{
		{MessageID: messages[0].ID, CreatedAt: messages[0].CreatedAt, Holds: []wire.Hold{}, Reply: "offline: state hello, enter, line 1 of 1", Usage: map[string]wire.Usage{}},
		{
			MessageID: messages[2].ID, CreatedAt: messages[2].CreatedAt, Evaluation: "she says please",
			Holds: []wire.Hold{{Transition: 0, Why: "polite"}}, Transition: new(0), Reply: "written",
			Usage: map[string]wire.Usage{stepEvaluation: {Model: "openai/gpt", In: 30, Out: 2}, stepResponse: {
				Model: cost(100).Model, In: cost(100).In, Out: cost(100).Out,
			}},
		},
	}}
	assert.DeepEqual(t, tr, want)
}

// TestTraceIsTheAuthors: only the owner, and players who may direct, read traces.
func TestTraceIsTheAuthors(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	directs := false
	st.MayDirect = func(context.Context) bool { return directs }
	bobs := st.ref("")
	bobs.UserID = "bob"
	assert.Value(st.Open(t.Context(), OpenRequest{Ref: bobs, PlayerName: "Bob"}))(t)
	assert.Equal(t, len(st.trace("alice").Turns), 1)
	for user, want := range map[string]Kind{"bob": Forbidden, "": Forbidden} {
		r := st.ref("")
		r.UserID = user
		refused(st.readTrace(t.Context(), r))(t, "as "+user, want)
	}
	directs = true
	tr := assert.Value(st.readTrace(t.Context(), bobs))(t)
	assert.Equal(t, len(tr.Turns), 1, "a player who may direct reads %+v", tr)
	refused(st.readTrace(t.Context(), st.ref("")))(t, "another's session", NotFound)
	alice := st.ref("")
	alice.UserID = "alice"
	for what, change := range map[string]func(*Ref){
		"no session":      func(r *Ref) { r.UserSessionID = "nobody" },
		"no such machine": func(r *Ref) { r.Machine = "nowhere" },
		"another machine": func(r *Ref) { r.Machine = "cellar" },
		"no persona":      func(r *Ref) { r.PersonaID = "none" },
	} {
		t.Run(what, func(t *testing.T) {
			r := alice
			change(&r)
			refused(st.readTrace(t.Context(), r))(t, what, NotFound)
		})
	}
	assert.NoError(t, st.Store.DeletePersona(t.Context(), st.persona.ID, "alice"))
	refused(st.readTrace(t.Context(), alice))(t, "a deleted persona", NotFound)
}
