package playtest

import (
	"context"
	"fmt"
	"slices"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/intent"
	"github.com/parley-npc/parley/personas/wire"
)

// A Conversation contains the messages in one machine and their effects.
type Conversation struct {
	Source  string // where the conversation comes from, for display to the author
	Machine string // key of the machine
	Opening string // state at the opening, or "" if unknown
	Turns   []Turn
}

// A Turn is a message of the player, its effect, and the reply.
type Turn struct {
	Message string
	Effect  Effect
	Reply   string
}

// An Effect is the effect of a message.
type Effect struct {
	// Decision is "pass", "redirect", "reject", "kick_out", "follow_up" or "aside".
	Decision string `json:"decision"`
	State    string `json:"state"`
	Score    int    `json:"score"`
	// Outcome is set if the machine ended with the message.
	Outcome string `json:"outcome,omitempty"`
}

// FromHistory returns the Conversation for messages stored by a service. outcome is "" if the
// conversation has not ended.
func FromHistory(source, machine, outcome string, messages []wire.HistoryMessage) Conversation {
	c := Conversation{Source: source, Machine: machine}
	said := "" // message of the player that has no reply yet
	for i := range messages {
		m := &messages[i]
		switch {
		case m.Role == wire.RoleUser:
			said = m.Content
		case said != "":
			c.Turns = append(c.Turns, Turn{said, EffectOf(m), m.Content})
			said = ""
		case len(c.Turns) == 0:
			c.Opening = m.StateKeyAtTime
		}
	}
	if n := len(c.Turns); n > 0 {
		c.Turns[n-1].Effect.Outcome = outcome
	}
	return c
}

// EffectOf returns the effect of a message, without the outcome, from the reply to it.
func EffectOf(reply *wire.HistoryMessage) Effect {
	e := Effect{Decision: string(personas.DecideRedirect), State: reply.StateKeyAtTime, Score: reply.ScoreAtTime}
	switch {
	case reply.Aside:
		e.Decision = personas.AsideName
	case reply.FollowUpTriggered:
		e.Decision = personas.FollowUpName
	case reply.Decision != nil:
		e.Decision = *reply.Decision
	}
	return e
}

// A Judge returns the decision about a message, such as "pass", and the indexes of the transitions
// that match the message.
type Judge func(ctx context.Context, at intent.Place, message string) (decision string, transitions []int, err error)

// A Version is a compiled version of a persona.
type Version struct {
	doc   *personas.Persona
	rules *engine.Persona
	// ask judges messages. If ask is nil, the recorded decisions are used.
	ask Judge
}

// NewVersion returns a version of a persona. If ask is nil, each message has the decision recorded
// in the conversation.
func NewVersion(doc *personas.Persona, ask Judge) (*Version, error) {
	rules, err := engine.CompilePersona(doc)
	return &Version{doc, rules, ask}, err
}

// The values of Track.End besides outcomes.
const (
	EndOpen = "open" // all messages were played, and the machine has not ended
	EndLeft = "left" // the next message was sent in another state
)

// A Track is the result of playing a conversation with a version of the persona.
type Track struct {
	Effects []Effect // of the turns that were played
	End     string   // an outcome, EndOpen or EndLeft
	// Session is the state of the machine after the last step.
	Session engine.Session
}

// Same returns the number of turns before the first turn that has another effect than recorded.
func (t *Track) Same(c *Conversation) int {
	for i := range t.Effects {
		if t.Effects[i] != c.Turns[i].Effect {
			return i
		}
	}
	return len(t.Effects)
}

// HasMachine reports whether the version has a machine with that key.
func (v *Version) HasMachine(key string) bool { return v.rules.Machine(key) != nil }

// Play plays a conversation. The version must have the conversation's machine. Play stops if the
// next message was recorded in another state than the current one, because it is unknown what the
// player would have said in the current state.
func (v *Version) Play(ctx context.Context, c *Conversation) (Track, error) {
	rules := v.rules.Machine(c.Machine)
	was := c.Opening
	t := Track{Effects: []Effect{}, Session: rules.Start()}
	session := &t.Session
	for i := range c.Turns {
		turn := &c.Turns[i]
		asked := intent.Asked{}
		if i > 0 {
			asked = intent.Asked{Reply: c.Turns[i-1].Reply, To: c.Turns[i-1].Message}
		}
		if was != "" && session.State != was {
			t.End = EndLeft
			return t, nil
		}
		verdict, fits, err := v.judge(ctx, rules, *session, c.Machine, turn, asked)
		if err != nil {
			return t, err
		}
		result, err := rules.Step(*session, verdict)
		if !fits || err != nil {
			t.End = EndLeft
			return t, nil //nolint:nilerr // the version does not have this decision
		}
		*session = result.Session
		t.Effects = append(t.Effects, effectOf(&result))
		if session.IsFinished() {
			t.End = string(session.Outcome)
			return t, nil
		}
		was = turn.Effect.State
	}
	t.End = EndOpen
	return t, nil
}

