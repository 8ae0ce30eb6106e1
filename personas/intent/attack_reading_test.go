package intent

import (
	"testing"
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
