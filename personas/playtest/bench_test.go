package playtest

import (
	"strconv"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/examples"
)

func readSample(t testing.TB, name string) *personas.Persona {
	t.Helper()
	src, err := examples.Read(name)
	assert.NoError(t, err)
	doc, _, faults := personas.Parse(name+".yaml", src)
	assert.Empty(t, faults)
	return &doc
}

// BenchmarkSimulate simulates 10,000 whole plays of the sample with four machines.
func BenchmarkSimulate(b *testing.B) {
	doc := readSample(b, "hotel")
	for b.Loop() {
		_, err := Simulate(doc, SimulateOptions{Plays: 10_000, Seed: 1})
		assert.NoError(b, err)
	}
}

// BenchmarkSimulateLinks simulates 100 plays of 100 machines, each linked to all others. The
// machines open to a player must not be collected again at the end of each machine.
func BenchmarkSimulateLinks(b *testing.B) {
	doc := &personas.Persona{Name: "n", Description: "d", IdentityPrompt: "i"}
	for i := range 100 {
		key := "m" + strconv.Itoa(i)
		doc.Machines = append(doc.Machines, personas.Machine{
			Key: key, IsEntry: i == 0, ScoringMode: personas.PassFail,
			States:      []personas.State{{Key: "a", IsInitial: true}, {Key: "z", IsTerminal: true}},
			Transitions: []personas.Transition{{From: "a", To: "z", Decision: personas.DecidePass}},
		})
		for j := range 100 {
			if j != i {
				doc.Links = append(doc.Links, personas.Link{Source: key, Target: "m" + strconv.Itoa(j), Condition: personas.IfOutcome, Outcome: personas.Accept})
			}
		}
	}
	for b.Loop() {
		_, err := Simulate(doc, SimulateOptions{Plays: 100, Seed: 1})
		assert.NoError(b, err)
	}
}
