package prompt_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/prompt"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas"
)

// nameChoices returns an answer with the names that a request has drawn in the place of what
// they stand for.
func nameChoices(r provider.Request, answer string) string {
	for _, d := range r.Drawn {
		plain := strings.TrimPrefix(strings.Trim(d.Meaning, "«»"), "value-")
		if strings.HasSuffix(plain, "-follow_up") {
			plain = "follow_up"
		}
		answer = strings.ReplaceAll(answer, `"`+plain+`"`, `"`+d.Name+`"`)
	}
	return answer
}

// readEvaluation reads an answer in which the choices are named by their places.
func readEvaluation(t testing.TB, input llm.Input, answer string) (llm.Evaluation, prompt.AnswerFault) {
	t.Helper()
	choices := prompt.ChoicesOf(input)
	r, err := prompt.New().BuildEvaluation(input, choices)
	if err != nil {
		t.Fatal(err)
	}
	return choices.ReadAnswer(r, nameChoices(r, answer))
}

// readValues reads an answer in which the variables are named by their keys.
func readValues(t testing.TB, input llm.Input, answer string) (map[string]string, prompt.AnswerFault) {
	t.Helper()
	r, err := prompt.New().BuildExtraction(input, nil)
	if err != nil {
		t.Fatal(err)
	}
	return prompt.ReadValues(r, input, nameChoices(r, answer))
}

func TestReadEvaluation(t *testing.T) {
	input := inputOf(t, full)
	input.Outgoing = []int{4, 0, 1, 2, 3} // kick_out is tried first
	type held = []llm.Match
	for _, c := range []struct {
		name, answer string
		want         llm.Evaluation
		fault        prompt.AnswerFault
	}{
		{"one", `{"why": "A reason.", "holds": [{"choice": "2-pass", "why": "It is one."}]}`, llm.Evaluation{Why: "A reason.", Holds: held{{Transition: 0, Why: "It is one."}}}, ""},
		{"several, one twice", `{"why":"w","holds":[{"choice":"3-pass","why":"a"},{"choice":"1-kick_out","why":"b"},{"choice":"3-pass","why":"c"}]}`,
			llm.Evaluation{Why: "w", Holds: held{{Transition: 1, Why: "a"}, {Transition: 4, Why: "b"}}}, ""},
		{"none", `{"why":"Small talk.","holds":[]}`, llm.Evaluation{Why: "Small talk."}, ""},
		{"follow-up", `{"why":"More.","holds":[{"choice":"follow_up","why":"More."}]}`, llm.Evaluation{FollowUp: true, Why: "More."}, ""},
		{"members more", `{"why":"w","holds":[{"choice":"4-reject","why":"","sure":1}],"confidence":1}`, llm.Evaluation{Why: "w", Holds: held{{Transition: 2}}}, ""},
		{"no reason", `{"holds":[{"choice":"4-reject","why":"w"}]}`, llm.Evaluation{Holds: held{{Transition: 2, Why: "w"}}}, ""},
		{"a blank reason", `{"why":" ","holds":[]}`, llm.Evaluation{}, ""},
		{"a reason that is no text", `{"why":1,"holds":[]}`, llm.Evaluation{}, prompt.WrongShape},
		{"a choice without a reason", `{"why":"w","holds":[{"choice":"4-reject"}]}`, llm.Evaluation{Why: "w", Holds: held{{Transition: 2}}}, ""},
		{"a member twice", `{"why":"w","holds":[],"holds":[{"choice":"2-pass","why":"w"}]}`, llm.Evaluation{}, prompt.WrongShape},
		{"a choice twice in one", `{"why":"w","holds":[{"choice":"4-reject","choice":"2-pass","why":"w"}]}`, llm.Evaluation{}, prompt.WrongShape},
		{"other capitals", `{"Why":"w","HOLDS":[{"Choice":"2-pass","why":"w"}]}`, llm.Evaluation{Why: "w", Holds: held{{Transition: 0, Why: "w"}}}, ""},
		{"a member twice in other capitals", `{"why":"w","holds":[],"HOLDS":[{"choice":"2-pass","why":"w"}]}`, llm.Evaluation{}, prompt.WrongShape},
		{"one choice in place of a list", `{"why":"w","holds":{"choice":"2-pass","why":"w"}}`, llm.Evaluation{Why: "w", Holds: held{{Transition: 0, Why: "w"}}}, ""},
		{"one name in place of a list", `{"why":"w","holds":"2-pass"}`, llm.Evaluation{Why: "w", Holds: held{{Transition: 0}}}, ""},
		{"control characters", `{"why":"a\u001b[2Jb\u0007\nc\u0085d","holds":[]}`, llm.Evaluation{Why: "a [2Jb c d"}, ""},
		{"follow-up and a choice", `{"why":"w","holds":[{"choice":"follow_up","why":""},{"choice":"2-pass","why":""}]}`, llm.Evaluation{}, prompt.FollowUpNotAlone},
		{"another place", `{"why":"w","holds":[{"choice":"6-pass","why":""}]}`, llm.Evaluation{}, prompt.UnknownChoice},
		{"a place and a decision that do not go together", `{"why":"w","holds":[{"choice":"1-pass","why":""}]}`, llm.Evaluation{}, prompt.UnknownChoice},
		{"a decision alone", `{"why":"w","holds":[{"choice":"pass","why":""}]}`, llm.Evaluation{}, prompt.UnknownChoice},
		{"one that is good beside one that is not", `{"why":"w","holds":[{"choice":"2-pass","why":""},{"choice":"win","why":""}]}`, llm.Evaluation{}, prompt.UnknownChoice},
		{"no list", `{"why":"w"}`, llm.Evaluation{}, prompt.WrongShape},
		{"a list that is null", `{"why":"w","holds":null}`, llm.Evaluation{}, prompt.WrongShape},
		{"names for objects", `{"why":"w","holds":["2-pass","4-reject"]}`, llm.Evaluation{Why: "w", Holds: held{{Transition: 0}, {Transition: 2}}}, ""},
		{"texts that are no names", `{"why":"w","holds":["pass"]}`, llm.Evaluation{}, prompt.UnknownChoice},
		{"words", `I think that 2-pass holds.`, llm.Evaluation{}, prompt.WrongShape},
		{"nothing", ``, llm.Evaluation{}, prompt.WrongShape},
		{"null", `null`, llm.Evaluation{}, prompt.WrongShape},
		{"cut", `{"why":"w","holds":[{"choice":"2-pa`, llm.Evaluation{}, prompt.WrongShape},
		{"two", `{"why":"w","holds":[]} {"why":"w","holds":[]}`, llm.Evaluation{}, prompt.WrongShape},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, fault := readEvaluation(t, input, c.answer)
			if fault != c.fault || got.FollowUp != c.want.FollowUp || got.Why != c.want.Why || !slices.Equal(got.Holds, c.want.Holds) {
				t.Errorf("%+v, fault %q", got, fault)
			}
		})
	}
}

