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

// A Conversation contains the messages on one machine and their effects.
type Conversation struct {
	Source  string // for display
	Machine string // key
	Opening string // state at the opening, or "" if unknown
	Turns   []Turn
}

// A Turn is a message, its effect and the reply.
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
	// Outcome is set if the message ended the machine.
	Outcome string `json:"outcome,omitempty"`
}

// FromHistory converts messages stored by a service. outcome is "" for an open conversation.
func FromHistory(source, machine, outcome string, messages []wire.HistoryMessage) Conversation {
	conversation := Conversation{Source: source, Machine: machine}
	message := "" // without a reply so far
	for i := range messages {
		m := &messages[i]
		switch {
		case m.Role == wire.RoleUser:
			message = m.Content
		case message != "":
			conversation.Turns = append(conversation.Turns, Turn{message, EffectOf(m), m.Content})
			message = ""
		case len(conversation.Turns) == 0:
			conversation.Opening = m.StateKeyAtTime
		}
	}
	if n := len(conversation.Turns); n > 0 {
		conversation.Turns[n-1].Effect.Outcome = outcome
	}
	return conversation
}

// EffectOf returns the effect of a message from its reply, without the outcome.
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

// A Judge returns the decision about a message and the indexes of the matching transitions.
type Judge func(ctx context.Context, place intent.Place, message string) (decision string, transitions []int, err error)

// A Version is a compiled version of a persona.
type Version struct {
	doc   *personas.Persona
	rules *engine.Persona
	ask   Judge
}

// NewVersion compiles a version of a persona. If ask is nil, each message keeps its recorded
// decision.
func NewVersion(doc *personas.Persona, ask Judge) (*Version, error) {
	rules, err := engine.CompilePersona(doc)
	return &Version{doc, rules, ask}, err
}

// Track.End is an outcome or one of these values.
const (
	EndOpen = "open" // the machine is still open after all messages
	EndLeft = "left" // the next message was sent in another state
)

// A Track is the result of a conversation with a version of the persona.
type Track struct {
	Effects []Effect // of the played turns
	End     string   // an outcome, EndOpen or EndLeft
	// Session is the state after the last step.
	Session engine.Session
}

// Same returns the number of turns before the first changed effect.
func (t *Track) Same(c *Conversation) int {
	for i := range t.Effects {
		if t.Effects[i] != c.Turns[i].Effect {
			return i
		}
	}
	return len(t.Effects)
}

// HasMachine reports whether the version has a machine with a key.
func (v *Version) HasMachine(key string) bool { return v.rules.Machine(key) != nil }

// Play plays a conversation on an existing machine. Play stops before a message from another state,
// because the player's words in the current state are unknown.
func (v *Version) Play(ctx context.Context, c *Conversation) (Track, error) {
	rules := v.rules.Machine(c.Machine)
	state := c.Opening
	t := Track{Effects: []Effect{}, Session: rules.Start()}
	session := &t.Session
	for i := range c.Turns {
		turn := &c.Turns[i]
		question := intent.Asked{}
		if i > 0 {
			question = intent.Asked{Reply: c.Turns[i-1].Reply, To: c.Turns[i-1].Message}
		}
		if state != "" && session.State != state {
			t.End = EndLeft
			return t, nil
		}
		verdict, fits, err := v.judge(ctx, rules, *session, c.Machine, turn, question)
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
		state = turn.Effect.State
	}
	t.End = EndOpen
	return t, nil
}

func effectOf(r *engine.Result) Effect {
	e := Effect{
		Decision: string(r.Decision), State: r.Session.State, Score: r.Session.Score,
		Outcome: string(r.Session.Outcome),
	}
	switch {
	case r.Aside:
		e.Decision = personas.AsideName
	case r.FollowUp:
		e.Decision = personas.FollowUpName
	}
	return e
}

