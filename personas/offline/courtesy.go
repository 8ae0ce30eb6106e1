package offline

import (
	"slices"
	"strings"
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
