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
		{"I look closely, like anybody would", true, true, "follow_up"},
		{"I look closely, like anybody would", true, false, "redirect"},
		{"I look closely, like anybody would", false, true, "redirect"},
		{"I look at everything", true, true, "redirect"},
	} {
		at.LastTry, at.FollowUpAllowed = c.last, c.mayAsk
		if v := NewReader().Decide(at, c.text); v.Decision != c.want {
			t.Errorf("last try %t, may ask %t, %q: %s: %s", c.last, c.mayAsk, c.text, v.Decision, v.Why)
		}
	}
}
