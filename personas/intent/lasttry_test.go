package intent

import "testing"

// TestLastTryIsAskedAbout: a doubtful miss is asked about before it ends a part, once; a sure
// one is not, and with tries left none is.
func TestLastTryIsAskedAbout(t *testing.T) {
	t.Parallel()
	at := placeOf(t, corpusPersona(t, "sample-gate"), "", "papers")
	for _, c := range []struct {
		text         string
		last, mayAsk bool
		want         string
	}{
		{"well, I do it the proper way, step by step", true, true, "follow_up"},
		{"well, I do it the proper way, step by step", true, false, "redirect"},
		{"well, I do it the proper way, step by step", false, true, "redirect"},
		{"I look at everything", true, true, "redirect"},
	} {
		at.LastTry, at.FollowUpAllowed = c.last, c.mayAsk
		if v := NewReader().Decide(at, c.text); v.Decision != c.want {
			t.Errorf("last try %t, may ask %t, %q: %s: %s", c.last, c.mayAsk, c.text, v.Decision, v.Why)
		}
	}
}
