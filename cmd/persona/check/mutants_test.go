package check

import (
	"fmt"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/intent"
	"github.com/parley-npc/parley/personas/playtest"
	"github.com/parley-npc/parley/personas/prove"
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
	assert.True(t, m.leftOut, "%+v", m)
	assert.NoError(t, m.err, "%+v", m)
	assert.True(t, !m.noticed, "%+v", m)
}

func TestMutantsLeftOutAreTold(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := writeTestJSON(&out, &testRun{mutantsLeftOut: 12}); err != nil ||
		!strings.Contains(out.String(), `"mutants_left_out": 12`) || !strings.Contains(out.String(), `"mutants": 0`) {
		t.Errorf("%s %v", out.String(), err)
	}
}

// TestReadingIsBounded: a play file that needs too many comparisons is refused, one below the bound is not.
func TestReadingIsBounded(t *testing.T) {
	off := &personas.Offline{}
	for i := range 2000 {
		off.Examples.Pass = append(off.Examples.Pass, personas.Example{Say: fmt.Sprint(i, strings.Repeat(" herring", 100))})
	}
	tested := &testedPersona{File: &personafiles.File{Doc: personas.Persona{Machines: []personas.Machine{{
		States:      []personas.State{{Key: "a", Offline: off}, {Key: "z"}},
		Transitions: []personas.Transition{{From: "a", To: "z", Decision: personas.DecidePass}},
	}}}}}
	texts := intent.CountTexts(&tested.Doc)
	assert.True(t, texts >= 100_000 && texts <= 800_000, "%d bytes are compared", texts)
	for said, refused := range map[int]bool{maxRead / texts: false, maxRead/texts + 1: true} {
		p := &playFile{name: "a.play.yaml", persona: tested, doc: playtest.File{Plays: []playtest.Play{{Steps: []playtest.Step{{Say: strings.Repeat("é", said)}}}}}}
		p.checkReading("p.yaml")
		if (len(p.faults) > 0) != refused || refused && !strings.Contains(p.faults[0].Message,
			fmt.Sprintf("have %d characters, and a state of p.yaml compares each message with %d bytes", said, texts)) {
			t.Errorf("%d characters: %v", said, p.faults)
		}
	}
}

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

func writeWitnesses(t *testing.T, doc *personas.Persona) string {
	t.Helper()
	r := assert.Value(prove.Persona(doc))(t)
	var out strings.Builder
	o := proveOptions{Streams: &cli.Streams{Out: &cli.CheckedWriter{Writer: &out}}}
	assert.NoError(t, o.printWitnesses(proof{file: &personafiles.File{Doc: *doc}, Report: r}))
	return out.String()
}

// TestWitnessTextIsBounded: witnesses as text have the bound of JSON.
func TestWitnessTextIsBounded(t *testing.T) {
	t.Parallel()
	const leftOut = "possible, but the shortest way there has too many steps to list"
	first := personas.Transition{From: "s0", To: "s0", Decision: personas.DecideRedirect}
	assert.NotContains(t, writeWitnesses(t, newChain(512, first)), leftOut, "witnesses of 262144 turns are left out")
	r := assert.Value(prove.Persona(newChain(512, personas.Transition{From: "s0", Decision: personas.DecideReject})))(t)
	assert.True(t, r.ListWitnesses().Machines[0].Transitions[511].Witness == nil, "witnesses of 262145 turns are listed")
	text := writeWitnesses(t, newChain(2000))
	turns := strings.Count(text, ". m / s")
	assert.True(t, turns <= prove.MaxAllSteps && turns >= prove.MaxAllSteps/2 && len(text) <= 16<<20, "%d turns in %d bytes", turns, len(text))
	assert.Contains(t, text, "state m / s1000\n  "+leftOut+"\n")
}

// TestWitnessBytesAreBounded: long conditions are cut, and no turn is written after the limit.
func TestWitnessBytesAreBounded(t *testing.T) {
	t.Parallel()
	doc := newChain(4)
	doc.Machines[0].Transitions[0].Condition = strings.Repeat("é", maxShownCondition) + "x"
	text := writeWitnesses(t, doc)
	assert.NotContains(t, text, "x", "the condition is written whole: %s", text)
	assert.Contains(t, text, "éé…\n", "the condition is written whole: %s", text)
	run := assert.Value(engine.CompilePersona(doc))(t)
	steps := []prove.Step{{Machine: "m", Verdict: 0}, {Machine: "m", Verdict: 1}, {Machine: "m", Verdict: 2}}
	for room, more := range map[int]bool{1 << 20: false, 1: true} {
		var out strings.Builder
		w := newWitnessWriter(doc, run, &out)
		w.room = room
		if w.writeSteps(steps); w.out.Flush() != nil || strings.Contains(out.String(),
			"  2 turns more, left out: the turns of a file have at most 32 MiB of text\n") != more {
			t.Errorf("room of %d: %s", room, out.String())
		}
	}
}

func TestTuneCollector(t *testing.T) {
	before := debug.SetGCPercent(100)
	t.Cleanup(func() { debug.SetGCPercent(before) })
	for variable, want := range map[string]int{"": collectorPercent, "50": 100} {
		t.Setenv("GOGC", variable)
		restore := tuneCollector(collectorPercent)
		now := debug.SetGCPercent(100)
		debug.SetGCPercent(now)
		assert.Equal(t, now, want, "GOGC=%s", variable)
		restore()
	}
}
