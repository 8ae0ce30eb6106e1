package conversation

import (
	"slices"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// TestNoFollowUpBehindAsides: a follow-up is offered when the service takes it, also after asides.
func TestNoFollowUpBehindAsides(t *testing.T) {
	followUp, aside, pass := wire.Reply{FollowUp: true}, wire.Reply{FollowUp: true, Aside: true}, wire.Reply{Decision: new("pass")}
	for _, c := range []struct {
		replies []wire.Reply
		want    bool
	}{
		{nil, true}, {[]wire.Reply{followUp}, false}, {[]wire.Reply{followUp, aside}, false}, {[]wire.Reply{followUp, aside, aside}, false},
		{[]wire.Reply{followUp, aside, pass}, true}, {[]wire.Reply{aside}, true}, {[]wire.Reply{followUp, pass, aside}, true},
	} {
		at, history := Standing{}, wire.History{}
		for _, r := range c.replies {
			at = at.After(&r)
			history.Messages = append(history.Messages, wire.HistoryMessage{Role: wire.RoleAssistant, FollowUpTriggered: r.FollowUp, Aside: r.Aside})
		}
		m := &Machine{}
		for _, at := range []Standing{at, sessionOf(m, history).Standing} {
			offered := slices.ContainsFunc(m.ListDirections(at), func(d Direction) bool { return d.Mark == "[[follow_up]]" })
			assert.Equal(t, offered, c.want, "after %+v: offered", c.replies)
		}
	}
}
