package playwords

import (
	"fmt"
	"strings"

	"github.com/parley-npc/parley/personas"
)

// SaidYes explains a win without a score.
func SaidYes(character, message string) string {
	return Quote(message) + " won " + character + " over."
}

// ScoreReached explains a win by score.
func ScoreReached(character, message string, score, threshold int) string {
	return fmt.Sprintf("%s won %s over. Your score of %d is enough: it takes %d.",
		Quote(message), character, score, threshold)
}

// SaidNoYetReached explains a win by score although the last answer was a no.
func SaidNoYetReached(character, message string, score, threshold int) string {
	return fmt.Sprintf("%s did not win %s over, but your score of %d is enough: it takes %d.",
		Quote(message), character, score, threshold)
}

// WentTooFar explains a part that ended at once.
func WentTooFar(character, message string) string {
	return Quote(message) + " went too far for " + character + ": that ends a part at once."
}

// EndedByNo explains the end of a part by a refusal or by giving up. remaining is the number of tries
// left, or 0 if tries are not counted.
func EndedByNo(message string, remaining int) string {
	words := " ended this part."
	if remaining > 1 {
		words = " ended this part at once, tries or not."
	}
	return Quote(message) + words + " Other words may do better."
}

// MissedTooLow explains a loss by a low score after a miss. delta is the change of the score by the
// miss.
func MissedTooLow(message string, delta, score, threshold int) string {
	cost := "missed"
	if delta < 0 {
		cost = fmt.Sprintf("missed and cost you %d", -delta)
	}
	return fmt.Sprintf("%s %s: your score of %d is too low, it takes %d.", Quote(message), cost, score, threshold)
}

const maxQuoted = 60

// Quote returns a message in quotation marks, shortened to 60 characters. An empty message becomes
// "What you said last".
func Quote(message string) string {
	letters := []rune(strings.Join(strings.Fields(message), " "))
	switch {
	case len(letters) == 0:
		return "What you said last"
	case len(letters) > maxQuoted:
		letters = append(letters[:maxQuoted-1], '…')
	}
	return "“" + string(letters) + "”"
}

// OutOfTries explains a loss by the last try.
func OutOfTries(message string) string {
	return Quote(message) + " missed too, and you were out of tries."
}

// ScoreFell explains a loss by a score that fell too low.
func ScoreFell(message string, score int) string {
	return fmt.Sprintf("%s missed. Your score fell to %d, which is too low to go on.", Quote(message), score)
}

// ScoreTooLow explains a loss by score although the last message was not a miss.
func ScoreTooLow(message string, score, threshold int) string {
	return fmt.Sprintf("%s did well. It takes a score of %d, and yours was %d.", Quote(message), threshold, score)
}

func Meaning(decision personas.Decision) string {
	return map[personas.Decision]string{
		personas.DecidePass: "the right answer", personas.DecideRedirect: "a miss", personas.DecideReject: "a no",
		personas.DecideKickOut: "going too far", personas.AsideName: "small talk",
	}[decision]
}

// NearlyTaken returns a sentence about a decision that was nearly made, or "" for a decision hidden
// from players. share is the probability from 0 to 1.
func NearlyTaken(decision personas.Decision, share float64) string {
	meaning := Meaning(decision)
	if meaning == "" {
		return ""
	}
	return fmt.Sprintf("It was nearly taken as %s (%.0f %%).", meaning, 100*share)
}

// TakeBackHint names the command that takes back the last message of an ended part.
const TakeBackHint = "/undo takes your last words back."

// TakeBack returns the label of the option to take back a message.
func TakeBack(message string) string { return "Take back " + Quote(message) }

// Opened returns a sentence about the parts opened by an ending. After a loss, the sentence sounds
// neutral.
func Opened(kind string, titles []string) string {
	switch {
	case len(titles) == 0:
		return ""
	case kind == Lost:
		return "The story goes on with " + joinAnd(titles) + "."
	}
	return "This opens " + joinAnd(titles) + "."
}

func joinAnd(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}

// Found returns text such as "2 of 4 endings". all is 0 if the total is unknown.
func Found(count, all int) string {
	switch {
	case all > 0:
		return fmt.Sprintf("%d of %d endings", count, all)
	case count == 1:
		return "1 ending"
	}
	return fmt.Sprintf("%d endings", count)
}

// FoundSoFar returns a sentence with the result of Found.
func FoundSoFar(words string) string { return "You have found " + words + " so far." }

// FoundNow returns a sentence about the number of endings found. first is set for a new ending. The
// result is "" if only one ending exists or none was found.
func FoundNow(count, all int, first bool) string {
	switch {
	case all == 1 || count == 0:
		return ""
	case all == 0 && !first:
		return "You knew this ending."
	case all == 0:
		return fmt.Sprintf("A new ending, your number %d.", count)
	case count >= all && first:
		return fmt.Sprintf("A new ending, and the last: all %d found.", all)
	case first:
		return fmt.Sprintf("A new ending: %d of %d found.", count, all)
	}
	return fmt.Sprintf("You knew this ending: %d of %d found.", count, all)
}

// StillToFind returns a hint about the endings not found, or "" for none. win and lose count
// endings in this part, and elsewhere counts endings in other parts.
func StillToFind(win, lose, elsewhere int) string {
	var results []string
	if win > 0 {
		results = append(results, fmt.Sprintf("%d to win", win))
	}
	if lose > 0 {
		results = append(results, fmt.Sprintf("%d to lose", lose))
	}
	var places []string
	if len(results) > 0 {
		places = append(places, strings.Join(results, ", ")+" here")
	}
	if elsewhere > 0 {
		places = append(places, fmt.Sprintf("%d elsewhere", elsewhere))
	}
	if len(places) == 0 {
		return ""
	}
	return "To find: " + strings.Join(places, ", ") + "."
}

// StoryGoesOn describes an unfinished story in a list.
const StoryGoesOn = "goes on"

// StoryEnded describes a finished story in a list, such as "ended: You made it".
func StoryEnded(e Ending) string { return "ended: " + e.Title }

// StoryOver returns a sentence about the end of a story. complete is set if all parts were played.
func StoryOver(parts int, complete bool) string {
	switch {
	case !complete:
		return "The story ends here this time."
	case parts == 1:
		return "That was the whole story."
	}
	return "That was the last part."
}
