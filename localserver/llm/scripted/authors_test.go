package scripted

import (
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/intent"
)

// TestOwnWordsAreAnsweredInVoice: where an author has lines for the state, no narrator nods beside
// them.
func TestOwnWordsAreAnsweredInVoice(t *testing.T) {
	input, _ := startMachine(t, "starter", "the-book")
	for _, said := range []string{"I am a student of law in my third year", "I have two brothers", "I come from Leeds", "my aunt keeps bees", "I work in a bank"} {
		input.Message = said
		line, err := New().sceneOf(input).answerAside(&intent.Verdict{Decision: "aside"})
		if err != nil || strings.HasPrefix(line.Text, "*") {
			t.Errorf("%q: %+v, %v", said, line, err)
		}
		input.Recent = append(input.Recent, llm.Message{Role: "user", Text: said}, llm.Message{Role: "assistant", Text: line.Text})
	}
}

// TestQuestionNeedsNoMark: questions without a mark get the author's lines for questions, and
// remarks those for remarks.
func TestQuestionNeedsNoMark(t *testing.T) {
	for said, want := range map[string]personas.Intent{
		"so do you actually live in the library":  personas.IntentQuestion,
		"what kind of book is under you":          personas.IntentQuestion,
		"my aunt keeps bees, forty hives of them": personas.IntentRemark,
		"I was at the market this morning":        personas.IntentRemark,
	} {
		input, _ := startMachine(t, "starter", "the-book")
		input.Message = said
		line, err := New().sceneOf(input).answerAside(&intent.Verdict{Decision: "aside"})
		answer := intent.AnswerFor(placeOfInput(input), want)
		if err != nil || !slices.Contains(answer.Say, strings.ReplaceAll(line.Text, "Ada", "{{player_name}}")) {
			t.Errorf("%q is answered %q, not as a %s (%v)", said, line.Text, want, err)
		}
	}
}

// TestAuthorsWordsComeFirst: a question that is like a built-in intent or a kind of small talk
// gets the author's lines for any question; the player's name and the model are still told.
func TestAuthorsWordsComeFirst(t *testing.T) {
	o := New()
	input, _ := startMachine(t, "starter", "the-book")
	question := intent.AnswerFor(placeOfInput(input), personas.IntentQuestion).Say
	remark := intent.AnswerFor(placeOfInput(input), personas.IntentRemark).Say
	for message, lines := range map[string][]string{
		"what happened?": question, "so what happened": question, "what happened to your eye": question, "How old are you?": question, "where am I?": question, "do you have kids?": question, "why?": question,
		"My dog died this morning.": remark, "It is raining again.": remark,
		"are you a bot?": filled(input, textsOf("en").Intents[personas.IntentBot]), "what is my name?": filled(input, textsOf("en").Intents[personas.IntentMyName]),
	} {
		g := answerMessage(t, o, input, message)
		if !slices.Contains(lines, strings.ReplaceAll(g.Text, "Ada", "{{player_name}}")) && !slices.Contains(lines, g.Text) {
			t.Errorf("%q: %+v", message, g)
		}
	}
}

// TestNewsDoesNotReplaceAPass: who passes with good or bad news hears the reply to the pass, and
// news that was judged as small talk may have been meant for the matter, so a hint follows.
func TestNewsDoesNotReplaceAPass(t *testing.T) {
	o := New()
	for _, message := range []string{"I'm getting married on Saturday and I need sunshine", "I need to see my sister, she's ill", "My dog died, please let me in"} {
		for _, withLines := range []bool{true, false} {
			input := bareInput("")
			input.Message = message
			want := input.State.Offline.Lines.Pass
			if !withLines {
				input.State.Offline.Lines.Pass = nil
				want = filled(input, textsOf("en").Lines["pass"])
			}
			if g := replyTo(t, o, input, llm.StepResult{Decision: personas.DecidePass}); !slices.Contains(want, g.Text) {
				t.Errorf("%q passes with %+v", message, g)
			}
		}
		input := bareInput("")
		input.Asides = 1
		if g := replyToAside(t, o, input, message, ""); !strings.HasSuffix(g.Text, "(Still to do: Get through the gate.)") {
			t.Errorf("%q as an aside: %+v", message, g)
		}
	}
}
