package intent

import (
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

func TestMayLoseByNo(t *testing.T) {
	t.Parallel()
	r := NewReader()
	for _, c := range []struct {
		sample, state string
		want          bool
	}{
		{"gate", "company", true}, {"hotel", "rules", true}, {"starter", "on-the-book", true}, {"hotel", "lift", false}, {"cafe", "boisson", false},
	} {
		assert.Equal(t, r.MayLoseByNo(placeOf(t, corpusPersona(t, "sample-"+c.sample), "", c.state)), c.want, "%s, %s", c.sample, c.state)
	}
}

// TestBareAnswers: after a follow-up a bare yes confirms what the question says, and a bare no never
// confirms a loss. Other questions and other messages are not read together.
func TestBareAnswers(t *testing.T) {
	t.Parallel()
	r := NewReader()
	at := placeOf(t, corpusPersona(t, "sample-gate"), "", "bar")
	at.InGame = true
	for _, c := range []struct{ to, question, text, want string }{
		{"let me in", "Hm. Do you have papers?", "yes", "pass"},
		{"let me in", "Did you mean that you have a permit?", "Yes, sir.", "pass"},
		{"let me in", "Did you mean to bribe me?", "yeah", "pass"},
		{"let me in", "Are you the cheese inspector? Speak up.", "Yes, I am", "pass"},
		{"let me in", "Do you refuse to answer?", "yes", "reject"},
		{"let me in", "Do you refuse to answer?", "no", "aside"},
		{"let me in", "Do you want to climb over the wall?", "yes", "kick_out"},
		{"let me in", "Do you want to climb over the wall?", "no", "aside"},
		{"no", "Do you mean that?", "no", "aside"},
		{"let me in", "Did you mean that you have a permit?", "no", "aside"},
		{"no", "Do you mean that?", "yes", "reject"}, {"no", "You mean that? Say it again, slowly.", "yes", "reject"}, {"let me in", "Do you mean that?", "yes", "aside"},
		{"let me in", "Is it a paper, a present, or a person?", "yes", "aside"},
		{"let me in", "Who or what is it about?", "yes", "aside"},
		{"let me in", "Say that again, and plainly.", "yes", "aside"},
		{"let me in", "Do you refuse to answer?", "I have a permit", "pass"},
	} {
		at.FollowUpAllowed, at.Asked = false, Asked{Reply: c.question, To: c.to}
		v := r.Decide(at, c.text)
		assert.Equal(t, v.Decision, c.want, "%q, %q: %s", c.question, c.text, v.Why)
		at.FollowUpAllowed = true
		if v := r.Decide(at, c.text); c.text != "I have a permit" && v.Decision == "pass" {
			t.Errorf("%q passes without a follow-up: %s", c.text, v.Why)
		}
	}
	cafe := placeOf(t, corpusPersona(t, "sample-cafe"), "", "boisson")
	cafe.FollowUpAllowed, cafe.Asked = false, Asked{Reply: "Vous voulez un café ?", To: "I won't"}
	v := r.Decide(cafe, "Oui, monsieur")
	assert.Equal(t, v.Decision, "pass", "%s", v.Why)
	cafe.Asked.Reply = "Un café ou un thé ?"
	v = r.Decide(cafe, "oui")
	assert.True(t, v.Decision != "pass", "a choice is confirmed: %s", v.Why)
}

func TestBareAnswersAboutSentences(t *testing.T) {
	t.Parallel()
	at := placeOf(t, corpusPersona(t, "sample-starter"), "", "on-the-book")
	at.InGame, at.FollowUpAllowed, at.Asked = true, false, Asked{Reply: "You mean that?", To: "ok ok I give up on chatting. here, half a sardine"}
	for text, want := range map[string]string{"yes": "reject", "no": "aside"} {
		v := NewReader().Decide(at, text)
		assert.Equal(t, v.Decision, want, "%q: %s", text, v.Why)
	}
}
