package scripted

import (
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/intent"
)

// answerMessage returns the model's reply to a message that it decides is an aside.
func answerMessage(t *testing.T, o *Model, input llm.Input, message string) llm.GeneratedText {
	t.Helper()
	e := evaluateMessage(t, o, input, message)
	assert.Must(t, e.Aside, "%q is no aside: %s", message, e.Why)
	input.Message = message
	return replyTo(t, o, input, llm.StepResult{Aside: true})
}

// bareInput returns a state without authored answers to asides, so that all answers are built in.
func bareInput(language string) llm.Input {
	input := gateInput()
	input.Persona.Language = language
	input.Persona.Description, input.Machine.Objective, input.Machine.Description = "A guard of few words.", "Get through the gate.", "The north gate of Marrow"
	return input
}

// TestAnswersOfTheAuthor: a state's answers go before its machine's, and these before the
// persona's, for a question and for an intent.
func TestAnswersOfTheAuthor(t *testing.T) {
	for _, answer := range []personas.Answer{{Ask: []string{"what is that bell?"}}, {Intent: personas.IntentGreeting}} {
		say := func(text string) []personas.Answer { a := answer; a.Say = []string{text}; return []personas.Answer{a} }
		message := "what is that bell?"
		if answer.Intent != "" {
			message = "hello!"
		}
		input := bareInput("")
		input.Persona.Offline = &personas.SharedOffline{Answers: say("The persona's, {{player_name}}.")}
		assert.Equal(t, answerMessage(t, New(), input, message).Text, "The persona's, Ada.", message)
		input.Machine.Offline = &personas.SharedOffline{Answers: say("The machine's.")}
		assert.Equal(t, answerMessage(t, New(), input, message).Text, "The machine's.", message)
		input.State.Offline.Answers = say("The state's.")
		g := answerMessage(t, New(), input, message)
		assert.True(t, g.Text == "The state's." && strings.Contains(g.Why, "an answer, line 1 of 1"), "%s: %+v", message, g)
	}
}

// TestExamplesOwnAnswer: the matched example's own reply replaces a line of its decision, but not
// if the decision became another one.
func TestExamplesOwnAnswer(t *testing.T) {
	o, input := New(), gateInput()
	input.State.Offline.Examples.Pass = append(input.State.Offline.Examples.Pass, personas.Example{Say: "I know the password, it is herring", Answer: "So you do, {{player_name}}."})
	for message, want := range map[string]string{"I know the password, it is herring": "So you do, Ada.", "I know the password: herring": "So you do, Ada.", "I will pay the toll": ""} {
		input.Message = message
		e := evaluateMessage(t, o, input, message)
		assert.Must(t, e.Decision(input.Machine) == "pass", "%q: %s", message, e.Why)
		g := replyTo(t, o, input, llm.StepResult{Decision: personas.DecidePass})
		assert.Equal(t, g.Text == "So you do, Ada.", want != "", "%q: %+v", message, g)
		g = replyTo(t, o, input, llm.StepResult{Decision: personas.DecideReject})
		assert.True(t, !strings.HasPrefix(g.Text, "So you do"), "%q, rejected: %+v", message, g)
	}
}

// TestIntentsWithoutAuthor: each intent has a built-in answer about the character, the place or the
// player, which differs from the one to a message that was not understood.
func TestIntentsWithoutAuthor(t *testing.T) {
	input := bareInput("")
	input.Recent = []llm.Message{{Role: "assistant", Text: "Halt! Pay or go."}, {Role: "user", Text: "hm"}, {Role: "assistant", Text: "Well?"}}
	for message, want := range map[string]string{
		"Hello!": "", "thank you very much": "", "goodbye": "", "help": "Get through the gate.", "who are you?": "A guard of few words.",
		"where am I?": "The north gate of Marrow", "what do you want from me?": "Get through the gate.", "what should I do?": "Get through the gate.",
		"my name is Ada": "Ada", "what is my name?": "Ada", "say that again?": "Well?", "are you a bot?": "built-in model", "tell me a joke": "", "I don't understand": "Get through the gate.",
	} {
		t.Run(message, func(t *testing.T) {
			g := answerMessage(t, New(), input, message)
			if !strings.Contains(g.Text, want) || strings.Contains(g.Why, "not understood") && message != "I don't understand" || !strings.HasPrefix(g.Why, "offline: plain line for ") {
				t.Errorf("%+v", g)
			}
			assert.True(t, !strings.ContainsAny(g.Text, "{}") && !logWords.MatchString(g.Text), "%q", g.Text)
		})
	}
}

