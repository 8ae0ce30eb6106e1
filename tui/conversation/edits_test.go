package conversation

import (
	"context"
	"slices"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/playtest"
	"github.com/parley-npc/parley/personas/wire"
)

// branching is a service with one conversation of so many turns. It counts what it is asked.
type branching struct {
	Service

	turns  int
	forks  []wire.Fork
	opened int
	said   []string
}

func (s *branching) History(context.Context, string, string, string) (wire.History, error) {
	h := wire.History{Messages: []wire.HistoryMessage{{Role: wire.RoleAssistant, Content: "Halt."}}}
	for range s.turns {
		h.Messages = append(h.Messages, wire.HistoryMessage{Role: wire.RoleUser, Content: "hm"}, wire.HistoryMessage{Role: wire.RoleAssistant, Content: "Mm."})
	}
	return h, nil
}

func (s *branching) FullPersona(context.Context, string) (wire.FullPersona, error) {
	return wire.FullPersona{Machines: []wire.Machine{{ID: "m", Machine: personas.Machine{Key: "gate"}}}}, nil
}

func (s *branching) Fork(_ context.Context, _, _ string, body wire.Fork) (wire.Branch, error) {
	s.forks = append(s.forks, body)
	return wire.Branch{UserSessionID: "branch"}, nil
}

func (s *branching) InitSession(context.Context, string, string, wire.InitSession) (wire.Opening, error) {
	s.opened++
	return wire.Opening{}, nil
}

func (s *branching) SendMessage(_ context.Context, _, _ string, body wire.Message) (wire.Reply, error) {
	s.said = append(s.said, body.UserSessionID+": "+body.Message)
	return wire.Reply{}, nil
}

// noMemory remembers nothing.
type noMemory struct{ Memory }

func (noMemory) Recall(string) (SavedSession, bool)   { return SavedSession{}, false }
func (noMemory) Remember(SavedSession) error          { return nil }
func (noMemory) Forget(persona, session string) error { return nil }

// TestUpdateSession: the built-in model replays up to 300 turns; other conversations keep their texts in a fork.
func TestUpdateSession(t *testing.T) {
	for _, c := range []struct {
		name        string
		directed    bool
		turns, same int
		unknown     bool // no edit is known
		again, at   int  // turns said again, or -1; turns of the fork
	}{
		{"a short one", true, 3, 3, false, 3, 0},
		{"a short one, before a change", true, 3, 2, false, 2, 0},
		{"the longest", true, maxRepeated, maxRepeated, false, maxRepeated, 0},
		{"a longer one", true, maxRepeated + 1, maxRepeated + 1, false, -1, maxRepeated + 1},
		{"with another model", false, 3, 2, false, -1, 2},
		{"its opening", false, 3, 0, false, 0, 0},
		{"of an unknown edit", true, 3, 3, true, -1, 3},
	} {
		s := &branching{turns: c.turns}
		o := Options{Service: s, Memory: noMemory{}, NewID: func() string { return "id" }, Directed: c.directed}
		o.FillDefaults()
		edit := &Edit{Compare: func(context.Context, string, wire.History) (playtest.Difference, error) {
			d := playtest.Difference{Turns: c.turns, Same: c.same}
			if c.same < c.turns {
				d.Change = "it differs"
			}
			return d, nil
		}}
		if c.unknown {
			edit = nil
		}
		full, _ := s.FullPersona(t.Context(), "")
		v := &UserSession{Persona: NewPersona("p", full), Saved: SavedSession{UserSessionID: "u"}}
		sc := &Session{Machine: v.Persona.FindMachine("m")}
		if u, err := NewRequester(&o).UpdateSession(t.Context(), v, sc, edit, false); err != nil || (u.Session == nil) != (c.same < c.turns) {
			t.Errorf("%s: not sure: %+v, %v", c.name, u, err)
		}
		*s = branching{turns: c.turns}
		u, err := NewRequester(&o).UpdateSession(t.Context(), v, sc, edit, true)
		assert.NoError(t, err, c.name)
		assert.Must(t, u.Session != nil, "%s: %+v", c.name, u)
		assert.Equal(t, u.User.Saved.UserSessionID, "branch", c.name)
		assert.Equal(t, v.Saved.UserSessionID, "u", c.name)
		assert.Equal(t, u.Words != "", c.same < c.turns, "%s: words %q", c.name, u.Words)
		said, opened := len(s.said), 1
		if c.again < 0 {
			said, opened = -1, 0
		}
		assert.Must(t, len(s.forks) == 1, "%s: forks %+v", c.name, s.forks)
		assert.Equal(t, s.forks[0].At, c.at, "%s: position", c.name)
		assert.Equal(t, s.forks[0].Latest, c.again < 0, "%s: latest", c.name)
		assert.Equal(t, s.opened, opened, "%s: openings", c.name)
		assert.Equal(t, said, c.again, "%s: messages", c.name)
		if said > 0 && s.said[0] != "branch: hm" {
			t.Errorf("%s: said %q", c.name, s.said[0])
		}
	}
}

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
