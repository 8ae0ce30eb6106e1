package diff_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/diff"
	"github.com/parley-npc/parley/personas/wire"
)

func drawText(t *rapid.T, label string) string {
	words := []string{"", "the gate", "is closed", "{{town}}", "you", "a: b", "\n", "  ", "é", "日本", "🙂", "- x", "'", `"`, "#", "true", "1", "\t", "\u2028", "\x1b[31m"}
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 9).Draw(t, label), " ")
}

func drawTexts(t *rapid.T, label string) []string {
	var all []string
	for range rapid.IntRange(0, 3).Draw(t, label) {
		all = append(all, drawText(t, label))
	}
	return all
}

func drawState(t *rapid.T, key string, first bool) personas.State {
	s := personas.State{
		Key: key, IsInitial: first, IsTerminal: rapid.IntRange(0, 2).Draw(t, "terminal") == 0,
		Label: drawText(t, "label"), PromptInstruction: drawText(t, "prompt"),
		MaxRedirects:    rapid.Ptr(rapid.IntRange(0, 4), true).Draw(t, "limit"),
		TerminalOutcome: rapid.SampledFrom([]personas.Outcome{"", personas.Accept, personas.Reject}).Draw(t, "ending"),
		Criteria:        personas.Criteria{Pass: drawText(t, "pass"), Extra: drawExtra(t)}, Extra: drawExtra(t),
	}
	if rapid.Bool().Draw(t, "offline") {
		s.Offline = &personas.Offline{Opening: drawTexts(t, "opening"), Lines: personas.Lines{Pass: drawTexts(t, "lines")}}
	}
	return s
}

func drawExtra(t *rapid.T) personas.Members {
	if rapid.IntRange(0, 4).Draw(t, "extra") > 0 {
		return nil
	}
	value := rapid.SampledFrom([]string{"1", "null", `{"b":[1,{"a":2}],"a.c":{}}`, `"x y"`, "[]"}).Draw(t, "value")
	return personas.Members{{Name: "x-" + drawText(t, "member"), Value: json.RawMessage(value)}}
}

func drawMachine(t *rapid.T, key string) personas.Machine {
	m := personas.Machine{
		Key: key, Name: drawText(t, "name"), ChatPrompt: drawText(t, "chat"), IsEntry: rapid.Bool().Draw(t, "entry"), Extra: drawExtra(t),
		ScoringMode:   rapid.SampledFrom([]personas.ScoringMode{"", personas.Scoring, personas.PassFail}).Draw(t, "mode"),
		PassThreshold: rapid.Ptr(rapid.IntRange(1, 5), true).Draw(t, "threshold"),
	}
	n := rapid.IntRange(1, 5).Draw(t, "states")
	for i := range n {
		m.States = append(m.States, drawState(t, fmt.Sprint("s", i), i == 0))
	}
	state := rapid.Map(rapid.IntRange(0, n-1), func(i int) string { return fmt.Sprint("s", i) })
	for range rapid.IntRange(0, 7).Draw(t, "transitions") {
		m.Transitions = append(m.Transitions, personas.Transition{
			From: state.Draw(t, "from"), To: state.Draw(t, "to"), Condition: drawText(t, "condition"), Extra: drawExtra(t),
			Decision:   rapid.SampledFrom([]personas.Decision{personas.DecidePass, personas.DecideRedirect, personas.DecideReject, personas.DecideKickOut}).Draw(t, "decision"),
			ScoreDelta: rapid.IntRange(-3, 3).Draw(t, "delta"), Priority: rapid.IntRange(0, 1).Draw(t, "priority"),
		})
	}
	if rapid.Bool().Draw(t, "output") {
		m.OutputVariables = []personas.OutputVariable{{Key: "guest", ExtractionPrompt: drawText(t, "extraction")}}
	}
	return m
}

func drawPersona(t *rapid.T) *personas.Persona {
	p := &personas.Persona{Name: drawText(t, "name"), Description: drawText(t, "description"), IdentityPrompt: drawText(t, "identity"), Extra: drawExtra(t)}
	keys := []string{"m0", "m1", "m2"}[:rapid.IntRange(1, 3).Draw(t, "machines")]
	for _, key := range keys {
		p.Machines = append(p.Machines, drawMachine(t, key))
	}
	if rapid.Bool().Draw(t, "variable") {
		p.Variables = []personas.Variable{{Key: "town", Value: drawText(t, "value"), Description: "where it stands"}}
	}
	for range rapid.IntRange(0, 3).Draw(t, "links") {
		p.Links = append(p.Links, personas.Link{
			Source: rapid.SampledFrom(keys).Draw(t, "source"), Target: rapid.SampledFrom(keys).Draw(t, "target"),
			Condition: personas.IfScoreGTE, Score: rapid.IntRange(-3, 3).Draw(t, "score"), AutoAdvance: rapid.Bool().Draw(t, "auto"),
		})
	}
	return p
}

