package check

import (
	"fmt"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/prove"
)

// newChain returns a persona with n states in a row. Its witnesses have n*n-1 turns in total.
func newChain(n int, more ...personas.Transition) *personas.Persona {
	m := personas.Machine{Key: "m", ScoringMode: personas.PassFail, Transitions: more}
	for i := range n {
		m.States = append(m.States, personas.State{Key: fmt.Sprint("s", i), IsInitial: i == 0, IsTerminal: i == n-1})
		if i > 0 {
			m.Transitions = append(m.Transitions, personas.Transition{From: fmt.Sprint("s", i-1), To: fmt.Sprint("s", i), Decision: personas.DecidePass})
		}
	}
	return &personas.Persona{Name: "p", Machines: []personas.Machine{m}}
}

// writeWitnesses returns what --witness prints of a persona.
func writeWitnesses(t *testing.T, doc *personas.Persona) string {
	t.Helper()
	r := assert.Value(prove.Persona(doc))(t)
	var out strings.Builder
	o := proveOptions{Streams: &cli.Streams{Out: &cli.CheckedWriter{Writer: &out}}}
	assert.NoError(t, o.printWitnesses(proof{file: &personafiles.File{Doc: *doc}, Report: r}))
	return out.String()
}

// TestWitnessTextIsBounded: witnesses as text have the bound of JSON, and beyond it only their length.
func TestWitnessTextIsBounded(t *testing.T) {
	t.Parallel()
	const leftOut = "512 turns, left out: the witnesses of a file have at most 262144 turns together"
	first := personas.Transition{From: "s0", To: "s0", Decision: personas.DecideRedirect}
	assert.NotContains(t, writeWitnesses(t, newChain(512, first)), "left out", "witnesses of 262144 turns are left out")
	ending := personas.Transition{From: "s0", Decision: personas.DecideReject}
	r, err := prove.Persona(newChain(512, ending))
	if err != nil || r.ListWitnesses().Machines[0].Transitions[511].Witness != nil {
		t.Error("witnesses of 262145 turns are listed", err)
	}
	text := writeWitnesses(t, newChain(2000))
	turns := strings.Count(text, ". m / s")
	assert.True(t, turns <= prove.MaxAllSteps && turns >= prove.MaxAllSteps/2 && len(text) <= 16<<20, "%d turns in %d bytes", turns, len(text))
	if !strings.Contains(text, "state m / s1000\n  "+strings.Replace(leftOut, "512", "1000", 1)+"\n") {
		t.Errorf("nothing tells that a witness is left out:\n%.2000s", text[len(text)-2000:])
	}
}

// TestWitnessBytesAreBounded: long conditions are cut, and no turn is written after the limit.
func TestWitnessBytesAreBounded(t *testing.T) {
	t.Parallel()
	doc := newChain(4)
	doc.Machines[0].Transitions[0].Condition = strings.Repeat("é", maxShownCondition) + "x"
	text := writeWitnesses(t, doc)
	assert.True(t, !strings.Contains(text, "x") && strings.Contains(text, "éé…\n"), "the condition is written whole: %s", text)
	run := assert.Value(engine.CompilePersona(doc))(t)
	steps := []prove.Step{{Machine: "m", Verdict: 0}, {Machine: "m", Verdict: 1}, {Machine: "m", Verdict: 2}}
	for room, more := range map[int]bool{1 << 20: false, 1: true} {
		var out strings.Builder
		w := newWitnessWriter(doc, run, &out)
		w.room = room
		if w.writeSteps(steps); w.out.Flush() != nil || strings.Contains(out.String(), "  2 turns more, left out: the turns of a file have at most 32 MiB of text\n") != more {
			t.Errorf("room of %d: %s", room, out.String())
		}
	}
}
