package examples

import (
	"bytes"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/engine"
)

func loadSample(t *testing.T, name string) *personas.Persona {
	t.Helper()
	p, _, faults := personas.Parse(name+".yaml", assert.Value(Read(name))(t))
	assert.Empty(t, faults)
	return &p
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
	assert.True(t, src == nil, "Read of no sample: %q, %v", src, err)
	assert.ErrorContains(t, err, "starter", "Read of no sample")
}

// TestSamplesHaveEnoughToSay: each decision has four examples and two lines, an entered state one line.
func TestSamplesHaveEnoughToSay(t *testing.T) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			p := loadSample(t, name)
			for i := range p.Machines {
				m := &p.Machines[i]
				for j := range m.States {
					checkOffline(t, m, &m.States[j])
				}
			}
		})
	}
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
		examples, lines := slices.Clone(off.Examples.Of(string(tr.Decision))), off.Lines.Of(string(tr.Decision))
		if tr.Offline != nil {
			examples = append(examples, tr.Offline.Examples...)
		}
		assert.True(t, len(examples) >= 4, "%s/%s: %d examples for %s", m.Key, st.Key, len(examples), tr.Decision)
		moves := tr.To != "" && tr.To != tr.From
		assert.True(t, len(lines) >= 2 || moves && len(lines) != 1, "%s/%s: %d lines for %s", m.Key, st.Key, len(lines), tr.Decision)
	}
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
		p := loadSample(t, name)
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
	p := loadSample(t, "hotel")
	conditions, auto := map[personas.Condition]bool{}, false
	for _, l := range p.Links {
		conditions[l.Condition] = true
		auto = auto || l.AutoAdvance
	}
	assert.Equal(t, len(conditions), 4)
	assert.True(t, auto, "no link with is_auto_advance")
	assert.True(t, len(p.Machines) >= 3, "%d machines", len(p.Machines))
	assert.True(t, len(p.Variables) != 0, "no variables")
	var in, out int
	for i := range p.Machines {
		in += len(p.Machines[i].InputVariables)
		out += len(p.Machines[i].OutputVariables)
	}
	assert.True(t, in != 0 && out != 0, "%d input and %d output variables", in, out)
	assert.EqualSlices(t, assert.Value(engine.CompilePersona(p))(t).Available(nil), []string{"check-in"}, "a new guest can start")
}

// TestPortraits: the portrait of the starter is a small square picture, and the other samples have none.
func TestPortraits(t *testing.T) {
	for _, name := range Names() {
		data := ReadPortrait(name)
		assert.Equal(t, len(data) > 0 && len(data) <= 4096, name == "starter", "%s: %d bytes", name, len(data))
	}
	size := assert.Value(png.DecodeConfig(bytes.NewReader(ReadPortrait("starter"))))(t)
	assert.True(t, size.Width == 128 && size.Height == 128, "%d by %d pixels", size.Width, size.Height)
}
