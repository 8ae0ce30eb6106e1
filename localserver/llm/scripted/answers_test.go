package scripted

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
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

func TestIntentsWithoutAuthor(t *testing.T) {
	input := bareInput("")
	input.Recent = []llm.Message{{Role: "assistant", Text: "Halt! Pay or go."}, {Role: "user", Text: "hm"}, {Role: "assistant", Text: "Well?"}}
	for message, want := range map[string]string{
		"Hello!": "", "thank you very much": "", "goodbye": "", "help": "Get through the gate.", "who are you?": "A guard of few words.",
		"where am I?": "The north gate of Marrow", "what do you want from me?": "Get through the gate.", "what should I do?": "Get through the gate.",
		"my name is Ada": "Ada", "what is my name?": "Ada", "say that again?": "Well?", "are you a bot?": "built-in model", "tell me a joke": "", "I don't understand": "Get through the gate.",
	} {
		g := answerMessage(t, New(), input, message)
		understood := !strings.Contains(g.Why, "not understood") || message == "I don't understand"
		assert.True(t, strings.Contains(g.Text, want) && understood && strings.HasPrefix(g.Why, "offline: plain line for "), "%q: %+v", message, g)
		assert.True(t, !strings.ContainsAny(g.Text, "{}") && !logWords.MatchString(g.Text), "%q", g.Text)
	}
}

