package lint

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/prove"
)

func oneOf[T any](t *rapid.T, what string, all ...T) T { return rapid.SampledFrom(all).Draw(t, what) }

func drawSeveral(t *rapid.T, what string, most int, each func()) {
	for range rapid.IntRange(0, most).Draw(t, what) {
		each()
	}
}

func drawPersona(t *rapid.T) *personas.Persona {
	text := func() string {
		return oneOf(t, "text", "", " ", "a word", "{{k}}", "{k}", "{{nobody}}", "TODO", "pk_live_0123456789abcdef0123456789abcdef", "Player pays.")
	}
	texts := func() []string {
		var all []string
		drawSeveral(t, "texts", 2, func() { all = append(all, text()) })
		return all
	}
	p := &personas.Persona{Name: text(), Description: "d", IdentityPrompt: text()}
	drawSeveral(t, "variables", 2, func() {
		p.Variables = append(p.Variables, personas.Variable{Key: oneOf(t, "key", "k", "l", "player_name", "{", ""), Value: text()})
	})
	drawSeveral(t, "machines", 3, func() { p.Machines = append(p.Machines, drawWholeMachine(t, len(p.Machines), text, texts)) })
	drawSeveral(t, "links", 4, func() {
		l := personas.Link{Source: oneOf(t, "source", "m0", "m1", "m2"), Target: oneOf(t, "target", "m0", "m1", "m2"), AutoAdvance: rapid.Bool().Draw(t, "auto")}
		switch l.Condition = oneOf(t, "condition", personas.Always, personas.IfOutcome, personas.IfScoreGTE, personas.IfScoreLTE); l.Condition {
		case personas.IfOutcome:
			l.Outcome = oneOf(t, "outcome", personas.Accept, personas.Reject, personas.KickOut)
		case personas.IfScoreGTE, personas.IfScoreLTE:
			l.Score = rapid.IntRange(-5, 5).Draw(t, "score")
		}
		p.Links = append(p.Links, l)
	})
	return p
}

func drawWholeMachine(t *rapid.T, i int, text func() string, texts func() []string) personas.Machine {
	m := personas.Machine{Key: fmt.Sprint("m", i), ChatPrompt: text(), IsEntry: rapid.Bool().Draw(t, "entry"), ScoringMode: oneOf(t, "mode", "", personas.Scoring, personas.PassFail)}
	maybe := func(what string) *int {
		if rapid.Bool().Draw(t, what) {
			return nil
		}
		return new(rapid.IntRange(-2, 3).Draw(t, what))
	}
	m.PassThreshold, m.EarlyFailBound = maybe("threshold"), maybe("bound")
	states := rapid.IntRange(1, 5).Draw(t, "states")
	for j := range states {
		s := personas.State{Key: fmt.Sprint(j), IsInitial: j == 0, IsTerminal: j == states-1 || rapid.IntRange(0, 4).Draw(t, "terminal") == 0, PromptInstruction: text()}
		if n := maybe("max"); n != nil && *n >= 0 {
			s.MaxRedirects = n
		}
		s.TerminalOutcome = oneOf(t, "ending", personas.NoOutcome, personas.NoOutcome, personas.Reject)
		s.Criteria = personas.Criteria{Pass: text(), Reject: text(), KickOut: text()}
		if rapid.Bool().Draw(t, "offline") {
			s.Offline = &personas.Offline{Opening: texts(), Examples: personas.Examples{Pass: personas.NewExamples(texts()...), Reject: personas.NewExamples(texts()...)}, Lines: personas.Lines{KickOut: texts()}}
		}
		m.States = append(m.States, s)
	}
	drawSeveral(t, "transitions", 8, func() {
		key := func() string { return fmt.Sprint(rapid.IntRange(0, states-1).Draw(t, "state")) }
		r := personas.Transition{From: key(), To: key(), ScoreDelta: rapid.IntRange(-2, 2).Draw(t, "delta"), Priority: rapid.IntRange(0, 1).Draw(t, "priority"), Condition: text()}
		r.Decision = oneOf(t, "decision", personas.DecidePass, personas.DecidePass, personas.DecideRedirect, personas.DecideReject, personas.DecideKickOut)
		m.Transitions = append(m.Transitions, r)
	})
	drawSeveral(t, "outputs", 1, func() {
		m.OutputVariables = append(m.OutputVariables, personas.OutputVariable{Key: "k", ExtractionPrompt: text()})
	})
	drawSeveral(t, "inputs", 1, func() { m.InputVariables = append(m.InputVariables, personas.InputVariable{Key: "k"}) })
	return m
}

