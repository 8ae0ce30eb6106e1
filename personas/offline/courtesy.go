package offline

import (
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
)

// Words of courtesy, with which many messages begin that go on with the matter.
var (
	greetingWords = []string{"hello", "hi", "hey", "hiya", "greetings", "morning", "evening", "afternoon", "day", "good", "howdy", "welcome", "um", "uh", "erm", "well"}
	thankingWords = []string{"thanks", "thank", "you", "very", "so", "much", "a", "lot", "cheers"}
	titleWords    = []string{"madam", "madame", "ma'am", "maam", "sir", "miss", "mister", "lady", "friend", "there", "all", "everyone", "officer", "doctor", "nurse", "again"}
)

// leastBehindCourtesy are the fewest words that a message must have behind its courtesy.
const leastBehindCourtesy = 3

// withoutCourtesy takes a greeting, a thank-you or a repeated "ok" off the beginning of
// a message that goes on with something else.
func withoutCourtesy(message string) string {
	words := strings.Fields(message)
	n := countCourtesy(words)
	if n == 0 || len(words)-n < leastBehindCourtesy {
		return message
	}
	return strings.Join(words[n:], " ")
}

// mostBehindCourtesy is how many words may stand behind a greeting that is answered where
// they are not understood.
const mostBehindCourtesy = 5

// courtesyOf says what was taken off a message, of which few words are left.
func courtesyOf(whole, rest string) personas.Intent {
	words := strings.Fields(whole)
	switch {
	case whole == rest || len(strings.Fields(rest)) > mostBehindCourtesy:
		return ""
	case countLeading(words, greetingWords) > 0:
		return personas.IntentGreeting
	case countThanks(words) > 0:
		return personas.IntentThanks
	}
	return ""
}

func countCourtesy(words []string) int {
	n := countLeading(words, []string{"ok", "okay"})
	if n == 1 {
		n = 0 // one is a word of its own
	}
	if n == 0 {
		n = countLeading(words, greetingWords)
	}
	if n == 0 {
		return countThanks(words)
	}
	return n + countLeading(words[n:], titleWords)
}

// countThanks counts the words of a thank-you that is a sentence by itself.
func countThanks(words []string) int {
	n := countLeading(words, thankingWords)
	if n > 0 && strings.HasPrefix(bareWord(words[0]), "th") && strings.ContainsAny(words[n-1], ".!") {
		return n
	}
	return 0
}

func countLeading(words, of []string) int {
	n := 0
	for n < len(words) && slices.Contains(of, bareWord(words[n])) {
		n++
	}
	return n
}

func bareWord(word string) string { return strings.Trim(strings.ToLower(word), ".,;:!-~") }
