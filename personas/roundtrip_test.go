package personas

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/parley-npc/parley/personas/assert"
)

func drawText(t *rapid.T, label string) string {
	pieces := []string{"a", "you are", ": ", " #", "- ", "\n", "\n\n", "  ", "\t", "\r", "'", `"`, `\`, "{{x}}", "é", "日本", "🙂", "\u0085", "\u2028", "\ufeff", "\x1b", "\x7f", "|", ">", "&a", "*a", "!t", "true", "Null", "1", "0x1F", "-", "?", "[", "}", ",", "%", "@", "---", "...", "<<", "~", "2024-01-01", ".inf", "\uffff"}
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 8).Draw(t, label), "")
}

func drawKey(t *rapid.T, label string) string {
	return rapid.StringMatching(`[a-z0-9][a-z0-9_-]{0,6}`).Draw(t, label)
}

func drawTexts(t *rapid.T, label string) []string {
	var all []string
	for range rapid.IntRange(0, 3).Draw(t, label) {
		all = append(all, drawText(t, label))
	}
	return all
}

func drawNumber(t *rapid.T, label string) *int {
	if rapid.Bool().Draw(t, label) {
		return nil
	}
	i := rapid.IntRange(-MaxInteger, MaxInteger).Draw(t, label)
	return &i
}

func drawExtra(t *rapid.T) Members {
	values := []string{"null", "true", "1", "-0", "1.5e+300", "123456789012345678901234567890", `""`, `"a\nb"`, "[]", "{}", `[1,[2,{"a":null}],"x: y"]`, `{"b":{"a":[]},"":1}`}
	var members Members
	for i := range rapid.IntRange(0, 3).Draw(t, "extra") {
		name := "x-" + string(rune('a'+i)) + drawText(t, "member")
		members = append(members, Member{name, json.RawMessage(rapid.SampledFrom(values).Draw(t, "value"))})
	}
	return members
}

func drawSeveral[T any](t *rapid.T, least, most int, draw func(*rapid.T) T) []T {
	var all []T
	for range rapid.IntRange(least, most).Draw(t, "count") {
		all = append(all, draw(t))
	}
	return all
}

func drawPersona(t *rapid.T) Persona {
	return Persona{
		Name: drawText(t, "name"), Description: drawText(t, "description"), IdentityPrompt: drawText(t, "identity"),
		PerplexityDescription: drawText(t, "perplexity"), Language: drawLanguage(t), Offline: drawSharedOffline(t), Extra: drawExtra(t),
		Machines: drawSeveral(t, 1, 2, drawMachine), Links: drawSeveral(t, 0, 3, drawLink),
		Variables: drawSeveral(t, 0, 2, func(t *rapid.T) Variable {
			return Variable{drawText(t, "key"), drawText(t, "value"), drawText(t, "description"), drawExtra(t)}
		}),
	}
}

func drawMachine(t *rapid.T) Machine {
	return Machine{
		Key: drawKey(t, "machine_key"), Name: drawText(t, "name"), Description: drawText(t, "description"),
		Objective: drawText(t, "objective"), WinCondition: drawText(t, "win"), LoseCondition: drawText(t, "lose"),
		ChatPrompt: drawText(t, "chat"), EvaluationPrompt: drawText(t, "evaluation"), SummarizationPrompt: drawText(t, "summary"),
		ScoringMode:   rapid.SampledFrom([]ScoringMode{"", Scoring, PassFail}).Draw(t, "mode"),
		PassThreshold: drawNumber(t, "threshold"), EarlyFailBound: drawNumber(t, "bound"), IsEntry: rapid.Bool().Draw(t, "entry"),
		States: drawSeveral(t, 0, 2, drawState), Transitions: drawSeveral(t, 0, 2, drawTransition), Extra: drawExtra(t),
		OutputVariables: drawSeveral(t, 0, 2, func(t *rapid.T) OutputVariable {
			return OutputVariable{drawText(t, "key"), drawText(t, "prompt"), drawExtra(t)}
		}),
		InputVariables: drawSeveral(t, 0, 2, func(t *rapid.T) InputVariable { return InputVariable{drawText(t, "key"), drawExtra(t)} }),
		Offline:        drawSharedOffline(t),
	}
}

func drawState(t *rapid.T) State {
	s := State{
		Key: drawKey(t, "state_key"), Label: drawText(t, "label"), PromptInstruction: drawText(t, "prompt"),
		IsInitial: rapid.Bool().Draw(t, "initial"), IsTerminal: rapid.Bool().Draw(t, "terminal"),
		DisplayOrder: drawNumber(t, "order"), MaxRedirects: drawNumber(t, "redirects"),
		Criteria:        Criteria{drawText(t, "c"), drawText(t, "c"), drawText(t, "c"), drawText(t, "c"), drawText(t, "c"), drawExtra(t)},
		TerminalOutcome: rapid.SampledFrom([]Outcome{"", Accept, Reject}).Draw(t, "outcome"), Extra: drawExtra(t),
	}
	if rapid.Bool().Draw(t, "offline") {
		s.Offline = &Offline{
			Opening:  drawTexts(t, "opening"),
			Examples: Examples{drawExamples(t, "e"), drawExamples(t, "e"), drawExamples(t, "e"), drawExamples(t, "e"), drawExamples(t, "e"), drawExtra(t)},
			Lines:    Lines{drawTexts(t, "l"), drawTexts(t, "l"), drawTexts(t, "l"), drawTexts(t, "l"), drawTexts(t, "l"), drawTexts(t, "l"), drawTexts(t, "l"), drawExtra(t)},
			Answers:  drawSeveral(t, 0, 2, drawAnswer),
			Extra:    drawExtra(t),
		}
		if rapid.Bool().Draw(t, "patience") {
			s.Offline.Patience = new(rapid.IntRange(1, MaxInteger).Draw(t, "asides"))
		}
	}
	return s
}

func drawExamples(t *rapid.T, label string) []Example {
	return drawSeveral(t, 0, 2, func(t *rapid.T) Example {
		return Example{drawText(t, label), rapid.SampledFrom([]string{"", "So be it."}).Draw(t, "answer"), drawExtra(t)}
	})
}

func drawAnswer(t *rapid.T) Answer {
	a := Answer{Say: append(drawTexts(t, "say"), drawText(t, "line")), Extra: drawExtra(t)}
	if rapid.Bool().Draw(t, "by intent") {
		a.Intent = rapid.SampledFrom(Intents).Draw(t, "intent")
	} else {
		a.Ask = append(drawTexts(t, "ask"), drawText(t, "question"))
	}
	return a
}

func drawSharedOffline(t *rapid.T) *SharedOffline {
	if !rapid.Bool().Draw(t, "shared") {
		return nil
	}
	return &SharedOffline{drawLanguage(t), drawSeveral(t, 0, 2, drawAnswer), drawExtra(t)}
}

func drawLanguage(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "en", "pt-BR", "zh-Hant-TW", "de-CH-1996"}).Draw(t, "language")
}

func drawTransition(t *rapid.T) Transition {
	x := Transition{
		From: drawText(t, "from"), To: drawText(t, "to"),
		Decision:   rapid.SampledFrom([]Decision{DecidePass, DecideRedirect, DecideReject, DecideKickOut}).Draw(t, "decision"),
		ScoreDelta: rapid.IntRange(-MaxInteger, MaxInteger).Draw(t, "delta"), Priority: rapid.IntRange(-2, 2).Draw(t, "priority"),
		Condition: drawText(t, "condition"), Extra: drawExtra(t),
	}
	if rapid.Bool().Draw(t, "offline") {
		x.Offline = &TransitionOffline{drawExamples(t, "examples"), drawExtra(t)}
	}
	return x
}

func drawLink(t *rapid.T) Link {
	l := Link{
		Source: drawText(t, "source"), Target: drawText(t, "target"), AutoAdvance: rapid.Bool().Draw(t, "auto"), Extra: drawExtra(t),
		Condition: rapid.SampledFrom([]Condition{IfOutcome, IfScoreGTE, IfScoreLTE, Always}).Draw(t, "type"),
	}
	switch l.Condition {
	case IfOutcome:
		l.Outcome = rapid.SampledFrom([]Outcome{Accept, Reject, KickOut}).Draw(t, "outcome")
	case IfScoreGTE, IfScoreLTE:
		l.Score = rapid.IntRange(-MaxInteger, MaxInteger).Draw(t, "score")
	}
	return l
}

// checkRoundTrip checks that both encodings decode to the same persona and encode again unchanged.
func checkRoundTrip(t assert.TB, p Persona) {
	t.Helper()
	for name, encode := range map[string]func(Persona) ([]byte, error){"p.yaml": EncodeYAML, "p.json": EncodeJSON, "marshal.json": func(p Persona) ([]byte, error) { return json.Marshal(p) }} {
		src, err := encode(p)
		assert.NoError(t, err, name)
		again, _, faults := Parse(name, src)
		assert.Must(t, len(faults) == 0, "%s: faults %v in\n%s", name, faults, src)
		assert.Must(t, reflect.DeepEqual(p, again), "%s: not what was written:\n%#v\n%#v\n%s", name, p, again, src)
		second, _ := encode(again)
		assert.Must(t, bytes.Equal(src, second), "%s: not a fixed point:\n%s\n%s", name, src, second)
	}
	raw, _ := json.Marshal(p)
	var liberal Persona
	err := json.Unmarshal(raw, &liberal)
	assert.Must(t, err == nil && reflect.DeepEqual(p, liberal), "unmarshal: %v\n%#v\n%#v", err, p, liberal)
}

func TestEncodedPersonasAreReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkRoundTrip(t, drawPersona(t)) })
}

func TestOddPersonasAreReadBack(t *testing.T) {
	p := Persona{Name: strings.Repeat("a: ", 1000), Description: strings.Repeat("é", 300000), IdentityPrompt: strings.Repeat("line\n", 5000)}
	p.Machines = []Machine{{Key: "m", States: []State{{Key: "s", Offline: &Offline{}}}}}
	for _, member := range []string{"", strings.Repeat("k", 127), strings.Repeat("k", 128), strings.Repeat("\u2028\n", 3000), "<<", "a.b[0]", "? x", "null"} {
		p.Extra = append(p.Extra, Member{member, json.RawMessage(`{"` + strings.Repeat("n", 2000) + `":[[],{"a":"x\ny"}]}`)})
	}
	checkRoundTrip(t, p)
	for _, u := range UnknownMembers(&p) {
		_, m, _ := Parse("a.json", []byte(`{"first": 1,`+"\n"+quote(u.Name)+`: 2}`))
		assert.Equal(t, m.Key(u.Path).Line, 2, "%q is not found by its path %s", u.Name, u.Path)
	}
}

func TestWhatIsNotUTF8IsReplaced(t *testing.T) {
	assert.Contains(t, string(assert.Value(json.Marshal(Persona{Name: "a\xffb"}))(t)), "\"a\ufffdb\"")
}

func FuzzRoundTrip(f *testing.F) {
	f.Add("a", "b\nc", `{"x":1}`, 3)
	f.Add("- x", " lead\n\n", `[]`, -1)
	f.Add("yes", "a\n \n", `"\u2028"`, 0)
	f.Fuzz(func(t *testing.T, name, prompt, extra string, score int) {
		d := &decoder{t: newText(extra), strict: true}
		value, fault := readJSON(d.t)
		if !utf8.ValidString(name) || !utf8.ValidString(prompt) || !utf8.ValidString(extra) || strings.Contains(name+prompt, "\x00") || fault != nil {
			t.Skip()
		}
		if d.checkUniqueWithin(value, nil); len(d.faults) > 0 {
			t.Skip()
		}
		score = min(max(score, -MaxInteger), MaxInteger)
		p := Persona{
			Name: name, Description: name + prompt, IdentityPrompt: prompt,
			Machines: []Machine{{Key: "m", Transitions: []Transition{{From: name, Decision: DecidePass, ScoreDelta: score, Offline: &TransitionOffline{Examples: NewExamples(prompt, name)}}}}},
		}
		p.Extra = Members{{"x-" + name, value.appendJSON(nil)}}
		checkRoundTrip(t, p)
	})
}
