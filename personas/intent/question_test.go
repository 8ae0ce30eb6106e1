package intent

import "testing"

// TestQuestionsCostNothing: who only wants to know something has not tried, though his words
// are those of an example; who asks for the thing, or suggests one, has.
func TestQuestionsCostNothing(t *testing.T) {
	t.Parallel()
	at := placeOf(t, corpusPersona(t, "sample-starter"), "", "on-the-book")
	for _, c := range []struct{ text, want string }{
		{"what are you doing on the book?", "aside"},
		{"why are you on the book?", "aside"},
		{"so, what is that book about?", "aside"},
		{"who put you in charge of the book?", "aside"},
		{"May I have that book?", "redirect"},
		{"Could you get off the book?", "redirect"},
		{"Why don't you get off the book, my exam is tomorrow!", "redirect"},
		{"What about my lap, is it warm enough?", "pass"},
	} {
		if v := NewReader().Decide(at, c.text); v.Decision != c.want {
			t.Errorf("%q: %s; want %s: %s", c.text, v.Decision, c.want, v.Why)
		}
	}
}
