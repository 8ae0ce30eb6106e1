package play

import (
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// newPatientFixture is the gatehouse with a first state that has a patience of two.
func newPatientFixture(t *testing.T) *serviceFixture {
	t.Helper()
	st := newServiceFixture(t, store.Normal)
	doc := document(t)
	hello := doc.Machines[0].States[0].Offline
	hello.Patience, hello.Lines.Unknown = new(2), []string{"Pardon, {{player_name}}?"}
	st.save(doc)
	st.open("")
	return st
}

// TestAside follows asides through a session: on the wire, in the history, in the
// trace, and after the patience.
func TestAside(t *testing.T) {
	st := newPatientFixture(t)
	in := st.history("").SessionID
	for _, c := range []struct {
		say  string
		want wire.Reply
	}{
		{"nice weather [[aside]]", wire.Reply{Message: "Pardon, Kim?", CurrentState: "hello", FollowUp: true, Aside: true, RedirectCount: new(0)}},
		{"I want gold [[follow_up]]", wire.Reply{Message: "Go on.", CurrentState: "hello", FollowUp: true, RedirectCount: new(0)}},
		{"one [[aside]]", wire.Reply{Message: "Pardon, Kim?", CurrentState: "hello", FollowUp: true, Aside: true, RedirectCount: new(0)}},
		{"two [[ASIDE]]", wire.Reply{Message: "Pardon, Kim?\n\n(Still to do: Get in.)", CurrentState: "hello", FollowUp: true, Aside: true, RedirectCount: new(0)}},
		{"three [[aside]]", wire.Reply{Message: "What?", CurrentState: "hello", Score: -1, Decision: new("redirect"), RedirectCount: new(1)}},
	} {
		c.want.SessionID, c.want.ScoringMode = in, string(personas.Scoring)
		assert.DeepEqual(t, st.say("", c.say).Reply, c.want, c.say)
	}
	checkKeptAsides(t, st)
}

func checkKeptAsides(t *testing.T, st *serviceFixture) {
	t.Helper()
	var asides, judged []bool
	for _, m := range st.history("").Messages[1:] {
		if m.Role == wire.RoleAssistant {
			asides = append(asides, m.Aside && m.FollowUpTriggered && m.Decision == nil)
		}
	}
	for _, turn := range st.trace("alice").Turns[1:] {
		judged = append(judged, turn.Aside && strings.Contains(turn.Evaluation, "aside"))
	}
	assert.EqualSlices(t, asides, []bool{true, false, true, true, false})
	assert.EqualSlices(t, judged, []bool{true, false, true, true, true})
}

// TestAsideWithoutLines answers plainly, as a stage direction or in the character's words, and
// retries a model that makes two decisions at once.
func TestAsideWithoutLines(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	st.open("")
	r := st.say("", "lovely gate [[aside]]")
	assert.True(t, r.Aside && !strings.ContainsAny(r.Message, "*“”"), "%+v", r)
	_, ok := (&turn{}).verdictOf(llm.Evaluation{Aside: true, FollowUp: true})
	assert.True(t, !ok, "an aside and a follow-up at once are taken")
}

// TestLastTryIsNotGuessed: a doubtful miss with the last try is asked about once, in the
// author's words for what was not understood; a clear answer then wins, and another miss ends it.
func TestLastTryIsNotGuessed(t *testing.T) {
	for answer, want := range map[string]string{"The rind I guess": "open", "I look at everything": "ditch"} {
		st := newServiceFixture(t, store.Full)
		st.save(findSample(t, "Hobb"))
		st.open("")
		st.say("", "I have a letter for the mayor")
		r := st.say("", "I look at everything")
		assert.Must(t, r.Decision != nil && *r.Decision == "redirect", "a miss with three tries left: %+v", r)
		st.say("", "I am very good at my job")
		if r := st.say("", "the bit at the end of it"); !r.FollowUp || r.CurrentState != "papers" || !strings.Contains(r.Message, "cheese") {
			t.Errorf("a doubtful miss with the last try: %+v", r)
		}
		assert.Equal(t, st.say("", answer).CurrentState, want, "%q leads to", answer)
	}
}
