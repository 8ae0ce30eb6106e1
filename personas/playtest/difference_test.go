package playtest

import (
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
)

func withExamples(doc *personas.Persona, pass, redirect []string) *personas.Persona {
	doc.Machines[0].States[0].Offline = &personas.Offline{Examples: personas.Examples{Pass: personas.NewExamples(pass...), Redirect: personas.NewExamples(redirect...)}}
	return doc
}

func TestFindDifference(t *testing.T) {
	toHall := personas.Transition{From: "yard", To: "hall", Decision: personas.DecidePass}
	toIn := personas.Transition{From: "yard", To: "in", Decision: personas.DecidePass}
	made := func() *personas.Persona {
		return withExamples(gate(toHall), []string{"My lap is warm", "please"}, []string{"let me in"})
	}
	talk := Conversation{Machine: "gate", Opening: "yard", Turns: []Turn{
		turn("let me in", "redirect", "yard", ""), turn("my lap is warm", "pass", "hall", ""),
	}}
	judged := BuiltInJudge()
	renamed := made()
	renamed.Machines[0].States[1].Key, renamed.Machines[0].Transitions[0].From = "court", "court"
	renamed.Machines[0].Transitions[2].To = "court"
	moved := made()
	moved.Machines[0].States[0].Key = "lawn"
	for i := range moved.Machines[0].Transitions {
		if row := &moved.Machines[0].Transitions[i]; row.From == "yard" {
			row.From = "lawn"
		}
	}
	scored := made()
	scored.Machines[0].ScoringMode = personas.Scoring
	scored.Machines[0].Transitions[2].ScoreDelta = 2
	other := made()
	other.Machines[0].Key = "door"
	for _, c := range []struct {
		name string
		doc  *personas.Persona
		ask  Judge
		same int
		want string
	}{
		{"nothing", made(), judged, 2, ""},
		{"kept", withExamples(gate(toHall), nil, nil), nil, 2, ""},
		{"an example less", withExamples(gate(toHall), []string{"please"}, []string{"let me in", "my dog is cold", "hello"}), judged, 1, `turn 2 "my lap is warm": pass became aside (its example is gone)`},
		{"an example moved", withExamples(gate(toHall), []string{"please"}, []string{"let me in", "My lap is warm"}), judged, 1, `turn 2 "my lap is warm": pass became redirect (its example is gone)`},
		{"an example more", withExamples(gate(toHall), []string{"please", "My lap is warm", "Let me in"}, nil), judged, 0, `turn 1 "let me in": redirect became pass (its example is gone)`},
		{"another way", withExamples(gate(toIn), []string{"My lap is warm", "please"}, []string{"let me in"}), judged, 1, `turn 2 "my lap is warm": pass ends with ACCEPT`},
		{"a state is gone", renamed, judged, 1, `turn 2 "my lap is warm": pass leads to court, not to hall (the state hall is gone)`},
		{"the first state is gone", moved, judged, 0, `turn 1 "let me in": sent in the state yard, but the machine starts in lawn`},
		{"no pass is left", withExamples(gate(), []string{"My lap is warm"}, []string{"let me in"}), nil, 1, `turn 2 "my lap is warm": pass is not possible there any more`},
		{"another score", scored, nil, 1, `turn 2 "my lap is warm": pass makes the score 2, not 0`},
		{"the machine is gone", other, judged, 0, "the machine gate is gone"},
	} {
		d := assert.Value(mustVersion(t, c.doc, c.ask).FindDifference(t.Context(), made(), &talk))(t, c.name)
		assert.Equal(t, d.Same, c.same, c.name)
		assert.Equal(t, d.Turns, 2, c.name)
		assert.Equal(t, d.Change, c.want, c.name)
		assert.Equal(t, d.Gone, c.doc == other, c.name)
	}
}

// TestFindReason finds what was edited if no example equals the message.
func TestFindReason(t *testing.T) {
	toHall := personas.Transition{From: "yard", To: "hall", Decision: personas.DecidePass}
	v := func(doc *personas.Persona) *Version { return mustVersion(t, doc, nil) }
	said := turn("my lap is soft", "pass", "hall", "")
	after := &Effect{Decision: "redirect", State: "yard"}
	old := withExamples(gate(toHall), []string{"my lap is warm"}, nil)
	criteria := withExamples(gate(toHall), []string{"my lap is warm"}, nil)
	criteria.Machines[0].States[0].Criteria.Pass = "never"
	got := []string{
		v(withExamples(gate(toHall), nil, nil)).reasonWords(old, "gate", "yard", &said, after),
		v(withExamples(gate(toHall), []string{"my lap is warm"}, []string{"My lap is soft"})).reasonWords(old, "gate", "yard", &said, after),
		v(criteria).reasonWords(old, "gate", "yard", &said, after),
		v(old).reasonWords(old, "gate", "yard", &said, after),
		v(old).reasonWords(old, "gate", "attic", &said, after),
	}
	want := []string{" (the examples have changed)", " (it is an example of redirect now)", " (the criteria have changed)", "", ""}
	assert.EqualSlices(t, got, want)
}
