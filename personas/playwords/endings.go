package playwords

import (
	"fmt"
	"strings"
)

// Why a part ended, in sentences. character is the character's name, said what the player said
// last, "" where that is not known.

// SaidYes is why a part without a score was won.
func SaidYes(character, said string) string { return afterWords(said, character) + " said yes." }

// ScoreReached is why a part was won that counts a score.
func ScoreReached(score, enough int) string {
	return fmt.Sprintf("Your score of %d is enough: it takes %d.", score, enough)
}

// SaidNoYetReached is the same where the last answer was a no.
func SaidNoYetReached(character, said string, score, enough int) string {
	return fmt.Sprintf("%s said no, but your score of %d is enough: it takes %d.", afterWords(said, character), score, enough)
}

// LostPatience is why a player was thrown out.
func LostPatience(character, said string) string {
	return afterWords(said, character) + " would not hear another word."
}

// SaidNo is why a player was sent away by a plain no, which ends a part; left is how many tries
// there still were, 0 where they are not counted.
func SaidNo(character, said string, left int) string {
	words := " said no, and that ends this part."
	if left > 1 {
		words = " said no, and a plain no ends this part, tries or not."
	}
	return afterWords(said, character) + words + " Other words may do better."
}

// SaidNoTooLow is why a player was sent away who came to the end with a no and too little.
func SaidNoTooLow(character, said string, score, enough int) string {
	return fmt.Sprintf("%s said no, and your score of %d is too low: it takes %d.", afterWords(said, character), score, enough)
}

// maxQuoted is how many characters of a message are quoted.
const maxQuoted = 60

// afterWords begin a sentence about what a character did upon a message: "After “let me in” Mira".
func afterWords(said, character string) string {
	letters := []rune(strings.Join(strings.Fields(said), " "))
	switch {
	case len(letters) == 0:
		return character
	case len(letters) > maxQuoted:
		letters = append(letters[:maxQuoted-1], '…')
	}
	return "After “" + string(letters) + "” " + character
}

// OutOfTries is why a player was sent away with the last try.
const OutOfTries = "You were out of tries: the last one missed too."

// ScoreFell is why a player was sent away whose score fell too low.
func ScoreFell(score int) string {
	return fmt.Sprintf("Your score fell to %d, which is too low to go on.", score)
}

// ScoreTooLow is why a player was sent away who came to the end with too little.
func ScoreTooLow(score, enough int) string {
	return fmt.Sprintf("It takes a score of %d, and yours was %d.", enough, score)
}

// Found says how many of a persona's endings a player has reached: "2 of 4 endings". all is 0
// where nobody can count them.
func Found(found, all int) string {
	switch {
	case all > 0:
		return fmt.Sprintf("%d of %d endings", found, all)
	case found == 1:
		return "1 ending"
	}
	return fmt.Sprintf("%d endings", found)
}

// FoundSoFar says it in a sentence.
func FoundSoFar(found string) string { return "You have found " + found + " so far." }

// FoundNow is the sentence about that at an ending; first says that it was reached for the
// first time. It is "" where there is nothing to collect.
func FoundNow(found, all int, first bool) string {
	switch {
	case all == 1 || found == 0:
		return ""
	case all == 0 && !first:
		return "You knew this ending."
	case all == 0:
		return fmt.Sprintf("A new ending, your number %d.", found)
	case found >= all && first:
		return fmt.Sprintf("A new ending, and the last: all %d found.", all)
	case first:
		return fmt.Sprintf("A new ending: %d of %d found.", found, all)
	}
	return fmt.Sprintf("You knew this ending: %d of %d found.", found, all)
}

// StoryGoesOn is how a story stands in a list that was begun and is not over.
const StoryGoesOn = "goes on"

// StoryEnded is how a story stands in a list that is over: "ended: You made it".
func StoryEnded(e Ending) string { return "ended: " + e.Title }

// StoryOver says that a story of so many parts is over; whole says that there was no more of it
// to be played.
func StoryOver(parts int, whole bool) string {
	switch {
	case !whole:
		return "The story ends here this time."
	case parts == 1:
		return "That was the whole story."
	}
	return "That was the last part."
}
