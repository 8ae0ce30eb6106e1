package playtest

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/intent"
)

// BuiltInJudge returns the built-in judge.
func BuiltInJudge() Judge {
	reader := intent.NewReader()
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
	// Change describes that turn, for example `turn 4 "my lap is warm": pass became redirect (its
	// example is gone)`. It is "" if all turns are the same.
	Change string
	// Gone means that the version does not have the machine.
	Gone bool
}

// FindDifference plays a conversation and returns the first turn that has another effect than
// recorded. It adds the reason if the reason can be found in the old and the new document.
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
	turn, state := &c.Turns[d.Same], c.Opening
	if d.Same > 0 {
		state = c.Turns[d.Same-1].Effect.State
	}
	d.Change = fmt.Sprintf("turn %d %q: ", d.Same+1, turn.Message)
	switch {
	case d.Same < len(track.Effects):
		after := &track.Effects[d.Same]
		d.Change += changeWords(&turn.Effect, after) + v.reasonWords(old, c.Machine, state, turn, after)
	case track.Session.State != state:
		d.Change += fmt.Sprintf("sent in the state %s, but the machine starts in %s", state, track.Session.State)
	default:
		d.Change += turn.Effect.Decision + " is not possible there any more"
	}
	return d, nil
}

func changeWords(before, after *Effect) string {
	switch {
	case before.Decision != after.Decision:
		return before.Decision + " became " + after.Decision
	case before.Outcome != after.Outcome && after.Outcome == "":
		return before.Decision + " does not end the machine any more"
	case before.Outcome != after.Outcome:
		return before.Decision + " ends with " + after.Outcome
	case before.State != after.State:
		return fmt.Sprintf("%s leads to %s, not to %s", before.Decision, after.State, before.State)
	}
	return fmt.Sprintf("%s makes the score %d, not %d", before.Decision, after.Score, before.Score)
}

// reasonWords looks for a change of the document that explains why a turn has another effect, and
// returns a text in brackets about it. It returns "" if it finds no such change.
func (v *Version) reasonWords(old *personas.Persona, machine, state string, turn *Turn, after *Effect) string {
	was, is, decision := findState(old, machine, state), findState(v.doc, machine, state), turn.Effect.Decision
	switch {
	case was == nil || is == nil:
	case decision == after.Decision:
		if findState(v.doc, machine, turn.Effect.State) == nil {
			return " (the state " + turn.Effect.State + " is gone)"
		}
	case hasExample(was, decision, turn.Message) && !hasExample(is, decision, turn.Message):
		return " (its example is gone)"
	case !hasExample(was, after.Decision, turn.Message) && hasExample(is, after.Decision, turn.Message):
		return " (it is an example of " + after.Decision + " now)"
	case !reflect.DeepEqual(examplesOf(was), examplesOf(is)):
		return " (the examples have changed)"
	case !reflect.DeepEqual(was.Criteria, is.Criteria):
		return " (the criteria have changed)"
	}
	return ""
}

func findState(doc *personas.Persona, machine, state string) *personas.State {
	m := doc.Machine(machine)
	if m == nil {
		return nil
	}
	at := slices.IndexFunc(m.States, func(s personas.State) bool { return s.Key == state })
	if at < 0 {
		return nil
	}
	return &m.States[at]
}

func examplesOf(s *personas.State) personas.Examples {
	if s.Offline == nil {
		return personas.Examples{}
	}
	return s.Offline.Examples
}

func hasExample(s *personas.State, decision, message string) bool {
	examples, said := examplesOf(s), intent.Words(message)
	return slices.ContainsFunc(examples.Of(decision), func(e personas.Example) bool {
		return slices.Equal(intent.Words(e.Say), said)
	})
}