func copyOf(t *rapid.T, p *personas.Persona) *personas.Persona {
	src := assert.Value(personas.EncodeYAML(*p))(t)
	again, _, faults := personas.Parse("p.yaml", src)
	assert.Empty(t, faults, src)
	return &again
}

func TestNothingChanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPersona(t)
		r := diff.Compare(p, copyOf(t, p))
		assert.Must(t, r.Same && r.Identical, "a persona and itself: %q", outlineReport(r))
	})
}

// TestOneRenaming: for any persona, a key that changes in all its places is reported as one change.
func TestOneRenaming(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPersona(t)
		q := copyOf(t, p)
		m := &q.Machines[rapid.IntRange(0, len(q.Machines)-1).Draw(t, "machine")]
		from, to := m.Key, "renamed"
		if rapid.Bool().Draw(t, "state") {
			s := &m.States[rapid.IntRange(0, len(m.States)-1).Draw(t, "which")]
			from, s.Key = s.Key, to
			for i := range m.Transitions {
				m.Transitions[i].From, m.Transitions[i].To = followKey(m.Transitions[i].From, from, to), followKey(m.Transitions[i].To, from, to)
			}
		} else {
			m.Key = to
			for i := range q.Links {
				q.Links[i].Source, q.Links[i].Target = followKey(q.Links[i].Source, from, to), followKey(q.Links[i].Target, from, to)
			}
		}
		r := diff.Compare(p, q)
		assert.Must(t, len(r.Changes) == 1 && r.Changes[0].Kind == diff.Renamed && len(r.Effects) == 0, "%s is called %s, and this is told: %q", from, to, outlineReport(r))
	})
}

func followKey(key, from, to string) string {
	if key == from {
		return to
	}
	return key
}

func TestOtherOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPersona(t)
		q := copyOf(t, p)
		slices.Reverse(q.Links)
		for i := range q.Machines {
			q.Machines[i].States = rapid.Permutation(q.Machines[i].States).Draw(t, "states")
			slices.SortStableFunc(q.Machines[i].Transitions, func(a, b personas.Transition) int { return strings.Compare(a.From, b.From) })
		}
		r := diff.Compare(p, q)
		assert.Must(t, r.Same, "only the order is another: %q", outlineReport(r))
	})
}

// TestEveryChangeIsTold: personas without a reported difference are equal except for order and defaults.
func TestEveryChangeIsTold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPersona(t)
		q := copyOf(t, p)
		text := &q.Machines[0].States[0].PromptInstruction
		switch rapid.IntRange(0, 4).Draw(t, "what") {
		case 0:
			text = &q.Name
		case 1:
			text = &q.Machines[0].ChatPrompt
		case 2:
			text = &q.Machines[0].States[0].Criteria.Pass
		case 3:
			q.Machines[0].Transitions = append(q.Machines[0].Transitions, personas.Transition{From: "s0", Decision: personas.DecideKickOut})
		case 4:
			q.Extra = append(q.Extra, personas.Member{Name: "x", Value: json.RawMessage("1")})
		}
		*text += " more"
		r := diff.Compare(p, q)
		assert.Must(t, !r.Same && len(diff.Compare(q, p).Changes) != 0, "a change is not reported")
		assert.Must(t, slices.Equal(outlineReport(r), outlineReport(diff.Compare(p, q))), "two comparisons report different changes")
	})
}

// TestPulledIsTheSame: a persona as a service returns it, written to a file in either format, is the same persona.
func TestPulledIsTheSame(t *testing.T) {
	for range 10 { // times 100 personas
		rapid.Check(t, func(t *rapid.T) { checkPulled(t, drawPersona(t)) })
	}
}

func checkPulled(t *rapid.T, p *personas.Persona) {
	full := wire.FullPersona{
		Extra: p.Extra, PerplexityDescription: p.PerplexityDescription, Language: p.Language,
		Offline: p.Offline, Variables: p.Variables, Links: p.Links,
	}
	full.Persona.Name, full.Persona.Description, full.Persona.IdentityPrompt = p.Name, p.Description, p.IdentityPrompt
	for _, m := range p.Machines {
		full.Machines = append(full.Machines, wire.Machine{ID: "7", Machine: m})
	}
	text, err := json.Marshal(full)
	var shown wire.FullPersona
	if err == nil {
		err = json.Unmarshal(text, &shown)
	}
	assert.NoError(t, err)
	doc := shown.Document()
	for name, encode := range map[string]func(personas.Persona) ([]byte, error){"p.yaml": personas.EncodeYAML, "p.json": personas.EncodeJSON} {
		src := assert.Value(encode(doc))(t)
		again, _, faults := personas.Parse(name, src)
		r := diff.Compare(p, &again)
		assert.Must(t, len(faults) == 0 && r.Identical, "%s: %v %q\n%s", name, faults, outlineReport(r), src)
	}
}

