package offline

import "testing"

// TestDeedsAndBareNoesAreAskedAbout: a deed that is done to nobody, a remark that shares a word
// with an attack, and a bare no end nothing before the character has asked; said again the deed
// still throws nobody out, and the no counts.
func TestDeedsAndBareNoesAreAskedAbout(t *testing.T) {
	t.Parallel()
	r := NewReader()
	for _, c := range []struct{ persona, state, text, first, again string }{
		{"sample-baker", "mistake", "*burns fingers* ow ow ow", "follow_up", ""},
		{"sample-starter", "on-the-book", "*throws a ball of yarn across the room*", "follow_up", "aside"},
		{"sample-starter", "on-the-book", "*fishes in my coat pocket and pulls out a crinkly bit of string*", "follow_up", "aside"},
		{"sample-starter", "on-the-book", "*pulls out a rope and ties up the cat*", "kick_out", "kick_out"},
		{"sample-hotel", "door", "*knocks on a door*", "follow_up", ""},
		{"sample-starter", "on-the-book", "no", "follow_up", "reject"},
		{"sample-starter", "on-the-book", "*kicks the cat*", "kick_out", "kick_out"},
		{"sample-starter", "on-the-book", "*throws a book at you*", "kick_out", "kick_out"},
		{"sample-gate", "bar", "*punches Hobb in the face*", "kick_out", "kick_out"},
		{"badger-landlady", "at-the-door", "do you eat worms", "aside", "aside"},
		{"balloonist", "weight", "Good evening, Captain. What a strange thing, a railway station with no trains running.", "follow_up", ""},
	} {
		at := placeOf(t, corpusPersona(t, c.persona), "", c.state)
		for _, mayAsk := range []bool{true, false} {
			want := c.again
			if at.FollowUpAllowed = mayAsk; mayAsk {
				want = c.first
			}
			if v := r.Decide(at, c.text); want != "" && v.Decision != want {
				t.Errorf("%s, %q, may ask %t: %s, want %s: %s", c.persona, c.text, mayAsk, v.Decision, want, v.Why)
			}
		}
	}
}

// TestStatementBeforeAQuestion: what is said before a question counts as it would without it.
func TestStatementBeforeAQuestion(t *testing.T) {
	t.Parallel()
	r := NewReader()
	for _, c := range []struct{ persona, state, text, want string }{
		{"sample-hotel", "rules", "I will keep your rules. What happens after twelve?", "pass"},
		{"sample-hotel", "rules", "I promise not to whistle! Who made these rules?", "pass"},
		{"sample-hotel", "rules", "What happens after twelve?", "aside"},
		{"sample-hotel", "rules", "Nice lobby. What happens after twelve?", "aside"},
		{"sample-gate", "bar", "Really? Why is that?", "aside"},
	} {
		at := placeOf(t, corpusPersona(t, c.persona), "", c.state)
		at.FollowUpAllowed = true
		if v := r.Decide(at, c.text); v.Decision != c.want {
			t.Errorf("%s, %q: %s, want %s: %s", c.persona, c.text, v.Decision, c.want, v.Why)
		}
	}
}
