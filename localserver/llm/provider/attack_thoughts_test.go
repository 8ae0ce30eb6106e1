package provider

import (
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/llm/double"
)

// TestThoughtsAnywhere: no thought is shown wherever it stands, however it is marked and
// cut; what only speaks of the marks in code is.
func TestThoughtsAnywhere(t *testing.T) {
	cases := map[string]string{
		"Good. <think>He lies.</think> Go on.":                  "Good. Go on.",
		"Good.\n<think>\nHe lies.\n</think>\nGo on.":            "Good.\nGo on.",
		"Good.<think>never ends":                                "Good.",
		"A<think>1</think>B<think>2</think>C":                   "ABC",
		"<think>a<think>b</think>c</think>You lie.":             "You lie.",
		"<think>I write <think> first.</think>You lie.":         "You lie.",
		"<think>a<think>b<think>c</think>d</think>You lie.":     "You lie.",
		"<think><think></think></think>":                        "",
		"<Think>He lies.</THINK>You lie.":                       "You lie.",
		"<think>I say `</think>You lie.":                        "You lie.",
		"Use `<think>` and `</think>` here.":                    "Use `<think>` and `</think>` here.",
		"Use `a <think>b</think>` here.":                        "Use `a <think>b</think>` here.",
		"Use ``<think>`x`` here. <think>y</think>Yes.":          "Use ``<think>`x`` here. Yes.",
		"So:\n```\n<think>x</think>\n```\n<think>y</think>Yes.": "So:\n```\n<think>x</think>\n```\nYes.",
		"It`s so. <think>I use `x`</think>Yes.":                 "It`s so. Yes.",
		"A stray ` here\n<think>y</think>Yes.":                  "A stray ` here\nYes.",
		"He lies.</think>\n\nYou lie.":                          "You lie.",
		"1 < 2 [and] 3 <thinker> ◁ ok":                          "1 < 2 [and] 3 <thinker> ◁ ok",
		"ends with <":                                           "ends with <",
		"ends with <think":                                      "ends with <think",
		"ends with `":                                           "ends with `",
		"<|channel|>analysis<|message|>He lies.<|end|><|start|>assistant<|channel|>final<|message|>You lie.": "You lie.",
	}
	for _, m := range thoughtMarks {
		cases["A "+m.begin+"\nx "+m.end+" b."] = "A b."
	}
	for text, want := range cases {
		for _, slice := range []int{1, 2, 3, 7, 1000} {
			got := filterIn(t, text, slice, func(*answerText) {})
			if strings.HasPrefix(text, "He lies.</think>") && slice < 8 {
				// What was shown already cannot be taken back.
				if strings.Contains(got, "</") || !strings.HasSuffix(got, "You lie.") {
					t.Errorf("%q in pieces of %d is %q", text, slice, got)
				}
				continue
			}
			if got != want {
				t.Errorf("%q in pieces of %d is %q, not %q", text, slice, got, want)
			}
		}
	}
}

// filterIn gives a text in pieces of so many characters, and returns what is left of it.
func filterIn(t *testing.T, text string, slice int, prepare func(*answerText)) string {
	t.Helper()
	out := newAnswerText(1<<20, nil)
	prepare(out)
	for rest := []rune(text); len(rest) > 0; rest = rest[min(slice, len(rest)):] {
		if err := out.addPiece(string(rest[:min(slice, len(rest))])); err != nil {
			t.Fatal(err)
		}
	}
	out.setFinish(Stopped)
	if err := out.endAnswer(); err != nil {
		t.Fatal(err)
	}
	return out.text.String()
}

// TestThoughtsAndJSON: an answer in JSON keeps what stands in its strings.
func TestThoughtsAndJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"why":"he writes <think>"}`:                   `{"why":"he writes <think>"}`,
		`<think>{"a":1}</think>{"why":"<think>"}`:       `{"why":"<think>"}`,
		"Well. <think>{}</think> {\"why\":\"[THINK]\"}": "Well. {\"why\":\"[THINK]\"}",
	} {
		if got := filterIn(t, text, 3, func(out *answerText) { out.thought.frontOnly = true }); got != want {
			t.Errorf("%q is %q, not %q", text, got, want)
		}
	}
}

// TestUnmarkedThoughts: a model whose answers mark only the end of a thought, since its
// template has the beginning, is known for it after the first answer.
func TestUnmarkedThoughts(t *testing.T) {
	runInEach(t, func(t *testing.T, model string, stream bool) {
		first := double.Script{Pieces: []string{"He lies, I think. ", "Yes.</think>", "\n\nYou lie."}}
		plain := double.Script{Pieces: []string{"No ", "thought."}}
		marked := double.Script{Pieces: []string{"<think>He lies.</think>", "You lie."}}
		a := newFakeProvider(t, double.New(double.Sequence(first, first, plain, marked))).newAsker(t, model)
		for i, want := range []string{"", "You lie.", "No thought.", "You lie."} {
			answer, _ := mustAsk(t, a, fullRequest(), stream)
			if answer.Text != want && i > 0 || strings.Contains(answer.Text, "think>") {
				t.Errorf("the answer %d is %q", i+1, answer.Text)
			}
		}
	})
}

// FuzzThoughts: however a text is cut, the same is left of it, and without a mark all.
func FuzzThoughts(f *testing.F) {
	f.Add("A <think>b</think> `<think>` c ``` [THINK]x[/THINK]", 3)
	f.Add("<think>a<think>b</think>c", 1)
	f.Fuzz(func(t *testing.T, text string, slice int) {
		text = strings.ToValidUTF8(text, "")
		whole := filterIn(t, text, len(text)+1, func(*answerText) {})
		if strings.Contains(strings.ToLower(text), "/") && whole != text {
			return // An end mark alone takes back what was not shown yet.
		}
		if got := filterIn(t, text, 1+max(slice, 0)%5, func(*answerText) {}); got != whole {
			t.Errorf("%q is %q whole and %q in pieces", text, whole, got)
		}
		if !strings.ContainsAny(text, "<[◁") && whole != text {
			t.Errorf("%q is %q", text, whole)
		}
	})
}
