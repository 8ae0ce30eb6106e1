package playtest

import (
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/examples"
)

func readSample(t testing.TB, name string) *personas.Persona {
	t.Helper()
	src, err := examples.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	doc, _, faults := personas.Parse(name+".yaml", src)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return &doc
}

// BenchmarkSimulate is 10,000 whole plays of the sample with four machines.
func BenchmarkSimulate(b *testing.B) {
	doc := readSample(b, "hotel")
	for b.Loop() {
		if _, err := Simulate(doc, SimulateOptions{Plays: 10_000, Seed: 1}); err != nil {
			b.Fatal(err)
		}
	}
}