// TestLintOfAnyDocument: findings repeat, and their paths and those of their fixes exist in the document.
func TestLintOfAnyDocument(t *testing.T) {
	told := map[string]bool{}
	rapid.Check(t, func(t *rapid.T) {
		p := drawPersona(t)
		found := lintPersona(p)
		again := lintPersona(p)
		assert.Must(t, reflect.DeepEqual(again, found), "found\n%v\nand then\n%v", found, again)
		src := assert.Value(personas.EncodeJSON(*p))(t)
		read, _, faults := personas.Parse("p.json", src)
		all := All(&read, faults)
		assert.Must(t, len(faults) != 0 || reflect.DeepEqual(all, found), "as a value\n%v\nas a file\n%v", found, all)
		var doc any
		assert.NoError(t, json.Unmarshal(src, &doc))
		for _, f := range found {
			told[f.Check] = true
			assert.Must(t, hasPath(doc, f.Path) && (f.Fix == nil || hasPath(doc, f.Fix.Path)) && f.Message != "", "the path does not exist: %+v in\n%s", f, src)
		}
		want := slices.DeleteFunc(slices.Clone(found), func(f personas.Diagnostic) bool { c, _ := Find(f.Check); return !c.IsRefused() })
		refused := Refusals(&read, faults)
		assert.Must(t, reflect.DeepEqual(refused, want) || len(refused)+len(want) == 0 || len(faults) != 0, "refused for\n%v\nwant\n%v", refused, want)
	})
	assert.True(t, len(told) >= 20, "only %d checks have found anything: %v", len(told), told)
}

func hasPath(v any, path string) bool {
	for _, step := range regexp.MustCompile(`\[\d+\]|[^.\[\]]+`).FindAllString(path, -1) {
		switch x := v.(type) {
		case map[string]any:
			var ok bool
			if v, ok = x[step]; !ok {
				return false
			}
		case []any:
			i, err := strconv.Atoi(step[1 : len(step)-1])
			if err != nil || i >= len(x) {
				return false
			}
			v = x[i]
		default:
			return false
		}
	}
	return true
}

// TestLintKnowsWhatTheProverKnows: a machine in which the prover excludes something has a finding.
func TestLintKnowsWhatTheProverKnows(t *testing.T) {
	denied, held := 0, 0
	for range 8 { // The prover excludes something in nearly every drawn persona.
		rapid.Check(t, func(t *rapid.T) { checkDenied(t, drawPersona(t), &denied, &held) })
	}
	assert.True(t, denied != 0 && held != 0, "%d denied, %d held: the draw is one-sided", denied, held)
}

func checkDenied(t *rapid.T, p *personas.Persona, denied, held *int) {
	s := &checkContext{p: p, sound: true}
	found := lintPersona(p)
	if hasStructuralError(found) {
		t.Skip()
	}
	if s.proveMachines(); s.report == nil {
		t.Skip()
	}
	if s.report.Holds() {
		*held++
		return
	}
	*denied++
	if !slices.ContainsFunc(found, func(f personas.Diagnostic) bool { return slices.Contains(proving, f.Check) }) {
		src, _ := personas.EncodeYAML(*p)
		t.Fatalf("the prover says\n%+v\nlint only\n%v\nof\n%s", s.report, found, src)
	}
	for i, m := range s.report.Machines {
		one := *s.report
		one.Machines, one.Links, one.Stuck = []prove.Machine{m}, nil, nil
		if one.Machines[0].Available = true; one.Holds() {
			continue
		}
		inside := func(f personas.Diagnostic) bool {
			return slices.Contains(proving, f.Check) && isWithin(f.Path, fmt.Sprintf("machines[%d]", i))
		}
		if !slices.ContainsFunc(found, inside) {
			src, _ := personas.EncodeYAML(*p)
			t.Fatalf("the prover excludes something in machine %d, and lint does not report it: %v\n%s", i, found, src)
		}
	}
}

// proving are the checks that report facts excluded by the prover.
var proving = []string{
	"unreachable-state", "dead-transition", "terminal-with-transitions", "dead-end", "stuck-loop", "redirect-trap", "outcome-impossible", "machine-never-won",
	"threshold-never-met", "early-fail-masks", "link-never-opens", "machine-never-unlocks", "no-entry-machine", "link-cycle-locked",
}

func hasStructuralError(found []personas.Diagnostic) bool {
	return slices.ContainsFunc(found, func(f personas.Diagnostic) bool {
		c, _ := Find(f.Check)
		return c.IsRefused() && !c.wording
	})
}