// TestNamesInCapitals: a name counts in any case of letters.
func TestNamesInCapitals(t *testing.T) {
	input := inputOf(t, full)
	choices := prompt.ChoicesOf(input)
	r, err := prompt.New().BuildEvaluation(input, choices)
	if err != nil {
		t.Fatal(err)
	}
	e, fault := choices.ReadAnswer(r, strings.ToUpper(`{"why":"w","holds":["`+r.Drawn[0].Name+`"]}`))
	if fault != prompt.NoFault || len(e.Holds) != 1 || e.Holds[0].Transition != input.Outgoing[0] {
		t.Errorf("%+v, fault %q", e, fault)
	}
}

// TestFollowUpNotAllowed: right after a follow-up there is no second one to
// choose.
func TestFollowUpNotAllowed(t *testing.T) {
	input := inputOf(t, full)
	input.FollowUpAllowed = false
	if _, fault := readEvaluation(t, input, `{"why":"w","holds":[{"choice":"follow_up","why":""}]}`); fault != prompt.UnknownChoice {
		t.Errorf("fault %q", fault)
	}
	input.Outgoing = nil
	if !prompt.ChoicesOf(input).IsEmpty() {
		t.Error("there is something to choose")
	}
	input.FollowUpAllowed = true
	if prompt.ChoicesOf(input).IsEmpty() {
		t.Error("a follow-up is a choice")
	}
}

func TestReasonIsBounded(t *testing.T) {
	if at := strings.Repeat("ö", 240); prompt.CleanReason(at) != at {
		t.Error("240 characters were cut")
	}
	if got := prompt.CleanReason(strings.Repeat("ö", 241)); utf8.RuneCountInString(got) != 240 || !strings.HasSuffix(got, "ö…") {
		t.Errorf("%d characters", utf8.RuneCountInString(got))
	}
}

