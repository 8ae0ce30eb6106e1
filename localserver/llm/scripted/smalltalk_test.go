package scripted

import (
	"github.com/parley-npc/parley/personas/assert"
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/intent"
)

// replyToAside returns the reply to a message that was understood as an aside, with an intent or
// without.
func replyToAside(t *testing.T, o *Model, input llm.Input, message string, named personas.Intent) llm.GeneratedText {
	t.Helper()
	input.Message = message
	v := intent.Verdict{Decision: personas.AsideName, Intent: named}
	if named != "" {
		v.Answer = intent.AnswerFor(placeOfInput(input), named)
	}
	return replyTo(t, o, input, llm.StepResult{Aside: true, Understood: &v})
}

// TestSmallTalkIsAnsweredAsSuch: the reply to a personal question is not the character's
// description, and the reply to a statement is not a question. Both hold for each intent that such
// messages were mistaken for, also with the author's answer to it.
func TestSmallTalkIsAnsweredAsSuch(t *testing.T) {
	o := New()
	for message, talk := range map[string]intent.Talk{
		"how old are you?": intent.AskAge, "do you have kids?": intent.AskFamily, "do you like cats?": intent.AskTaste, "what did you eat?": intent.AskDay, "are you happy?": intent.AskFeeling,
		"it is raining": intent.Weather, "my dog died": intent.BadNews, "nice hat": intent.Compliment, "I won the lottery": intent.GoodNews, "damn": intent.Swearing, "haha": intent.Laughter, "ok": intent.Agreement, "no": intent.Disagreement,
		"Why did the chicken cross the road?": intent.JokeQuestion, "this is so boring": intent.Complaint, "what do you think of the king?": intent.AskOpinion, "what time is it?": intent.AskTime, "how much is the fish?": intent.AskPrice,
	} {
		for _, named := range []personas.Intent{"", personas.IntentWhoAreYou, personas.IntentGreeting, personas.IntentMyName, personas.IntentGoal, personas.IntentWhere, personas.IntentNotUnderstood} {
			input := bareInput("")
			input.Persona.Offline = &personas.SharedOffline{Answers: []personas.Answer{{Intent: personas.IntentWhoAreYou, Say: []string{"I am the guard."}}}}
			input.State.Offline.Lines.Unknown = []string{"What brings you here?"}
			g := replyToAside(t, o, input, message, named)
			if !slices.Contains(filled(input, textsOf("en").Talk[talk]), g.Text) || !strings.HasSuffix(g.Why, string(talk)) {
				t.Errorf("%q as %q: %+v", message, named, g)
			}
		}
	}
}

// TestAuthorsAnswerGoesBeforeSmallTalk: the author's answer to the same question, or to a greeting
// with "how are you", replaces the built-in small talk.
func TestAuthorsAnswerGoesBeforeSmallTalk(t *testing.T) {
	o, input := New(), bareInput("")
	input.Persona.Offline = &personas.SharedOffline{Answers: []personas.Answer{
		{Ask: []string{"how old are you?"}, Say: []string{"Nineteen winters."}},
		{Intent: personas.IntentGreeting, Say: []string{"Damp, but paid."}},
		{Intent: personas.IntentBot, Say: []string{"Keepers bleed."}},
		{Intent: personas.IntentGoodbye, Say: []string{"The road is behind you."}},
	}}
	for message, want := range map[string]string{
		"How old are you?": "Nineteen winters.", "How are you?": "Damp, but paid.", "lol is this chatgpt": "Keepers bleed.", "I have to run, see you another time.": "The road is behind you.", "Good evening! I am new here.": "Damp, but paid.",
	} {
		assert.Equal(t, answerMessage(t, o, input, message).Text, want, message)
	}
}

// TestRepairsDoNotNest: a line that was not understood is rephrased, and a repeated request to
// repeat does not wrap the last repetition in another one.
func TestRepairsDoNotNest(t *testing.T) {
	o, input := New(), bareInput("")
	input.Recent = []llm.Message{{Role: "assistant", Text: "Halt! Pay or go."}}
	for range 3 {
		g := replyToAside(t, o, input, "say that again", personas.IntentRepeat)
		assert.Must(t, strings.Count(g.Text, "says it again") == 1 && strings.HasSuffix(g.Text, "Halt! Pay or go."), "%+v", g)
		input.Recent = append(input.Recent, llm.Message{Role: "user", Text: "say that again"}, llm.Message{Role: "assistant", Text: g.Text})
	}
	for _, message := range []string{"huh?", "I don't understand", "???"} {
		assert.NotContains(t, replyToAside(t, o, input, message, "").Text, "Halt!", "%q repeats the opening", message)
	}
	g := replyToAside(t, o, input, "I don't get it", personas.IntentNotUnderstood)
	assert.True(t, strings.Contains(g.Text, "Get through the gate.") && !strings.Contains(g.Text, "Halt!"), "%+v", g)
}
