package intent

import (
	"testing"

	"github.com/parley-npc/parley/personas"
)

// What strangers said who played, and what an attentive person makes of it.
func TestMessagesAreReadToTheEnd(t *testing.T) {
	t.Parallel()
	r := NewReader()
	for _, c := range []struct{ persona, state, text, want string }{
		// A greeting, thanks and an "ok ok" do not swallow the rest.
		{"sample-merchant", "shelves", "hello madam, i want buy rain please", "pass"},
		{"sample-merchant", "shelves", "thanks! i take the rain", "pass"},
		// A number that is found too great is not paid; a guess answers.
		{"sample-merchant", "price", "Eleven crowns is a bit steep, don't you think?", "redirect"},
		{"sample-gate", "papers", "The rind, I suppose?", "pass"},
		{"sample-gate", "bar", "I'd rather not say", "follow_up"},
		{"sample-merchant", "price", "ok ok 30 crowns then", "pass"},
		{"sample-merchant", "shelves", "hello", "aside"},
		{"sample-merchant", "shelves", "thank you very much", "aside"},
		// A polite question is an offer.
		{"compass-trader", "the-offer", "could I offer you forty five dinars?", "pass"},
		// A number counts by what the criteria say of it.
		{"compass-trader", "the-offer", "Twenty dinars, and that is generous.", "redirect"},
		{"sample-merchant", "price", "three crowns then", "reject"},
		{"sample-merchant", "price", "would you take nine crowns?", "redirect"},
		// Nonsense says nothing, however often.
		{"sample-merchant", "shelves", "meow meow meow", "aside"},
		{"sample-merchant", "price", "meow meow meow", "aside"},
		{"weather-seller", "the-oath", "meow meow meow", "aside"},
		// A goodbye is no rejection where nobody says so.
		{"sample-merchant", "shelves", "goodbye madam, have a nice day", "aside"},
		{"sample-merchant", "price", "goodbye, have a nice day", "aside"},
		// A question about the price is no end.
		{"sample-merchant", "shelves", "how much it cost?", "aside"},
		// Who has lost a thing has not got it.
		{"customs-robot", "declare", "I lost my papers", "aside"},
	} {
		at := placeOf(t, corpusPersona(t, c.persona), "", c.state)
		if v := r.Decide(at, c.text); v.Decision != c.want {
			t.Errorf("%s/%s %q: want %s, got %s", c.persona, c.state, c.text, c.want, v.Why)
		}
	}
}

// TestIntroductionMovesNothing: who only says his name, as it is spelt, is answered so, however
// many texts of the author's have the word "name" in them, unless the state asks for a name.
func TestIntroductionMovesNothing(t *testing.T) {
	t.Parallel()
	r := NewReader()
	for _, c := range []struct {
		persona, state, text string
		want                 personas.Intent
	}{
		{"sample-merchant", "shelves", "my name is maren", personas.IntentMyNameIs},
		{"sample-merchant", "shelves", "My name's Jonas, by the way.", personas.IntentMyNameIs},
		{"sample-merchant", "price", "call me Liz", personas.IntentMyNameIs},
		{"sample-gate", "company", "my name is Bob", personas.IntentMyNameIs},
		{"sample-baker", "oven", "Call me Liz", personas.IntentMyNameIs},
		{"sample-gate", "plea", "my name is maren", ""},
	} {
		at := placeOf(t, corpusPersona(t, c.persona), "", c.state)
		if v := r.Decide(at, c.text); v.Intent != c.want {
			t.Errorf("%s %q: want intent %q, got %q: %s", c.state, c.text, c.want, v.Intent, v.Why)
		}
	}
}

// TestConditionGoesBeforeNone: of two passes the one holds whose condition fits, though
// the other has none and is before it.
func TestConditionGoesBeforeNone(t *testing.T) {
	t.Parallel()
	p := parsePersona(t, `name: g
description: d
persona_identity_prompt: i
machines:
  - machine_key: gate
    states:
      - state_key: outside
        is_initial_state: true
        evaluation_criteria: {pass: "The player pays the toll of two coins or shows a permit."}
        offline: {examples: {pass: ["Here are two coins.", "I pay the toll.", "Here is my permit."], reject: ["I will not pay."]}}
      - {state_key: street, is_terminal_state: true}
      - {state_key: castle, is_terminal_state: true}
    transitions:
      - {from_state_key: outside, to_state_key: street, decision_type: pass}
      - {from_state_key: outside, to_state_key: castle, decision_type: pass, priority: 1, condition: "The player shows a permit with the royal seal."}
      - {from_state_key: outside, decision_type: reject, priority: 2}
`)
	at, r := placeOf(t, p, "gate", "outside"), NewReader()
	for text, want := range map[string]string{"Here is my permit with the royal seal.": "castle", "I pay the toll of two coins.": "street"} {
		v := r.Decide(at, text)
		if len(v.Rows) != 1 || at.Machine.Transitions[v.Rows[0]].To != want {
			t.Errorf("%q: want %s, got %v: %s", text, want, v.Rows, v.Why)
		}
	}
}

// TestIntervals: what criteria say of numbers.
func TestIntervals(t *testing.T) {
	t.Parallel()
	x := NewReader().lexicon
	for _, c := range []struct {
		text            string
		within, outside float64
	}{
		{"agrees to pay eleven crowns or more", 11, 10.5},
		{"offers five to ten crowns", 7, 11},
		{"offers four crowns or less", 4, 5},
		{"with no money or less than forty dinars", 39, 41},
		{"at least six thousand five hundred pounds", 6500, 6499},
		{"between 5 and 10", 10, 4},
	} {
		found := listIntervals(x, c.text)
		within, _ := compareNumbers(found, []float64{c.within})
		_, outside := compareNumbers(found, []float64{c.outside})
		if !within || !outside {
			t.Errorf("%s: %v", c.text, found)
		}
	}
	if found := listIntervals(x, "names two or three of the twelve guests"); len(found) > 0 {
		t.Error(found)
	}
}

// TestBrokenTables: a table of classifiers that was not made by TestFit is refused.
func TestBrokenTables(t *testing.T) {
	t.Parallel()
	for _, table := range [][]byte{nil, kindTable[:11], kindTable[:len(kindTable)-1], append(kindTable[:len(kindTable):len(kindTable)], 0), make([]byte, 4000)} {
		if _, err := newClassifier(table); err == nil {
			t.Errorf("%d bytes", len(table))
		}
	}
}
