package offline

import (
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas/nlu"
)

// Words of courtesy, with which many messages begin that go on with the matter.
var (
	greetingWords = []string{"hello", "hi", "hey", "hiya", "greetings", "morning", "evening", "afternoon", "day", "good", "howdy", "welcome", "sup", "wassup", "yo", "heya", "hei", "hej", "salaam", "namaste", "aloha",
		"um", "uh", "erm", "er", "hm", "hmm", "oh", "ah", "well", "wait",
		"bonjour", "bonsoir", "salut", "hallo", "guten", "tag", "abend", "morgen", "hola", "buenos", "buenas", "dias", "días", "tardes", "noches", "ciao", "buongiorno", "buonasera", "olá", "ola", "bom", "boa", "dia", "tarde", "noite"}
	// fillingWords of the greeting ones greet nobody by themselves.
	fillingWords = []string{"good", "welcome", "um", "uh", "erm", "er", "hm", "hmm", "oh", "ah", "well", "wait"}
	titleWords   = []string{"to", "you", "too", "madam", "madame", "ma'am", "maam", "sir", "miss", "mister", "lady", "friend", "there", "all", "everyone", "officer", "doctor", "nurse", "again",
		"monsieur", "señor", "señora", "signore", "signora", "senhor", "senhora", "herr", "frau"}
)

// BeginsWithGreeting reports whether a message greets before it says something else.
func BeginsWithGreeting(message string) bool {
	words := strings.Fields(message)
	for _, w := range words {
		bare := bareWord(w)
		if !slices.Contains(greetingWords, bare) {
			return false
		}
		if !slices.Contains(fillingWords, bare) {
			return true
		}
	}
	return false
}

// IsCourtesy reports whether a sentence greets or thanks and says nothing else.
func IsCourtesy(sentence string) bool {
	words := strings.Fields(sentence)
	other := slices.IndexFunc(words, func(w string) bool {
		bare := bareWord(w)
		return !slices.Contains(greetingWords, bare) && !slices.Contains(thankingWords, bare) && !slices.Contains(titleWords, bare)
	})
	return len(words) > 0 && other < 0
}

// hasPhrase reports whether a text has one of the phrases as words.
func hasPhrase(text, phrases string) bool {
	words := " " + strings.Join(nlu.Words(text), " ") + " "
	for phrase := range strings.SplitSeq(phrases, "|") {
		if strings.Contains(words, " "+phrase+" ") {
			return true
		}
	}
	return false
}
