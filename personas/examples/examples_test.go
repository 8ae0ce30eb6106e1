package examples

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/lint"
)

func loadSample(t *testing.T, name string) (*personas.Persona, *engine.Persona) {
	t.Helper()
	src := assert.Value(Read(name))(t)
	p, _, faults := personas.Parse(name+".yaml", src)
	assert.Empty(t, faults)
	compiled := assert.Value(engine.CompilePersona(&p))(t)
	return &p, compiled
}

func eachSample(t *testing.T, test func(t *testing.T, p *personas.Persona, compiled *engine.Persona)) {
	t.Helper()
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			p, compiled := loadSample(t, name)
			test(t, p, compiled)
		})
	}
}

func TestNamesAreTheFiles(t *testing.T) {
	found := assert.Value(filepath.Glob("*.yaml"))(t)
	var want []string
	for _, name := range Names() {
		want = append(want, name+".yaml")
	}
	slices.Sort(want)
	assert.EqualSlices(t, found, want)
	Names()[0] = "spoiled"
	assert.True(t, Names()[0] != "spoiled", "a caller can change the names")
	src, err := Read("nobody")
	assert.True(t, err != nil && src == nil && strings.Contains(err.Error(), "starter"), "Read of no sample: %q, %v", src, err)
}

func TestSamplesAreWithoutFindings(t *testing.T) {
	eachSample(t, func(t *testing.T, p *personas.Persona, _ *engine.Persona) {
		for _, f := range lint.All(p, personas.Validate(p)) {
			t.Errorf("%s: %s [%s]", f.Path, f.Message, f.Check)
		}
	})
}

// ending is how a machine can end.
type ending struct {
	outcome personas.Outcome
	score   int
}

// reachable contains everything that can happen in a machine.
type reachable struct {
	states  map[string]bool
	fired   map[int]bool
	endings map[ending]bool
}

// exploreMachine tries every verdict in every session that a machine can be in.
func exploreMachine(t *testing.T, m *engine.Machine) reachable {
	t.Helper()
	r := reachable{map[string]bool{}, map[int]bool{}, map[ending]bool{}}
	seen := map[engine.Session]bool{m.Start(): true}
	for todo := []engine.Session{m.Start()}; len(todo) > 0; todo = todo[1:] {
		s := todo[0]
		r.states[s.State] = true
		if s.IsFinished() {
			r.endings[ending{s.Outcome, s.Score}] = true
			continue
		}
		for _, v := range possibleVerdicts(m, s) {
			step := assert.Value(m.Step(s, v))(t)
			if step.Transition >= 0 && v == engine.Fire(step.Transition) {
				r.fired[step.Transition] = true
			}
			if !seen[step.Session] {
				seen[step.Session] = true
				todo = append(todo, step.Session)
			}
		}
		assert.Must(t, len(seen) <= 100_000, "the machine has no end: a state without max_redirects or a scoring cycle")
	}
	return r
}

func possibleVerdicts(m *engine.Machine, s engine.Session) []engine.Verdict {
	all := []engine.Verdict{engine.None, engine.FollowUp}
	for _, i := range m.Outgoing(s.State) {
		all = append(all, engine.Fire(i))
	}
	return all
}

func TestEverythingCanHappen(t *testing.T) {
	eachSample(t, func(t *testing.T, p *personas.Persona, compiled *engine.Persona) {
		for i := range p.Machines {
			doc := &p.Machines[i]
			r := exploreMachine(t, compiled.Machine(doc.Key))
			for _, st := range doc.States {
				assert.True(t, r.states[st.Key], "%s: state %s cannot be reached", doc.Key, st.Key)
			}
			for j, tr := range doc.Transitions {
				assert.True(t, r.fired[j], "%s: transition %d (%s from %s) cannot fire", doc.Key, j, tr.Decision, tr.From)
			}
			for _, o := range []personas.Outcome{personas.Accept, personas.Reject, personas.KickOut} {
				assert.True(t, r.endsWith(o), "%s cannot end with %s", doc.Key, o)
			}
		}
	})
}

func (r reachable) endsWith(o personas.Outcome) bool {
	for e := range r.endings {
		if e.outcome == o {
			return true
		}
	}
	return false
}