func effectOf(r *engine.Result) Effect {
	s := Effect{Decision: string(r.Decision), State: r.Session.State, Score: r.Session.Score, Outcome: string(r.Session.Outcome)}
	switch {
	case r.Aside:
		s.Decision = personas.AsideName
	case r.FollowUp:
		s.Decision = personas.FollowUpName
	}
	return s
}

// judge returns the verdict on a message. A message with a director's mark keeps its recorded
// decision. fits is false if the decision is not possible in this state of the version.
func (v *Version) judge(ctx context.Context, rules *engine.Machine, s engine.Session, machine string, turn *Turn, asked intent.Asked) (verdict engine.Verdict, fits bool, err error) {
	m := v.doc.Machine(machine)
	if _, marked := CutMark(turn.Message); v.ask == nil || marked {
		verdict, fits = keptVerdict(rules, m, s, &turn.Effect)
		return verdict, fits, nil
	}
	at := intent.Place{
		Persona: v.doc, Machine: m, Outgoing: rules.Outgoing(s.State), FollowUpAllowed: !s.FollowUpPending, LastTry: rules.IsLastTry(s), InGame: true, Losing: rules.Losing(s), Asked: asked,
		State: &m.States[slices.IndexFunc(m.States, func(st personas.State) bool { return st.Key == s.State })],
	}
	decision, transitions, err := v.ask(ctx, at, turn.Message)
	switch decision {
	case personas.AsideName:
		return engine.Aside, true, err
	case personas.FollowUpName:
		return engine.FollowUp, true, err
	}
	return rules.Choose(s.State, transitions), true, err
}

func keptVerdict(rules *engine.Machine, m *personas.Machine, s engine.Session, want *Effect) (engine.Verdict, bool) {
	for _, v := range rules.Verdicts(s.State) {
		if r, err := rules.Step(s, v); err == nil && effectOf(&r) == *want {
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

// BuiltInJudge returns the built-in judge.
func BuiltInJudge() Judge { return judgeWith(intent.NewReader()) }

func judgeWith(reader *intent.Reader) Judge {
	return func(ctx context.Context, at intent.Place, message string) (string, []int, error) {
		v := reader.Decide(at, message)
		return v.Decision, v.Rows, ctx.Err()
	}
}

// A Difference is the first turn of a conversation that has another effect in a later version of
// the persona.
type Difference struct {
	Turns int // number of turns in the conversation
	Same  int // number of turns before the first that differs
	// Change describes that turn, for example `turn 4 "my lap is warm": pass to hall became redirect
	// to yard (its example is gone)`. It is "" if all turns are the same.
	Change string
	// Gone means that the version does not have the machine.
	Gone bool
}

// FindDifference plays a conversation and returns the first turn that has another effect than
// recorded. It adds a reason if the message was an example in the old document and is none any more,
// or has become an example.
func (v *Version) FindDifference(ctx context.Context, old *personas.Persona, c *Conversation) (Difference, error) {
	d := Difference{Turns: len(c.Turns)}
	if !v.HasMachine(c.Machine) {
		d.Gone, d.Change = true, "the machine "+c.Machine+" is gone"
		return d, nil
	}
	track, err := v.Play(ctx, c)
	if err != nil {
		return d, err
	}
	if d.Same = track.Same(c); d.Same == d.Turns {
		return d, nil
	}
	turn := &c.Turns[d.Same]
	before, after := turn.Effect.describe(), "impossible"
	if d.Same < len(track.Effects) {
		now := &track.Effects[d.Same]
		if after = now.describe(); after == before {
			before, after = fmt.Sprintf("%s with score %d", before, turn.Effect.Score), fmt.Sprintf("score %d", now.Score)
		}
	}
	d.Change = fmt.Sprintf("turn %d %q: %s became %s", d.Same+1, turn.Message, before, after)
	switch was, is := exampleOf(old, c.Machine, turn.Message), exampleOf(v.doc, c.Machine, turn.Message); {
	case was == is:
	case was != "":
		d.Change += " (its example is gone)"
	default:
		d.Change += " (it is an example of " + is + " now)"
	}
	return d, nil
}

// exampleOf returns the decision of an example in a machine that has the words of a message, or "".
func exampleOf(doc *personas.Persona, machine, message string) string {
	m, words := doc.Machine(machine), intent.Words(message)
	if m == nil {
		return ""
	}
	for i := range m.States {
		if m.States[i].Offline == nil {
			continue
		}
		for _, d := range []string{string(personas.DecidePass), string(personas.DecideRedirect), string(personas.DecideReject), string(personas.DecideKickOut), personas.FollowUpName} {
			for _, e := range m.States[i].Offline.Examples.Of(d) {
				if slices.Equal(intent.Words(e.Say), words) {
					return d
				}
			}
		}
	}
	return ""
}