func TestIntentsInTheirLanguages(t *testing.T) {
	for code, messages := range map[string][]string{
		"de": {"Hallo!", "Wer bist du?", "Wo bin ich?", "Danke!", "Hilfe"}, "fr": {"Bonjour !", "Qui es-tu ?", "Où suis-je ?", "Merci !", "aide"},
		"es": {"¡Hola!", "¿Quién eres?", "¿Dónde estoy?", "gracias", "ayuda"}, "pt": {"Olá!", "Quem é você?", "Onde estou?", "obrigado", "ajuda"},
		"it": {"Ciao!", "Chi sei?", "Dove sono?", "grazie", "aiuto"}, "en": {"Hi!", "Who are you?", "Where am I?", "Thanks!", "help"},
	} {
		input := bareInput(code)
		for i, intent := range []personas.Intent{personas.IntentGreeting, personas.IntentWhoAreYou, personas.IntentWhere, personas.IntentThanks, personas.IntentHelp} {
			g := answerMessage(t, New(), input, messages[i])
			assert.True(t, slices.Contains(filled(input, textsOf(code).Intents[intent]), g.Text), "%s, %s, %q: %+v", code, intent, messages[i], g)
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
		assert.True(t, slices.Contains(lines, strings.ReplaceAll(g.Text, "Ada", "{{player_name}}")) || slices.Contains(lines, g.Text), "%q: %+v", message, g)
	}
}

func replyToAside(t *testing.T, o *Model, input llm.Input, message string, named personas.Intent) llm.GeneratedText {
	t.Helper()
	input.Message = message
	v := intent.Verdict{Decision: personas.AsideName, Intent: named, Confidence: 1}
	if named != "" {
		v.Answer = intent.AnswerFor(placeOfInput(input), named)
	}
	return replyTo(t, o, input, llm.StepResult{Aside: true, OfflineVerdict: &v})
}

// TestSmallTalkIsAnsweredAsSuch: small talk gets neither the description nor a question, with any intent.
func TestSmallTalkIsAnsweredAsSuch(t *testing.T) {
	o := New()
	for message, talk := range map[string]intent.Talk{
		"how old are you?": "a question about the character's age", "are you happy?": intent.AskFeeling, "why?": intent.AskWorld, "what do you think of the king?": "a question about an opinion",
		"it is raining": intent.Weather, "my dog died": intent.BadNews, "nice hat": "a compliment", "happy birthday": "a good wish", "that is sad": "sympathy", "damn": "swearing", "ok": "agreement",
	} {
		for _, named := range []personas.Intent{"", personas.IntentWhoAreYou, personas.IntentGreeting, personas.IntentMyName, personas.IntentGoal, personas.IntentWhere, personas.IntentNotUnderstood} {
			input := bareInput("")
			input.Persona.Offline = &personas.SharedOffline{Answers: []personas.Answer{{Intent: personas.IntentWhoAreYou, Say: []string{"I am the guard."}}}}
			input.State.Offline.Lines.Unknown = []string{"What brings you here?"}
			g := replyToAside(t, o, input, message, named)
			lines := filled(input, textsOf("en").Talk[cmp.Or(sameTalk[talk], talk)])
			assert.True(t, slices.Contains(lines, g.Text), "%q as %q: %+v", message, named, g)
			assert.True(t, strings.HasSuffix(g.Why, string(talk)), "%q as %q: %+v", message, named, g)
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

// TestSummaryKeepsTheSaidName: the name is known after its message has left the window.
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

func TestOptionsOfAPrompt(t *testing.T) {
	for prompt, want := range map[string]string{
		"The colour that the player wants: red, blue or green":   "red|blue|green",
		"Which drink (tea, coffee, or red wine)":                 "tea|coffee|red wine",
		"Does he pay? (yes or no)":                               "yes|no",
		"The weather: sun, the rain or a storm.":                 "sun|rain|storm",
		"one of: north, south":                                   "north|south",
		`"left" or "right"`:                                      "left|right",
		"The name of the person or the house that is looked for": "",
		"Why the player came, or who sent him":                   "",
		"What the ship carries":                                  "",
	} {
		assert.Equal(t, strings.Join(New().texts.valueWordsOf("en").promptOptions(prompt), "|"), want, prompt)
	}
}

// TestExtractionPairs measures Extract on conversations in seven languages by authors who had not
// seen its rules. A missing value is better than a wrong one.
func TestExtractionPairs(t *testing.T) {
	file := assert.Value(os.Open("testdata/extraction.jsonl"))(t)
	defer file.Close()
	var tried, right, wrong int
	o := New()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var pair struct {
			Language, Prompt string
			Talk, Want       []string
		}
		assert.NoError(t, json.Unmarshal(lines.Bytes(), &pair))
		var talk []llm.Message
		for i, text := range pair.Talk {
			talk = append(talk, llm.Message{Role: [...]string{"assistant", "user"}[i%2], Text: text})
		}
		input := gateInput()
		input.Persona.Language = pair.Language
		input.Machine.OutputVariables = []personas.OutputVariable{{Key: "k", ExtractionPrompt: pair.Prompt}}
		got := assert.Value(o.Extract(t.Context(), input, talk))(t)
		tried++
		switch value := got.Values["k"]; {
		case slices.Contains(pair.Want, value):
			right++
		default:
			if value != "" {
				wrong++
			}
			t.Logf("%s %q: %q, not %q", pair.Prompt, pair.Talk, value, pair.Want)
		}
	}
	t.Logf("%d pairs: %d right, %d wrong, %d missing", tried, right, wrong, tried-right-wrong)
	assert.Equal(t, tried, 87, "pairs")
	assert.True(t, right >= 82, "%d right", right)
	assert.True(t, wrong <= 1, "%d wrong", wrong)
}

// TestDoubtfulAsidesAreNotUnderstood: a remark that may be an answer to the character gets the
// author's line for messages that are not understood.
func TestDoubtfulAsidesAreNotUnderstood(t *testing.T) {
	for _, c := range []struct {
		message    string
		confidence float64
		want       bool
	}{
		{"I have a small garden", 0.6, true}, {"I have a small garden", 0.8, false}, {"do you have a garden?", 0.6, false}, {"it is raining", 0.6, false},
	} {
		input := bareInput("")
		input.Message = c.message
		input.Persona.Offline = &personas.SharedOffline{Answers: []personas.Answer{{Intent: personas.IntentRemark, Say: []string{"Well, yes."}}, {Intent: personas.IntentQuestion, Say: []string{"Ask the rain."}}}}
		input.State.Offline.Lines.Unknown = []string{"What brings you here?"}
		v := intent.Verdict{Decision: personas.AsideName, Confidence: c.confidence}
		g := replyTo(t, New(), input, llm.StepResult{Aside: true, OfflineVerdict: &v})
		assert.Equal(t, g.Text == "What brings you here?", c.want, "%q %.2f: %s", c.message, c.confidence, g.Text)
	}
}
