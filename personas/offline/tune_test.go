package offline

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
)

type line struct {
	Persona, State, Text, Label, To, Style string
}

type sample struct {
	line
	m    measured
	want int
}

func load(t testing.TB, r *Reader, names []string, examples bool) []sample {
	var out []sample
	for _, name := range names {
		src, err := os.ReadFile("/tmp/w/corpus/personas/" + name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		p, _, faults := personas.Parse(name, src)
		for _, f := range faults {
			t.Log(name, f)
		}
		f, err := os.Open("/tmp/w/corpus/lines/" + name + ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		for s := bufio.NewScanner(f); s.Scan(); {
			var l line
			if err := json.Unmarshal(s.Bytes(), &l); err != nil {
				t.Fatal(err)
			}
			l.Persona = name
			x := sample{line: l, want: -1}
			for mi := range p.Machines {
				m := &p.Machines[mi]
				for si := range m.States {
					if m.States[si].Key != l.State || m.States[si].IsTerminal {
						continue
					}
					x.m = r.measure(m, &m.States[si], outgoing(m, l.State), l.Text, examples)
				}
			}
			for i, c := range x.m.choices {
				if c.decision == l.Label && (l.To == "" || c.label == l.To || l.Label != "pass") {
					x.want = i
					break
				}
			}
			if x.want < 0 {
				t.Log("no choice", l)
				continue
			}
			out = append(out, x)
		}
	}
	return out
}

func outgoing(m *personas.Machine, state string) []int {
	var out []int
	for i := range m.Transitions {
		if m.Transitions[i].From == state {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int { return m.Transitions[a].Priority - m.Transitions[b].Priority })
	return out
}

type weightTable [kindCount][featureCount]float64

func (w *weightTable) utilities(m *measured) []float64 {
	out := make([]float64, len(m.choices))
	for i := range out {
		for k, x := range m.features[i] {
			out[i] += w[m.choices[i].kind][k] * x
		}
	}
	return out
}

func softmax(u []float64) []float64 {
	top := slices.Max(u)
	sum := 0.0
	out := make([]float64, len(u))
	for i, x := range u {
		out[i] = math.Exp(x - top)
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

func train(data []sample, l2 float64, rounds int) *weightTable {
	var w, m1, m2 weightTable
	for round := 1; round <= rounds; round++ {
		var g weightTable
		for _, x := range data {
			p := softmax(w.utilities(&x.m))
			for i, f := range x.m.features {
				d := p[i]
				if i == x.want {
					d--
				}
				for k, v := range f {
					g[x.m.choices[i].kind][k] += d * v
				}
			}
		}
		for i := range g {
			for k := range g[i] {
				d := g[i][k]/float64(len(data)) + l2*w[i][k]
				m1[i][k] = 0.9*m1[i][k] + 0.1*d
				m2[i][k] = 0.99*m2[i][k] + 0.01*d*d
				w[i][k] -= 0.05 * (m1[i][k] / (1 - math.Pow(0.9, float64(round)))) / (math.Sqrt(m2[i][k]/(1-math.Pow(0.99, float64(round)))) + 1e-8)
			}
		}
	}
	return &w
}

func report(t testing.TB, title string, data []sample, w *weightTable, verbose bool) {
	right, n := 0, 0
	tp, fn, fp := map[string]int{}, map[string]int{}, map[string]int{}
	innocent, kicked := 0, 0
	for _, x := range data {
		p := softmax(w.utilities(&x.m))
		best := slices.Index(p, slices.Max(p))
		n++
		got := x.m.choices[best].decision
		if best == x.want {
			right++
			tp[x.Label]++
		} else {
			fn[x.Label]++
			fp[got]++
			if verbose {
				fmt.Printf("%-22s %-10s want %-9s got %-9s %.2f  best %.2f/%.2f crit %.2f/%.2f  %q like %q | want like %q\n", x.Persona, x.State, x.Label, got, p[best], x.m.features[x.want][fBest], x.m.features[best][fBest], x.m.features[x.want][fCriterion], x.m.features[best][fCriterion], x.Text, x.m.nearest[best], x.m.nearest[x.want])
			}
		}
		if x.Label != "kick_out" {
			innocent++
			if got == "kick_out" {
				kicked++
			}
		}
	}
	fmt.Printf("%s: %d/%d = %.1f %%, innocents kicked %d of %d\n", title, right, n, 100*float64(right)/float64(n), kicked, innocent)
	for _, d := range []string{"pass", "redirect", "reject", "kick_out", "follow_up", "aside"} {
		fmt.Printf("   %-10s recall %.0f %% of %d  precision %.0f %%\n", d, 100*float64(tp[d])/float64(tp[d]+fn[d]), tp[d]+fn[d], 100*float64(tp[d])/float64(max(1, tp[d]+fp[d])))
	}
}

func TestTune(t *testing.T) {
	names, _ := filepath.Glob("/tmp/w/corpus/personas/*.yaml")
	var tune []string
	for _, n := range names {
		n = strings.TrimSuffix(filepath.Base(n), ".yaml")
		if slices.Contains(strings.Fields(os.Getenv("TUNE")), n) {
			tune = append(tune, n)
		}
	}
	r := NewReader()
	all := load(t, r, tune, os.Getenv("PROSE") == "")
	for _, held := range tune {
		var in, out []sample
		for _, x := range all {
			if x.Persona == held {
				out = append(out, x)
			} else {
				in = append(in, x)
			}
		}
		w := train(in, 0.002, 400)
		report(t, "left out "+held, out, w, os.Getenv("SHOW") != "")
	}
}
