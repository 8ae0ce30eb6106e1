package playtest

import (
	"context"
	"fmt"
	"slices"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/intent"
)

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