// TestEveryMachineCanBeUnlocked: every link can open, and following links from a new start leads to every machine.
func TestEveryMachineCanBeUnlocked(t *testing.T) {
	eachSample(t, func(t *testing.T, p *personas.Persona, compiled *engine.Persona) {
		for i := range p.Links {
			l := &p.Links[i]
			assert.True(t, opensLink(l, exploreMachine(t, compiled.Machine(l.Source))), "link %d from %s to %s cannot open", i, l.Source, l.Target)
		}
		var unlocked []string
		for range p.Machines {
			for _, key := range compiled.Available(unlocked) {
				for e := range exploreMachine(t, compiled.Machine(key)).endings {
					unlocked = append(unlocked, compiled.Complete(unlocked, key, e.outcome, e.score)...)
				}
			}
		}
		assert.EqualSlices(t, compiled.Available(unlocked), compiled.Keys())
	})
}

func opensLink(l *personas.Link, r reachable) bool {
	for e := range r.endings {
		if engine.Opens(l, e.outcome, e.score) {
			return true
		}
	}
	return false
}

// TestSamplesHaveEnoughToSay: each decision has four examples and two lines, an entered state one line.
func TestSamplesHaveEnoughToSay(t *testing.T) {
	eachSample(t, func(t *testing.T, p *personas.Persona, _ *engine.Persona) {
		for i := range p.Machines {
			m := &p.Machines[i]
			for j := range m.States {
				checkOffline(t, m, &m.States[j])
			}
		}
	})
}

func checkOffline(t *testing.T, m *personas.Machine, st *personas.State) {
	off := st.Offline
	switch {
	case off == nil && st.IsTerminal:
		return
	case off == nil:
		t.Errorf("%s/%s: no offline lines", m.Key, st.Key)
		return
	case st.IsInitial && len(off.Opening) == 0, !st.IsInitial && len(off.Lines.Enter) == 0:
		t.Errorf("%s/%s: too little to open with", m.Key, st.Key)
	}
	for _, tr := range m.Transitions {
		if tr.From != st.Key {
			continue
		}
		examples, lines := offlineTexts(off, tr.Decision)
		if tr.Offline != nil {
			examples = append(examples, tr.Offline.Examples...)
		}
		assert.True(t, len(examples) >= 4, "%s/%s: %d examples for %s", m.Key, st.Key, len(examples), tr.Decision)
		if moves := tr.To != "" && tr.To != tr.From; len(lines) < 2 && (!moves || len(lines) == 1) {
			t.Errorf("%s/%s: %d lines for %s", m.Key, st.Key, len(lines), tr.Decision)
		}
	}
}

func offlineTexts(off *personas.Offline, d personas.Decision) (examples []personas.Example, lines []string) {
	return slices.Clone(off.Examples.Of(string(d))), off.Lines.Of(string(d))
}

func TestEveryEndingHasATalk(t *testing.T) {
	heads := map[string]bool{}
	files := assert.Value(filepath.Glob("testdata/*.talk"))(t)
	for _, file := range files {
		src := assert.Value(os.ReadFile(file))(t)
		sample, _, _ := strings.Cut(filepath.Base(file), "-")
		head, _, _ := strings.Cut(string(src), "\n")
		heads[sample+" "+strings.TrimSpace(head)] = true
	}
	for _, name := range Names() {
		p, _ := loadSample(t, name)
		for i := range p.Machines {
			for _, o := range []personas.Outcome{personas.Accept, personas.Reject, personas.KickOut} {
				want := fmt.Sprintf("%s # %s -> %s", name, p.Machines[i].Key, o)
				assert.True(t, heads[want], "no conversation begins with %q", want)
			}
		}
	}
}

// TestSamplesAreShort: samples are short, because authors read them to learn.
func TestSamplesAreShort(t *testing.T) {
	const most, mostOfStarter = 260, 44
	for _, name := range Names() {
		src := assert.Value(Read(name))(t)
		bound := most
		if name == "starter" {
			bound = mostOfStarter
		}
		n := bytes.Count(src, []byte("\n"))
		assert.True(t, n <= bound, "%s has %d lines, more than %d", name, n, bound)
	}
}