// TestIntentsInTheirLanguages: intents are recognized and answered in the persona's language.
func TestIntentsInTheirLanguages(t *testing.T) {
	for code, messages := range map[string][]string{
		"de": {"Hallo!", "Wer bist du?", "Wo bin ich?", "Danke!", "Hilfe"}, "fr": {"Bonjour !", "Qui es-tu ?", "Où suis-je ?", "Merci !", "aide"},
		"es": {"¡Hola!", "¿Quién eres?", "¿Dónde estoy?", "gracias", "ayuda"}, "pt": {"Olá!", "Quem é você?", "Onde estou?", "obrigado", "ajuda"},
		"it": {"Ciao!", "Chi sei?", "Dove sono?", "grazie", "aiuto"}, "en": {"Hi!", "Who are you?", "Where am I?", "Thanks!", "help"},
	} {
		input := bareInput(code)
		for i, intent := range []personas.Intent{personas.IntentGreeting, personas.IntentWhoAreYou, personas.IntentWhere, personas.IntentThanks, personas.IntentHelp} {
			g := answerMessage(t, New(), input, messages[i])
			said := false
			for _, line := range filled(input, textsOf(code).Intents[intent]) {
				said = said || g.Text == line
			}
			if !said {
				t.Errorf("%s, %s, %q: %+v", code, intent, messages[i], g)
			}
		}
	}
}

// TestHintPauses: a hint is repeated after three replies without it, not before.
func TestHintPauses(t *testing.T) {
	o, input := New(), bareInput("")
	var hinted []bool
	for asides := range 8 {
		input.Asides = asides
		g := answerMessage(t, o, input, "My cat has grey paws")
		hinted = append(hinted, strings.HasSuffix(g.Text, "(Still to do: Get through the gate.)"))
		input.Recent = append(input.Recent, llm.Message{Role: "user", Text: "My cat has grey paws"}, llm.Message{Role: "assistant", Text: g.Text})
	}
	assert.EqualSlices(t, hinted, []bool{false, true, false, false, false, true, false, false}, "hints")
}

// TestOtherLanguageIsSaidInIt: the reply to a message in another language is in that language.
func TestOtherLanguageIsSaidInIt(t *testing.T) {
	for message, want := range map[string]string{
		"Où est la gare, s'il vous plaît ?": "Hobb ne comprend pas le français. Écrivez en anglais",
		"Ich möchte bitte ein Buch kaufen":  "Hobb versteht kein Deutsch. Bitte schreib auf Englisch",
		"駅はどこですか":                           "Hobbは日本語がわかりません。英語で",
		"Привет, как дела?":                 "Hobb не понимает по-русски. Пожалуйста, пишите на английском",
		"¿Dónde está la puerta?":            "Hobb no entiende el español. Escribe en inglés",
	} {
		assert.Contains(t, answerMessage(t, New(), bareInput("en"), message).Text, want, message)
	}
	assert.Contains(t, answerMessage(t, New(), bareInput("fr"), "What do you want from me?").Text, "Please write in French")
	g := answerMessage(t, New(), bareInput("en"), "สวัสดีครับ")
	assert.True(t, strings.HasPrefix(g.Text, "(Hobb "), "a language in which nothing can be said: %+v", g)
	for code := range New().texts {
		assert.Equal(t, intent.Language(&personas.Persona{Language: code + "-XX"}, &personas.Machine{}), code, "language")
	}
}

// TestNearestLine: the reply is the author's line that is nearest to the message.
func TestNearestLine(t *testing.T) {
	o, input := New(), gateInput()
	input.State.Offline.Lines.Redirect = []string{"The weather is no business of mine.", "Horses stay outside the gate.", "Not for that."}
	for seed := range uint64(10) {
		input.Message = "What about my two horses?"
		assert.Equal(t, replyTo(t, o.WithSeed(seed), input, llm.StepResult{Decision: personas.DecideRedirect}).Text, "Horses stay outside the gate.")
	}
}

// TestAuthorsWordsComeFirst: a question that is like a built-in intent or a kind of small talk
// gets the author's lines for any question. Questions about the player's name and the model do not.
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