// TestWords: the pieces make both texts, and neighbours differ in kind.
func TestWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkWords(t, drawText(t, "x"), drawText(t, "y")) })
}

func checkWords(t assert.TB, x, y string) {
	var before, after strings.Builder
	for _, p := range diff.Words(x, y) {
		if p.Op != diff.Insert {
			before.WriteString(p.Text)
		}
		if p.Op != diff.Delete {
			after.WriteString(p.Text)
		}
	}
	assert.Must(t, before.String() == x && after.String() == y, "%q to %q makes %q", x, y, diff.Words(x, y))
}

func FuzzWords(f *testing.F) {
	f.Add("You are a grim guard.", "You are a kind guard, and tired.")
	f.Add("a b c", "c b a")
	f.Add("", "\n")
	f.Fuzz(func(t *testing.T, x, y string) { checkWords(t, x, y) })
}

func TestReadableWords(t *testing.T) {
	tests := []struct{ x, y, want string }{
		{"You are a grim guard.", "You are a kind guard.", "You are a [-grim-]{+kind+} guard."},
		{"one two three four", "one 2 3 four", "one [-two three-]{+2 3+} four"},
		{"The gate", "The old gate", "The {+old +}gate"},
		{"same", "same", "same"},
		{strings.Repeat("a ", 500), strings.Repeat("b ", 500), "[-" + strings.Repeat("a ", 500) + "-]{+" + strings.Repeat("b ", 500) + "+}"},
		{"The inn is old.", "She has one more row to knit.", "[-The inn is old.-]{+She has one more row to knit.+}"},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%.40q to %.40q", tt.x, tt.y), func(t *testing.T) {
			var got strings.Builder
			for _, p := range diff.Words(tt.x, tt.y) {
				got.WriteString(map[diff.Op]string{diff.Delete: "[-", diff.Insert: "{+"}[p.Op] + p.Text + map[diff.Op]string{diff.Delete: "-]", diff.Insert: "+}"}[p.Op])
			}
			assert.Equal(t, got.String(), tt.want, "%.40q to %.40q", tt.x, tt.y)
		})
	}
}

// TestManyWords: 400 added or removed words are reported one by one; with one more the texts are replaced.
func TestManyWords(t *testing.T) {
	text := func(n int, word string) string { return strings.Repeat(word+" unchanged ", n) }
	for n, want := range map[int]int{200: 600, 201: 2} {
		t.Run(fmt.Sprint(n, " words"), func(t *testing.T) {
			assert.Equal(t, len(diff.Words(text(n, "old"), text(n, "new"))), want, "%d changed words", n)
		})
	}
}

// parallelPersona has n passes between the same two states.
func parallelPersona(n int, worded bool) *personas.Persona {
	m := personas.Machine{Key: "m", States: []personas.State{{Key: "a", IsInitial: true}, {Key: "b", IsTerminal: true}}}
	for i := range n {
		t := personas.Transition{From: "a", To: "b", Decision: personas.DecidePass, ScoreDelta: i % 1000}
		if worded {
			t.Condition = fmt.Sprintf("The player says %d", i)
		}
		m.Transitions = append(m.Transitions, t)
	}
	return &personas.Persona{Name: "p", Machines: []personas.Machine{m}}
}

func changeRows(p *personas.Persona) *personas.Persona {
	for i := range p.Machines[0].Transitions {
		p.Machines[0].Transitions[i].ScoreDelta += 1000
	}
	return p
}

// TestParallelTransitionsAreCheap: many transitions between two states have a linear cost.
func TestParallelTransitionsAreCheap(t *testing.T) {
	for _, worded := range []bool{false, true} {
		before, after := parallelPersona(9000, worded), changeRows(parallelPersona(9000, worded))
		var report *diff.Report
		bytes := assert.Allocated(func() { report = diff.Compare(before, after) })
		assert.True(t, bytes <= 1<<30, "conditions %t: %d bytes", worded, bytes)
		assert.True(t, !worded || len(report.Changes) == 9000, "%d changes of 9000 transitions, although their conditions identify them", len(report.Changes))
	}
}
