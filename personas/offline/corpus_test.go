package offline

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
)

// The corpus: lines that people who saw only the prose of a persona wrote for
// each state, with what an attentive person would decide. On the first personas
// the weights are fitted; on the others nothing is.
var (
	fittedPersonas = []string{"weather-seller", "night-triage", "rockstar-tour-bus", "sample-merchant", "sample-baker", "sample-starter"}
	heldPersonas   = []string{"kestrel-gate-customs", "butler-interrogation", "winter-door-hedgehog", "widow-workshop", "sample-gate", "sample-cafe", "sample-hotel"}
)

// corpusLine is one line of the corpus.
type corpusLine struct {
	Machine string `json:"machine"`
	State   string `json:"state"`
	Text    string `json:"text"`
	Label   string `json:"label"`
	To      string `json:"to"`
	Style   string `json:"style"`
	place   Place
}

func corpusPersona(t testing.TB, name string) *personas.Persona {
	t.Helper()
	file := filepath.Join("testdata", "corpus", name+".yaml")
	if sample, ok := strings.CutPrefix(name, "sample-"); ok && os.Getenv("OLDSAMPLES") == "" {
		if _, err := os.Stat(file); err != nil {
			file = filepath.Join("..", "examples", sample+".yaml")
		}
	}
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p, _, faults := personas.Parse(name, source)
	for _, f := range faults {
		t.Error(name, f)
	}
	return &p
}

func readCorpus(t testing.TB, name string) []corpusLine {
	t.Helper()
	p := corpusPersona(t, name)
	source, err := os.ReadFile(filepath.Join("testdata", "corpus", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var out []corpusLine
	for lines := bufio.NewScanner(bytes.NewReader(source)); lines.Scan(); {
		var l corpusLine
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatalf("%s: %v: %s", name, err, lines.Text())
		}
		l.place = placeOf(t, p, l.Machine, l.State)
		out = append(out, l)
	}
	return out
}

func placeOf(t testing.TB, p *personas.Persona, machine, state string) Place {
	t.Helper()
	for i := range p.Machines {
		m := &p.Machines[i]
		for j := range m.States {
			if m.States[j].Key == state && (machine == "" || machine == m.Key) {
				return Place{Persona: p, Machine: m, State: &m.States[j], Outgoing: outgoingOf(m, state), FollowUpAllowed: true}
			}
		}
	}
	t.Fatalf("%s has no state %s %s", p.Name, machine, state)
	return Place{}
}

func outgoingOf(m *personas.Machine, state string) []int {
	var rows []int
	for i := range m.Transitions {
		if m.Transitions[i].From == state {
			rows = append(rows, i)
		}
	}
	slices.SortStableFunc(rows, func(a, b int) int { return m.Transitions[a].Priority - m.Transitions[b].Priority })
	return rows
}

// proseOnly returns the place without anything that its author gave to the
// offline model.
func proseOnly(at Place) Place {
	p, m, s := *at.Persona, *at.Machine, *at.State
	p.Offline, m.Offline, s.Offline = nil, nil, nil
	m.Transitions = slices.Clone(m.Transitions)
	for i := range m.Transitions {
		m.Transitions[i].Offline = nil
	}
	at.Persona, at.Machine, at.State = &p, &m, &s
	return at
}

// isRight reports whether a verdict is what the line wants, its target included.
func (l *corpusLine) isRight(v *Verdict) bool {
	if v.Decision != l.Label {
		return false
	}
	if l.To == "" || l.Label != "pass" {
		return true
	}
	return slices.ContainsFunc(v.Rows, func(row int) bool { return l.place.Machine.Transitions[row].To == l.To })
}

// figures are what a reader gets right.
type figures struct {
	lines, right      int
	wanted, got, both map[string]int
	innocent, kicked  int
}

func measureLines(r *Reader, lines []corpusLine, at func(Place) Place) *figures {
	f := &figures{wanted: map[string]int{}, got: map[string]int{}, both: map[string]int{}}
	for i := range lines {
		l := &lines[i]
		v := r.Decide(at(l.place), l.Text)
		f.lines++
		f.wanted[l.Label]++
		f.got[v.Decision]++
		if l.isRight(&v) {
			f.right++
			f.both[l.Label]++
		}
		if l.Label != "kick_out" {
			f.innocent++
			if v.Decision == "kick_out" {
				f.kicked++
			}
		}
	}
	return f
}

func (f *figures) accuracy() float64          { return float64(f.right) / float64(f.lines) }
func (f *figures) recall(d string) float64    { return float64(f.both[d]) / float64(max(1, f.wanted[d])) }
func (f *figures) precision(d string) float64 { return float64(f.both[d]) / float64(max(1, f.got[d])) }

func (f *figures) log(t *testing.T, title string) {
	t.Helper()
	t.Logf("%s: %d of %d right, %.1f %%; innocents kicked out: %d of %d", title, f.right, f.lines, 100*f.accuracy(), f.kicked, f.innocent)
	for _, d := range kindNames {
		t.Logf("    %-10s wanted %3d  recall %3.0f %%  precision %3.0f %%", d, f.wanted[d], 100*f.recall(d), 100*f.precision(d))
	}
}

func here(at Place) Place { return at }