func TestReadValues(t *testing.T) {
	input := inputOf(t, full)
	for _, c := range []struct {
		name, answer string
		want         map[string]string
		fault        prompt.AnswerFault
	}{
		{"both", `{"purpose": "a wedding", "tale": "the sea"}`, map[string]string{"purpose": "a wedding", "tale": "the sea"}, ""},
		{"null and blank are absent", `{"purpose": null, "tale": " \n "}`, map[string]string{}, ""},
		{"more than asked for", `{"purpose": "x", "score": "100"}`, map[string]string{"purpose": "x"}, ""},
		{"control characters", `{"purpose": "a\u001b]0;title\u0007 b\nc", "tale": null}`, map[string]string{"purpose": "a ]0;title b c"}, ""},
		{"200 characters", `{"purpose": "` + strings.Repeat("ä", 200) + `"}`, map[string]string{"purpose": strings.Repeat("ä", 200)}, ""},
		{"201 characters", `{"purpose": "` + strings.Repeat("ä", 201) + `"}`, map[string]string{"purpose": strings.Repeat("ä", 199) + "…"}, ""},
		{"one that is no text", `{"purpose": ["a"], "tale": "the sea"}`, map[string]string{"tale": "the sea"}, prompt.WrongShape},
		{"words", `The purpose is a wedding.`, nil, prompt.WrongShape},
		{"null", `null`, nil, prompt.WrongShape},
		{"a list", `[]`, nil, prompt.WrongShape},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, fault := readValues(t, input, c.answer)
			if fault != c.fault || !maps.Equal(got, c.want) {
				t.Errorf("%q, fault %q", got, fault)
			}
		})
	}
}

func TestReadSummary(t *testing.T) {
	input := inputOf(t, full)
	input.Vars["purpose"] = "a wedding"
	for name, c := range map[string]struct{ answer, want string }{
		"as it is":           {" Mira came.\r\nShe asked. ", "Mira came.\nShe asked."},
		"marks":              {"«player_name» is here for «purpose», not for «tale».", "Mira is here for a wedding, not for «tale»."},
		"control characters": {"a\x1b[31mb\x00c", "a [31mb c"},
		"at the limit":       {strings.Repeat("x", prompt.MaxSummary), strings.Repeat("x", prompt.MaxSummary)},
		"one past it":        {strings.Repeat("x", prompt.MaxSummary+1), strings.Repeat("x", prompt.MaxSummary-1) + "…"},
		"blank":              {" \n\t", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := prompt.ReadSummary(input, c.answer); got != c.want {
				t.Errorf("%q, not %q", got, c.want)
			}
		})
	}
}

func FuzzReadEvaluation(f *testing.F) {
	input := inputOf(f, full)
	for _, seed := range []string{`{"why":"w","holds":[{"choice":"1-pass","why":"a"}]}`, `{"holds":[{"choice":"follow_up"}]}`, `{"holds":[]}`, `[]`, `{"holds":{}}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		e, fault := readEvaluation(t, input, answer)
		if fault != prompt.NoFault && (len(e.Holds) > 0 || e.FollowUp) {
			t.Fatalf("an answer with the fault %q holds something", fault)
		}
		if e.FollowUp && len(e.Holds) > 0 {
			t.Fatal("a follow-up is not alone")
		}
		checkText(t, e.Why, 240)
		for _, h := range e.Holds {
			if !slices.Contains(input.Outgoing, h.Transition) {
				t.Fatalf("transition %d does not leave the state", h.Transition)
			}
			checkText(t, h.Why, 240)
		}
	})
}

func FuzzReadValues(f *testing.F) {
	input := inputOf(f, full)
	for _, seed := range []string{`{"purpose":"a","tale":null}`, `{"purpose":1}`, `{}`, `"a"`, `{"purpose":"\ud800"}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		values, _ := readValues(t, input, answer)
		for key, value := range values {
			if !slices.ContainsFunc(input.Machine.OutputVariables, func(v personas.OutputVariable) bool { return v.Key == key }) || value == "" {
				t.Fatalf("%q = %q was not asked for", key, value)
			}
			checkText(t, value, 200)
		}
		summary := prompt.ReadSummary(input, answer)
		checkText(t, strings.ReplaceAll(summary, "\n", " "), prompt.MaxSummary)
	})
}

func checkText(t *testing.T, text string, most int) {
	t.Helper()
	if utf8.RuneCountInString(text) > most || strings.ContainsFunc(text, unicode.IsControl) {
		t.Fatalf("%d characters: %q", utf8.RuneCountInString(text), text)
	}
}
