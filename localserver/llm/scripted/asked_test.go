package scripted

import (
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/offline"
)

// TestWhatTheCharacterSpokeOfIsAnswered: who asks about a word that the character has used is
// answered in the author's words, once, and no other question is taken for that.
func TestWhatTheCharacterSpokeOfIsAnswered(t *testing.T) {
	const lampBoy = "Tell me who's in there for you, and I'll send the lamp-boy ahead."
	for _, k := range []struct{ sample, machine, spoken, message, want string }{
		{"hotel", "check-in", "Don't mind Admiral, he'll carry your bag.", "who is the Admiral?", "That's Admiral. He isn't a dog, he's staff."},
		{"hotel", "check-in", "Don't mind Admiral, he'll carry your bag.", "Who's Admiral", "That's Admiral."},
		{"gate", "eel-gate", lampBoy, "What's a lamp boy?", "Nine years old, all knees."},
		{"gate", "eel-gate", lampBoy, "lamp-boy?", "Nine years old, all knees."},
		{"gate", "eel-gate", "At the moment it is a sock, and the mayor wants it.", "what do you mean by the mayor?", "The mayor's new."},
		{"starter", "the-book", "Mm. The book is warm.", "which book?", "She is lying on the book you need."},
		{"starter", "the-book", "I am not asleep.", "who is the Admiral?", ""},
		{"starter", "the-book", "I am guarding page 212. What do you want?", "what do you like?", ""},
		{"starter", "the-book", "I am guarding page 212. What do you want?", "who are you?", ""},
		{"starter", "the-book", "I am guarding page 212. What do you want?", "what do you want?", ""},
		{"starter", "the-book", "Mm. The book is warm.", "do you like the book?", ""},
	} {
		input, _ := startMachine(t, k.sample, k.machine)
		for i := range input.Machine.States {
			if s := &input.Machine.States[i]; k.spoken == lampBoy && s.Offline != nil {
				for _, a := range s.Offline.Answers {
					if strings.Contains(strings.Join(a.Say, " "), "lamp-boy") {
						input.State = s
					}
				}
			}
		}
		input.Recent = []llm.Message{{Role: "assistant", Text: k.spoken}}
		line := New().sceneOf(input).tellAbout(k.message)
		if (line.Text != "") != (k.want != "") || !strings.Contains(line.Text, k.want) {
			t.Errorf("%s, %q: %q, want %q", k.sample, k.message, line.Text, k.want)
		}
		input.Recent = append(input.Recent, llm.Message{Role: "user", Text: k.message}, llm.Message{Role: "assistant", Text: line.Text})
		if next := New().sceneOf(input).tellAbout(k.message); line.Text != "" && next.Text == line.Text {
			t.Errorf("%q is said twice", next.Text)
		}
	}
}

// TestOwnWordsAreAnsweredInVoice: where an author has lines for the state, no narrator nods beside
// them.
func TestOwnWordsAreAnsweredInVoice(t *testing.T) {
	input, _ := startMachine(t, "starter", "the-book")
	for _, said := range []string{"I am a student of law in my third year", "I have two brothers", "I come from Leeds", "my aunt keeps bees", "I work in a bank"} {
		input.Message = said
		line, err := New().sceneOf(input).answerAside(&offline.Verdict{Decision: "aside"})
		if err != nil || strings.HasPrefix(line.Text, "*") {
			t.Errorf("%q: %+v, %v", said, line, err)
		}
		input.Recent = append(input.Recent, llm.Message{Role: "user", Text: said}, llm.Message{Role: "assistant", Text: line.Text})
	}
}

// TestQuestionNeedsNoMark: what is asked without a mark is answered by the author's lines for
// questions, and what is told by those for remarks (docs/decisions/llm.md, own-dodges).
func TestQuestionNeedsNoMark(t *testing.T) {
	for said, want := range map[string]personas.Intent{
		"is biscuit your real name or did the librarian pick it": personas.IntentQuestion,
		"so do you actually live in the library":                 personas.IntentQuestion,
		"what kind of book is under you":                         personas.IntentQuestion,
		"my aunt keeps bees, forty hives of them":                personas.IntentRemark,
		"I was at the market this morning":                       personas.IntentRemark,
	} {
		input, _ := startMachine(t, "starter", "the-book")
		input.Message = said
		line, err := New().sceneOf(input).answerAside(&offline.Verdict{Decision: "aside"})
		answer := offline.AnswerFor(placeOfInput(input), want)
		if err != nil || !slices.Contains(answer.Say, strings.ReplaceAll(line.Text, "Ada", "{{player_name}}")) {
			t.Errorf("%q is answered %q, not as a %s (%v)", said, line.Text, want, err)
		}
	}
}