// The hotel shows everything that a persona of several machines can have.
func TestTheHotelShowsLinksAndVariables(t *testing.T) {
	p, compiled := loadSample(t, "hotel")
	conditions, auto := map[personas.Condition]bool{}, false
	for _, l := range p.Links {
		conditions[l.Condition] = true
		auto = auto || l.AutoAdvance
	}
	assert.True(t, len(conditions) == 4 && auto && len(p.Machines) >= 3 && len(p.Variables) != 0,
		"conditions %v, auto-advance %t, %d machines, %d variables", conditions, auto, len(p.Machines), len(p.Variables))
	var in, out int
	for i := range p.Machines {
		in += len(p.Machines[i].InputVariables)
		out += len(p.Machines[i].OutputVariables)
	}
	assert.True(t, in != 0 && out != 0, "%d input and %d output variables", in, out)
	assert.EqualSlices(t, compiled.Available(nil), []string{"check-in"}, "a new guest can start")
}

// drawnPortraits are the left halves of the samples' portraits, which are this project's own work
// under its licence. The right halves mirror them. A letter is a pixel.
var drawnPortraits = map[string]string{"starter": `
,,,,,,,,
,o,,,,,,
ogo,,,,,
ogpo,ooo
ogppogdg
ogggggdg
oggggggg
gggggggg
ggkkkkgg
dgknekgl
gggkkggl
dggggglw
gdgggwwp
,ogggwwk
,,oggwww
rrrrrrrr
`}

// inks are the colours of the letters.
var inks = map[byte]color.RGBA{
	',': {38, 70, 83, 255}, 'o': {122, 62, 29, 255}, 'g': {226, 140, 62, 255}, 'd': {184, 97, 40, 255}, 'l': {243, 188, 124, 255},
	'w': {253, 238, 216, 255}, 'k': {43, 28, 22, 255}, 'e': {178, 214, 106, 255}, 'n': {222, 240, 160, 255}, 'p': {233, 143, 143, 255}, 'r': {161, 58, 62, 255},
}

// pixelSide is the width and height of a letter in pixels of the file.
const pixelSide = 8

func drawPortrait(t *testing.T, half string) *image.Paletted {
	t.Helper()
	rows := strings.Fields(half)
	side := len(rows) * pixelSide
	palette := color.Palette{}
	for _, letter := range []byte(",ogdlwkenpr") {
		palette = append(palette, inks[letter])
	}
	picture := image.NewPaletted(image.Rect(0, 0, side, side), palette)
	for y := range side {
		row := rows[y/pixelSide]
		assert.Must(t, 2*len(row) == len(rows), "%q has %d letters for %d rows", row, len(row), len(rows))
		for x := range side {
			at := x / pixelSide
			if at >= len(row) {
				at = len(rows) - 1 - at
			}
			picture.Set(x, y, inks[row[at]])
		}
	}
	return picture
}

// TestPortraits: the portrait files of the samples equal the drawings in this file.
func TestPortraits(t *testing.T) {
	for name, half := range drawnPortraits {
		want := drawPortrait(t, half)
		if assert.Updating() {
			var b bytes.Buffer
			assert.NoError(t, (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, want))
			assert.NoError(t, os.WriteFile(name+".png", b.Bytes(), 0o600))
		}
		data := assert.Value(os.ReadFile(name + ".png"))(t)
		assert.True(t, len(data) <= 4096, "%s.png has %d bytes", name, len(data))
		got, err := png.Decode(bytes.NewReader(data))
		assert.Must(t, err == nil && got.Bounds() == want.Bounds(), "%s.png: %v", name, err)
		for i := range want.Pix {
			x, y := i%want.Stride, i/want.Stride
			assert.Must(t, color.RGBAModel.Convert(got.At(x, y)) == color.RGBAModel.Convert(want.At(x, y)),
				"%s.png is stale at %d, %d: go test ./personas/examples -run TestPortraits -update", name, x, y)
		}
		assert.True(t, bytes.Equal(ReadPortrait(name), data), "%s has no portrait", name)
	}
}
