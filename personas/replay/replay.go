// Package replay plays kept conversations again with another version of their persona. It reads no
// files and asks no service; conversations and a judge are passed in.
package replay

import (
	"context"
	"slices"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/intent"
	"github.com/parley-npc/parley/personas/playtest"
	"github.com/parley-npc/parley/personas/wire"
)

// A Conversation is what was said in one machine, and what became of it.
type Conversation struct {
	Source  string // where it was read, shown to the author
	Machine string // its key
	Opening string // the state of the opening; empty if it is not known
	Turns   []Turn
}

// A Turn is a message of the player, its effect, and the reply.
type Turn struct {
	Message string
	Step    Step
	Reply   string
}

// A Step is what a message did.
type Step struct {
	// Decision is "pass", "redirect", "reject", "kick_out", "follow_up" or "aside".
	Decision string `json:"decision"`
	State    string `json:"state"`
	Score    int    `json:"score"`
	// Outcome is the ending, if the machine ended with the message.
	Outcome string `json:"outcome,omitempty"`
}

// FromHistory returns the conversation that a service has kept. outcome is the ending, empty if
// the conversation is open.
func FromHistory(source, machine, outcome string, messages []wire.HistoryMessage) Conversation {
	c := Conversation{Source: source, Machine: machine}
	said := "" // by the player, not answered yet
	for i := range messages {
		m := &messages[i]
		switch {
		case m.Role == wire.RoleUser:
			said = m.Content
		case said != "":
			c.Turns = append(c.Turns, Turn{said, StepOf(m), m.Content})
			said = ""
		case len(c.Turns) == 0:
			c.Opening = m.StateKeyAtTime
		}
	}
	if n := len(c.Turns); n > 0 {
		c.Turns[n-1].Step.Outcome = outcome
	}
	return c
}

// StepOf returns the effect of a message from the reply to it, without the outcome.
func StepOf(reply *wire.HistoryMessage) Step {
	return Step{Decision: decisionOf(reply), State: reply.StateKeyAtTime, Score: reply.ScoreAtTime}
}

func decisionOf(m *wire.HistoryMessage) string {
	switch {
	case m.Aside:
		return personas.AsideName
	case m.FollowUpTriggered:
		return personas.FollowUpName
	case m.Decision != nil:
		return *m.Decision
	}
	return string(personas.DecideRedirect)
}

// A Judge returns the decision that a message makes, by name, and the transitions that hold.
type Judge func(ctx context.Context, at intent.Place, message string) (decision string, rows []int, err error)

// A Version is a version of a persona, ready to be played.
type Version struct {
	doc   *personas.Persona
	rules *engine.Persona
	// ask judges messages; nil keeps the decisions of the conversations.
	ask Judge
}

// NewVersion returns a version of a persona. With a nil judge each message decides what it decided
// in the conversation.
func NewVersion(doc *personas.Persona, ask Judge) (*Version, error) {
	rules, err := engine.CompilePersona(doc)
	return &Version{doc, rules, ask}, err
}

// The ends of a conversation that are not outcomes.
const (
	EndOpen = "open" // all that the player said is played, and the machine goes on
	EndLeft = "left" // what the player said next answered another state
)

// A Track is a conversation as a version of the persona plays it.
type Track struct {
	Steps []Step // of the first turns; the rest has left the track
	End   string // an outcome, EndOpen or EndLeft
	// Session is the machine after the last step.
	Session engine.Session
}

// Same returns the number of turns before the first that differs.
func (t *Track) Same(c *Conversation) int {
	for i := range t.Steps {
		if t.Steps[i] != c.Turns[i].Step {
			return i
		}
	}
	return len(t.Steps)
}

// HasMachine reports whether the version has a machine of that key.
func (v *Version) HasMachine(key string) bool { return v.rules.Machine(key) != nil }

// Play plays a conversation of a machine that the version has. It stops where a message was said
// in another state than the version is in: what a player would have said there is not known.
func (v *Version) Play(ctx context.Context, c *Conversation) (Track, error) {
	rules := v.rules.Machine(c.Machine)
	was := c.Opening
	t := Track{Steps: []Step{}, Session: rules.Start()}
	session := &t.Session
	for i := range c.Turns {
		turn := &c.Turns[i]
		if was != "" && session.State != was {
			t.End = EndLeft
			return t, nil
		}
		verdict, fits, err := v.judge(ctx, rules, *session, c.Machine, turn)
		if err != nil {
			return t, err
		}
		result, err := rules.Step(*session, verdict)
		if !fits || err != nil {
			t.End = EndLeft
			return t, nil //nolint:nilerr // a decision that the version does not have
		}
		*session = result.Session
		t.Steps = append(t.Steps, stepOf(&result))
		if session.IsFinished() {
			t.End = string(session.Outcome)
			return t, nil
		}
		was = turn.Step.State
	}
	t.End = EndOpen
	return t, nil
}

func stepOf(r *engine.Result) Step {
	s := Step{Decision: string(r.Decision), State: r.Session.State, Score: r.Session.Score, Outcome: string(r.Session.Outcome)}
	switch {
	case r.Aside:
		s.Decision = personas.AsideName
	case r.FollowUp:
		s.Decision = personas.FollowUpName
	}
	return s
}

// judge returns the verdict on a message. fits is false if the version has no such decision there.
// A message with a director's mark decides what it decided.
func (v *Version) judge(ctx context.Context, rules *engine.Machine, s engine.Session, machine string, turn *Turn) (verdict engine.Verdict, fits bool, err error) {
	m := &v.doc.Machines[slices.IndexFunc(v.doc.Machines, func(m personas.Machine) bool { return m.Key == machine })]
	if _, marked := playtest.CutMark(turn.Message); v.ask == nil || marked {
		verdict, fits = keptVerdict(rules, m, s, &turn.Step)
		return verdict, fits, nil
	}
	at := intent.Place{
		Persona: v.doc, Machine: m, Outgoing: rules.Outgoing(s.State), FollowUpAllowed: !s.FollowUpPending, LastTry: rules.IsLastTry(s),
		State: &m.States[slices.IndexFunc(m.States, func(st personas.State) bool { return st.Key == s.State })],
	}
	decision, rows, err := v.ask(ctx, at, turn.Message)
	switch decision {
	case personas.AsideName:
		return engine.Aside, true, err
	case personas.FollowUpName:
		return engine.FollowUp, true, err
	}
	return rules.Choose(s.State, rows), true, err
}

// keptVerdict returns the verdict that does just what a step did, else the first one with the
// step's decision.
func keptVerdict(rules *engine.Machine, m *personas.Machine, s engine.Session, want *Step) (engine.Verdict, bool) {
	for _, v := range rules.Verdicts(s.State) {
		if r, err := rules.Step(s, v); err == nil && stepOf(&r) == *want {
			return v, true
		}
	}
	switch want.Decision {
	case personas.AsideName:
		return engine.Aside, true
	case personas.FollowUpName:
		return engine.FollowUp, true
	}
	for _, i := range rules.Outgoing(s.State) {
		if string(m.Transitions[i].Decision) == want.Decision {
			return engine.Fire(i), true
		}
	}
	return engine.None, want.Decision == string(personas.DecideRedirect)
}
