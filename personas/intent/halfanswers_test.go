package intent

import (
	"testing"

	"github.com/parley-npc/parley/personas/examples"
)

// idleMessages answer nothing that any state of an English sample asks.
var idleMessages = []string{
	"do cats dream about fish or about spreadsheets", "why is the sky blue", "what do you do on Sundays?", "do you have children?", "did you sleep well?",
	"who taught you that?", "how long have you been doing this", "the bus was late again", "laser pointer", "spreadsheets", "my favourite colour is tuesday",
	"pew pew pew", "knock knock", "is it always like this here?",
}

// halfAnswers are, by state, bare words of what it is about, questions about it, promises
// and halves of what it asks for.
var halfAnswers = map[string][]string{
	"on-the-book": {"book", "the book", "cat", "library", "page 212", "do cats like fish?", "why do cats lie on books?", "what colour is the radiator?", "maybe later", "I might bring something next week", "dogs are nicer"},
	"shelves":     {"jar", "shelves", "a jar", "the pier", "how do you catch weather?", "which jar is the oldest?", "do you sell jars?", "maybe later", "I don't know yet", "nothing special"},
	"price":       {"crowns", "price", "what are crowns made of?", "who sets the prices?", "maybe later", "four crowns", "I have three crowns", "I can give you two crowns"},
	"promise":     {"lid", "the jar", "why does it matter?", "what happens if it breaks?", "I will think about it", "maybe", "I promise", "don't worry"},
	"nights":      {"night", "bread", "bakery", "when does the shift end?", "how many loaves do you bake?", "maybe", "I guess", "I need money"},
	"mistake":     {"mistake", "mistakes", "what mistakes do people make?", "everybody makes mistakes", "I never make mistakes", "maybe one or two", "I would rather tell you later"},
	"oven":        {"oven", "dough", "is the oven old?", "how hot does the oven get?", "I would be sad", "I don't know", "maybe something"},
	"bar":         {"gate", "the bar", "regulation four", "who wrote the regulations?", "how many regulations are there?", "I want to come in", "maybe later", "wool"},
	"papers":      {"cheese", "cheeses", "inspector", "do you like cheese?", "which cheese is the best?", "I know a lot about cheese", "it depends", "trust me"},
	"company":     {"bag", "night", "what are you knitting?", "who is the sock for?", "maybe later", "I will bring you something tomorrow", "nothing"},
	"plea":        {"street", "the town", "how big is the town?", "who lives in the town?", "somewhere in there", "I will tell you later", "please"},
	"desk":        {"key", "room", "bed", "how many rooms do you have?", "is the hotel old?", "one night", "maybe", "a room please"},
	"rules":       {"rules", "lift", "why can't I feed the lift?", "who made the rules?", "maybe", "I'll try", "what does the lift eat?"},
	"corridor":    {"corridor", "lantern", "dark", "what is that noise?", "who is in there?", "I don't know", "maybe"},
	"lift":        {"lift", "button", "the door", "how old is the lift?", "why is it hiding?", "open up", "I'll say something nice later"},
	"door":        {"door", "Mr Pell", "towel", "who is Mr Pell?", "how long has he been here?", "go away", "maybe tomorrow"},
	"table":       {"table", "plate", "who cooks here?", "how are the eggs?", "anything", "I'll decide later", "whatever"},
	"boisson":     {"verre", "terrasse", "soif", "c'est quoi ?", "vous fermez quand ?", "peut-être plus tard", "je réfléchis"},
	"repas":       {"assiette", "faim", "qui fait la cuisine ?", "c'est bon ici ?", "peut-être plus tard", "je réfléchis"},
	"addition":    {"table", "chaise", "vous fermez quand ?", "qui est le patron ?", "pas encore", "plus tard"},
}

// TestHalfAnswersDoNotPass: small talk, questions, bare words of the topic, promises and
// half answers pass in no state of no sample.
func TestHalfAnswersDoNotPass(t *testing.T) {
	t.Parallel()
	r := NewReader()
	for _, name := range examples.Names() {
		p := readSample(t, name)
		for state, places := range listPlaces(p) {
			for _, at := range places {
				if at.State.IsTerminal {
					continue
				}
				messages := halfAnswers[state]
				if len(messages) == 0 {
					t.Errorf("no half answers for %s, %s", name, state)
				}
				if Language(at.Persona, at.Machine) != "fr" {
					messages = append(idleMessages[:len(idleMessages):len(idleMessages)], messages...)
				}
				for _, at.FollowUpAllowed = range []bool{true, false} {
					for _, message := range messages {
						if v := r.Decide(at, message); v.Decision == "pass" {
							t.Errorf("%s, %s: %q is %s", name, state, message, v.Why)
						}
					}
				}
			}
		}
	}
}
