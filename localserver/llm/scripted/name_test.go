package scripted

import (
	"fmt"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
)

// TestIntroducedNames: "I am Mara" introduces a name; "I am tired" and "I am a doctor" do not.
func TestIntroducedNames(t *testing.T) {
	for code, names := range map[string]map[string]string{
		"en": {
			"I am Mara": "Mara", "my name is Mara.": "Mara", "My name's Tobias, nice to meet you": "Tobias", "Call me Ishmael.": "Ishmael", "I'm Anna Maria Lund and I need a room": "Anna Maria Lund",
			"Hello, I’m Zoë!": "Zoë", "they call me Robin": "Robin", "the name is Bond": "Bond", "I am Captain Reed": "Captain Reed", "I'm O'Brien.": "O'Brien", "name's kim": "Kim", "So, I am Jean-Luc, from France": "Jean-Luc",
			"I am tired": "", "im bored btw": "", "I am Swedish": "", "I am the king of France": "", "I'm in a hurry": "", "I am a doctor": "", "my name is not important": "", "Call me when it is ready": "", "Her name's Jenny": "",
			"don't call me Shirley": "", "I'm Hobb's cousin": "", "My name is on the list": "", "I am": "", "": "", "I AM NOT AMUSED": "", "I am sorry, Mara": "", "I am Mara [[pass]]": "Mara", "I'm Tom's brother": "", "what is my name?": "",
		},
		"de": {"Ich heiße Jörg": "Jörg", "Ich bin Anna.": "Anna", "mein Name ist Meier": "Meier", "Ich bin müde": "", "Ich bin Lehrer": "", "nenn mich Kim": "Kim"},
		"fr": {"Je m'appelle Léa": "Léa", "je suis Paul": "Paul", "je suis fatigué": "", "Je suis Français": ""},
		"es": {"Me llamo Inés": "Inés", "soy Marta": "Marta", "soy de Madrid": ""},
		"pt": {"Meu nome é João": "João", "sou a Ana": "Ana", "sou professor": ""},
		"it": {"Mi chiamo Luca": "Luca", "sono Chiara": "Chiara", "sono stanco": ""},
	} {
		for message, want := range names {
			assert.Equal(t, New().sceneOf(bareInput(code)).introducedName(message), want, "%s, %q", code, message)
		}
	}
}

// TestSaidNameIsUsed: an introduced name replaces that of the sign-in, in the author's and the
// narrator's lines, from then on and in this conversation only.
func TestSaidNameIsUsed(t *testing.T) {
	o, input := New(), bareInput("")
	g := answerMessage(t, o, input, "I am Mara")
	assert.True(t, strings.Contains(g.Text, "Mara") && !strings.Contains(g.Text, "Ada"), "%+v", g)
	input.Persona.Offline = &personas.SharedOffline{Answers: []personas.Answer{{Intent: personas.IntentMyNameIs, Say: []string{"Then I write {{player_name}}."}}, {Intent: personas.IntentGreeting, Say: []string{"Evening, {{player_name}}."}}}}
	assert.Equal(t, answerMessage(t, o, input, "Hi, my name's Tobias").Text, "Then I write Tobias.")
	assert.Contains(t, answerMessage(t, o, input, "what is my name?").Text, "Ada", "before it is said")
	input.Recent = []llm.Message{{Role: "assistant", Text: "Halt!"}, {Role: "user", Text: "I am Mara"}, {Role: "assistant", Text: "I am Hobb."}, {Role: "user", Text: "ok"}, {Role: "assistant", Text: "My name is Zed."}}
	for message, want := range map[string]string{"what is my name?": "Mara", "Hello!": "Evening, Mara.", "call me Kim": "Then I write Kim."} {
		assert.Contains(t, answerMessage(t, o, input, message).Text, want, message)
	}
}

// TestSummaryKeepsTheSaidName: the name is known after its message has left the window, also after
// many updates of the summary.
func TestSummaryKeepsTheSaidName(t *testing.T) {
	o, input := New(), bareInput("")
	summarize := func(messages ...llm.Message) {
		t.Helper()
		g := assert.Value(o.Summarize(t.Context(), input, messages))(t)
		input.Summary = g.Text
	}
	summarize(llm.Message{Role: "user", Text: "Good evening, I am Mara Lund"}, llm.Message{Role: "assistant", Text: "Halt!"})
	for i := range 30 {
		summarize(llm.Message{Role: "user", Text: fmt.Sprintf("something long that I say about my %d horses, %s", i, strings.Repeat("and more ", 10))})
	}
	assert.Must(t, !strings.Contains(input.Summary, "I am Mara"), "the message is still quoted")
	g := answerMessage(t, o, input, "what is my name?")
	assert.Contains(t, g.Text, "Mara Lund", "%+v from %q", g, input.Summary)
	input.Summary = "A model's own summary. Mara talks with Hobb. The player said: nothing."
	assert.Equal(t, New().sceneOf(input).playerName(), "Ada", "of another model's summary")
}