// judge keeps the recorded decision of a message with a director's mark. fits is false if the
// decision is impossible in the state.
func (v *Version) judge(
	ctx context.Context, rules *engine.Machine, s engine.Session, machine string, turn *Turn, question intent.Asked,
) (verdict engine.Verdict, fits bool, err error) {
	m := v.doc.Machine(machine)
	if _, marked := CutMark(turn.Message); v.ask == nil || marked {
		verdict, fits = keptVerdict(rules, m, s, &turn.Effect)
		return verdict, fits, nil
	}
	place := intent.Place{
		Persona: v.doc, Machine: m,
		State:    &m.States[slices.IndexFunc(m.States, func(st personas.State) bool { return st.Key == s.State })],
		Outgoing: rules.Outgoing(s.State), FollowUpAllowed: !s.FollowUpPending,
		LastTry: rules.IsLastTry(s), InGame: true, Losing: rules.Losing(s), Asked: question,
	}
	decision, transitions, err := v.ask(ctx, place, turn.Message)
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

// BuiltInJudge returns the offline model as a judge.
func BuiltInJudge() Judge { return judgeWith(intent.NewReader()) }

func judgeWith(reader *intent.Reader) Judge {
	return func(ctx context.Context, place intent.Place, message string) (string, []int, error) {
		v := reader.Decide(place, message)
		return v.Decision, v.Rows, ctx.Err()
	}
}

// A Difference is the first changed turn of a conversation in a later version of the persona.
type Difference struct {
	Turns int // of the conversation
	Same  int // turns before the first changed turn
	// Change is text such as `turn 4 "my lap is warm": pass to hall became redirect to yard`. Change
	// is "" without a changed turn.
	Change string
	// Gone is set if the version lacks the machine.
	Gone bool
}

// FindDifference plays a conversation and returns the first changed turn. Change mentions an example
// added or removed since the old document, if the message equals the example.
func (v *Version) FindDifference(
	ctx context.Context, old *personas.Persona, conversation *Conversation,
) (Difference, error) {
	difference := Difference{Turns: len(conversation.Turns)}
	if !v.HasMachine(conversation.Machine) {
		difference.Gone, difference.Change = true, "the machine "+conversation.Machine+" is gone"
		return difference, nil
	}
	track, err := v.Play(ctx, conversation)
	if err != nil {
		return difference, err
	}
	if difference.Same = track.Same(conversation); difference.Same == difference.Turns {
		return difference, nil
	}
	turn := &conversation.Turns[difference.Same]
	before, after := turn.Effect.describe(), "impossible"
	if difference.Same < len(track.Effects) {
		now := &track.Effects[difference.Same]
		if after = now.describe(); after == before {
			before, after = fmt.Sprintf("%s with score %d", before, turn.Effect.Score), fmt.Sprintf("score %d", now.Score)
		}
	}
	difference.Change = fmt.Sprintf("turn %d %q: %s became %s", difference.Same+1, turn.Message, before, after)
	example := exampleOf(old, conversation.Machine, turn.Message)
	is := exampleOf(v.doc, conversation.Machine, turn.Message)
	switch {
	case example == is:
	case example != "":
		difference.Change += " (its example is gone)"
	default:
		difference.Change += " (it is an example of " + is + " now)"
	}
	return difference, nil
}

var exampleDecisions = []string{
	string(personas.DecidePass), string(personas.DecideRedirect), string(personas.DecideReject),
	string(personas.DecideKickOut), personas.FollowUpName,
}

func exampleOf(doc *personas.Persona, machine, message string) string {
	m, words := doc.Machine(machine), intent.Words(message)
	if m == nil {
		return ""
	}
	for i := range m.States {
		if m.States[i].Offline == nil {
			continue
		}
		for _, d := range exampleDecisions {
			for _, e := range m.States[i].Offline.Examples.Of(d) {
				if slices.Equal(intent.Words(e.Say), words) {
					return d
				}
			}
		}
	}
	return ""
}
