package check

import (
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/playtest"
)

// newMutantRun returns a run of a line of states, with one play of the given length that never fails.
func newMutantRun(t *testing.T, states, steps int) (*testOptions, *testRun) {
	t.Helper()
	doc := newChain(states)
	tested := &testedPersona{File: &personafiles.File{Name: "p.json", Doc: *doc}, played: true}
	source := "persona: p.json\nsteps:\n" + strings.Repeat("  - say: \"x [[redirect]]\"\n", steps)
	f, _, faults := playtest.Parse("p.play.yaml", []byte(source))
	assert.Empty(t, faults)
	return &testOptions{}, &testRun{personas: []*testedPersona{tested}, playFiles: []*playFile{{doc: f, persona: tested}}}
}

// TestMutantWorkIsMeasured: steps, KiB of persona, and read texts count.
func TestMutantWorkIsMeasured(t *testing.T) {
	t.Parallel()
	_, run := newMutantRun(t, 9, 900)
	plays := run.listCosted(run.personas[0])
	if len(plays) != 1 || plays[0].work < 900 || plays[0].work > 910 {
		t.Fatalf("%d plays of work %d", len(plays), plays[0].work)
	}
	long := &playtest.Play{Steps: []playtest.Step{{Say: strings.Repeat("é", 1000)}, {Say: "x [[pass]]"}}}
	for isLarge, want := range map[bool]int{false: 2 + 1011*40_000/readAStep - 1, true: 2 + 1011*40_000/readAStep - 1 + 40_000/readyAStep} {
		got := measurePlay(long, 40_000, isLarge)
		assert.True(t, got >= want && got <= want+1, "large %t: work %d, want %d", isLarge, got, want)
	}
}

// TestMutantsAreTriedInWaves: as many at a time as have work enough for all their play-throughs, and one at least.
func TestMutantsAreTriedInWaves(t *testing.T) {
	t.Parallel()
	plays := []costedPlay{{work: 600}, {work: 300 - 11}}
	for _, c := range []struct{ size, mutants, left, want int }{
		{10 << 10, 200, 8 * 900, 8}, {10 << 10, 200, 8*900 - 1, 7}, {10 << 10, 200, 899, 1}, {10 << 10, 200, 0, 1},
		{10 << 10, 3, 99_999, 3}, {keptReady / 2, 200, 99_999, 2}, {keptReady/2 + 1, 200, 99_999, 1}, {keptReady * 9, 200, 99_999, 1},
	} {
		assert.Equal(t, countWave(c.size, c.mutants, c.left, plays), c.want, "%+v time", c)
	}
}

// TestMutantsAreSpread: the first mutants come from everywhere in the document, and all come once.
func TestMutantsAreSpread(t *testing.T) {
	t.Parallel()
	for n := range 300 {
		order := spreadOrder(n)
		sorted := slices.Sorted(slices.Values(order))
		for i := range sorted {
			assert.Must(t, sorted[i] == i, "%d: %v", n, order)
		}
		if n >= 50 {
			first := slices.Sorted(slices.Values(order[:10]))
			assert.True(t, first[0] <= n/4 && first[9] >= n*3/4, "%d: the first ones are %v", n, first)
		}
	}
}

// TestMutantIsLeftOut: a mutant that is larger than the remaining work is not even saved.
func TestMutantIsLeftOut(t *testing.T) {
	t.Parallel()
	o, run := newMutantRun(t, 100, 5)
	mutants := assert.Value(playtest.Mutants(&run.personas[0].Doc, 0))(t)
	size := mutants[0].Size() / bytesAStep
	if size < 3 {
		t.Fatalf("%d bytes are no test", mutants[0].Size())
	}
	m := &mutantResult{mutant: mutants[0], leftOut: true}
	// The service is nil, so saving would fail.
	o.tryMutant(t.Context(), nil, nil, m, size-1)
	assert.True(t, m.leftOut && m.err == nil && !m.noticed, "%+v", m)
}

// TestMutantsLeftOutAreTold: the JSON counts them.
func TestMutantsLeftOutAreTold(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := writeTestJSON(&out, &testRun{mutantsLeftOut: 12}); err != nil || !strings.Contains(out.String(), `"mutants_left_out": 12`) || !strings.Contains(out.String(), `"mutants": 0`) {
		t.Errorf("%s %v", out.String(), err)
	}
}
