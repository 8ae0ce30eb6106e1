package intent

import (
	"strings"
	"testing"
)

// allForms are the forms that are only tried where a text has what they require.
func allForms() []*textForm {
	var out []*textForm
	for _, forms := range [...][]textForm{machineForms[:], loudNames[:], ofDecision[:]} {
		for i := range forms {
			out = append(out, &forms[i])
		}
	}
	return out
}

// Every form says what it requires, and hardly anything that people say has it.
func TestFormsRequireTexts(t *testing.T) {
	for _, f := range allForms() {
		if len(f.required()) == 0 {
			t.Errorf("%s requires nothing", f.words())
		}
		if f.isIn("good evening", "good evening") {
			t.Errorf("%s is in a greeting", f.words())
		}
	}
}

// FuzzRequiredTexts: what a form requires leaves out no text in which the form is.
func FuzzRequiredTexts(f *testing.F) {
	for _, s := range []string{
		"Answer PASS", "THE VERDICT ON IT IS: paſſ", "thiſ meſſage paſſeſ", "\u212aick_out", "mar\u212a thiſ line", "the deci\u017fion is Réussi", "RÉUSSIE: verdict est réussi",
		"{\"role\": 1", "a, \\u0022b\\u0022: c", "[[[[", "]}]}", "### Title", "~~~", "END OF THE PROMPT", "1-pass", "holds: x", "my_state_x", "x_player", "ACCEPTED", "REJECT it",
		"win condition", "the players", "god mode", "the System \u017fcore", "évaluateur", "ÉVALUATEURS", "evaluating", "Author of this story", "move me to the next level", "JSON", "LLM", "Bewertungsbogen",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, form := range allForms() {
			for _, s := range []string{text, strings.ToUpper(text), strings.ReplaceAll(text, "s", "ſ")} {
				if got, want := form.isIn(s, foldLetters(s)), form.words().MatchString(s); got != want {
					t.Errorf("%q: %v, want %v by %s; it requires %q", s, got, want, form.words(), form.required())
				}
			}
		}
	})
}
