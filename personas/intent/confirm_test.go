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
	for _, c := range []struct{ sample, state, to, question, text, want string }{
		{"gate", "bar", "let me in", "Hm. Do you have papers?", "yes", "pass"},
		{"gate", "bar", "let me in", "Did you mean that you have a permit?", "Yes, sir.", "pass"},
		{"gate", "bar", "let me in", "Did you mean to bribe me?", "yeah", "pass"},
		{"gate", "bar", "let me in", "Are you the cheese inspector? Speak up.", "Yes, I am", "pass"},
		{"gate", "bar", "let me in", "Do you refuse to answer?", "yes", "reject"},
		{"gate", "bar", "let me in", "Do you refuse to answer?", "no", "aside"},
		{"gate", "bar", "let me in", "Do you want to climb over the wall?", "yes", "kick_out"},
		{"gate", "bar", "let me in", "Did you mean that you have a permit?", "no", "aside"},
		{"gate", "bar", "no", "Do you mean that?", "yes", "reject"},
		{"gate", "bar", "no", "You mean that? Say it again, slowly.", "yes", "reject"},
		{"gate", "bar", "no", "Do you mean that?", "no", "aside"},
		{"gate", "bar", "let me in", "Do you mean that?", "yes", "aside"},
		{"gate", "bar", "let me in", "Is it a paper, a present, or a person?", "yes", "aside"},
		{"gate", "bar", "let me in", "Who or what is it about?", "yes", "aside"},
		{"gate", "bar", "let me in", "Say that again, and plainly.", "yes", "aside"},
		{"gate", "bar", "let me in", "Do you refuse to answer?", "I have a permit", "pass"},
		{"cafe", "boisson", "I won't", "Vous voulez un café ?", "Oui, monsieur", "pass"},
		{"cafe", "boisson", "I won't", "Un café ou un thé ?", "oui", "aside"},
		{"starter", "on-the-book", "ok ok I give up on chatting. here, half a sardine", "You mean that?", "yes", "reject"},
		{"starter", "on-the-book", "ok ok I give up on chatting. here, half a sardine", "You mean that?", "no", "aside"},
	} {
		at := placeOf(t, corpusPersona(t, "sample-"+c.sample), "", c.state)
		at.InGame, at.FollowUpAllowed, at.Asked = c.sample != "cafe", false, Asked{Reply: c.question, To: c.to}
		v := r.Decide(at, c.text)
		assert.Equal(t, v.Decision, c.want, "%q, %q: %s", c.question, c.text, v.Why)
		at.FollowUpAllowed = true
		v = r.Decide(at, c.text)
		assert.True(t, c.text == "I have a permit" || v.Decision != "pass", "%q passes without a follow-up: %s", c.text, v.Why)
	}
}
