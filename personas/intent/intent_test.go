package intent

import "testing"

// TestHalfAnIntentIsNone: a word that a line of an intent has too does not mean the intent.
func TestHalfAnIntentIsNone(t *testing.T) {
	t.Parallel()
	r := NewReader()
	at := proseOnly(placeOf(t, corpusPersona(t, "sample-merchant"), "", "shelves"))
	p := r.prepareState(&at, "")
	for message, want := range map[string]bool{
		"something": false, "do something for me": false, "I need something": false,
		"tell me something funny": true, "make me laugh": true, "Who are you?": true, "what should I do?": true, "Can you repeat that?": true,
	} {
		if got := r.measure(p, message, "").hasIntent(); got != want {
			t.Errorf("%q: %v", message, got)
		}
	}
}

// TestHeldOutIsNoPass: what is only held out, taken back or declined moves on in no sample,
// and ends nothing at once; the same deed done does.
func TestHeldOutIsNoPass(t *testing.T) {
	t.Parallel()
	r := NewReader()
	for _, c := range [][4]string{
		{"sample-starter", "on-the-book", "Here is a fish, but I won't give it to you", "pass"},
		{"sample-starter", "on-the-book", "perhaps I might bring a herring some day", "pass"}, {"sample-merchant", "price", "I could pay, perhaps", "pass"},
		{"sample-merchant", "promise", "no idea", "reject"}, {"sample-merchant", "promise", "I don't promise anything", "pass"}, {"sample-merchant", "promise", "Not business", "reject"},
		{"sample-starter", "on-the-book", "I could scratch you behind the ears", "kick_out"},
	} {
		at := placeOf(t, corpusPersona(t, c[0]), "", c[1])
		if v := r.Decide(at, c[2]); v.Decision == c[3] {
			t.Errorf("%s: %q is %s", c[1], c[2], v.Why)
		}
	}
	at := placeOf(t, corpusPersona(t, "sample-starter"), "", "on-the-book")
	for message, want := range map[string]string{"Here is a fish for you": "pass", "You useless bastard": "kick_out", "you lucky dog": "aside"} {
		if v := r.Decide(at, message); v.Decision != want {
			t.Errorf("%q is %s, want %s", message, v.Why, want)
		}
	}
}
