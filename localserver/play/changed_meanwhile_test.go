package play

import (
	"context"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/assert"
)

// TestRefusalSaysWhatHappened: a persona that was saved or deleted while the model thought
// is not told as another call of the session.
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
