package playwords

import (
	"fmt"
	"strings"

	"github.com/parley-npc/parley/personas"
)

// Sentences that explain why a part ended. The parameter character is the character's name. said is
// the player's last message, or "" if it is unknown.

// SaidYes explains that a part without a score was won.
func SaidYes(character, said string) string {
	return Quote(said) + " won " + character + " over."
}

// ScoreReached explains that a part with a score was won.
func ScoreReached(character, said string, score, enough int) string {
	return fmt.Sprintf("%s won %s over. Your score of %d is enough: it takes %d.", Quote(said), character, score, enough)
}

// SaidNoYetReached explains that a part with a score was won although the last answer was a no.
func SaidNoYetReached(character, said string, score, enough int) string {
	return fmt.Sprintf("%s did not win %s over, but your score of %d is enough: it takes %d.", Quote(said), character, score, enough)
}

// WentTooFar explains that a part ended at once.
func WentTooFar(character, said string) string {
	return Quote(said) + " went too far for " + character + ": that ends a part at once."
}

// EndedByNo explains that a part ended because the character refused or the player gave up. left is
// the number of tries left, or 0 if tries are not counted.
func EndedByNo(said string, left int) string {
	words := " ended this part."
	if left > 1 {
		words = " ended this part at once, tries or not."
	}
	return Quote(said) + words + " Other words may do better."
}

// MissedTooLow explains that a part was lost because the score was too low after the last miss.
// delta is the change of the score by that miss.
func MissedTooLow(said string, delta, score, enough int) string {
	cost := "missed"
	if delta < 0 {
		cost = fmt.Sprintf("missed and cost you %d", -delta)
	}
	return fmt.Sprintf("%s %s: your score of %d is too low, it takes %d.", Quote(said), cost, score, enough)
}

const maxQuoted = 60

// Quote returns a message in quotation marks, shortened if it is long, such as "“let me in”". It
// returns "What you said last" if the message is unknown.
func Quote(said string) string {
	letters := []rune(strings.Join(strings.Fields(said), " "))
	switch {
	case len(letters) == 0:
		return "What you said last"
	case len(letters) > maxQuoted:
		letters = append(letters[:maxQuoted-1], '…')
	}
	return "“" + string(letters) + "”"
}

// OutOfTries explains that the player lost a machine because the last try failed.
func OutOfTries(said string) string {
	return Quote(said) + " missed too, and you were out of tries."
}

// ScoreFell explains that a part was lost because its score fell too low.
func ScoreFell(said string, score int) string {
	return fmt.Sprintf("%s missed. Your score fell to %d, which is too low to go on.", Quote(said), score)
}

// ScoreTooLow explains that a part ended with too low a score although the last message was not a
// miss.
func ScoreTooLow(said string, score, enough int) string {
	return fmt.Sprintf("%s did well. It takes a score of %d, and yours was %d.", Quote(said), enough, score)
}

func Meaning(decision personas.Decision) string {
	return map[personas.Decision]string{
		personas.DecidePass: "the right answer", personas.DecideRedirect: "a miss", personas.DecideReject: "a no",
		personas.DecideKickOut: "going too far", personas.AsideName: "small talk",
	}[decision]
}

// NearlyTaken returns a sentence about a decision that was nearly made instead of the one that
// ended the part. The sentence follows the reason of the ending. share is the probability of the
// decision. It returns "" for a decision that is not shown to players.
func NearlyTaken(decision personas.Decision, share float64) string {
	meaning := Meaning(decision)
	if meaning == "" {
		return ""
	}
	return fmt.Sprintf("It was nearly taken as %s (%.0f %%).", meaning, 100*share)
}

// TakeBackHint is a text with the command that takes back the last message of an ended part.
const TakeBackHint = "/undo takes your last words back."

// TakeBack returns the label of the option to take back the last message.
func TakeBack(said string) string { return "Take back " + Quote(said) }

// Opened returns a sentence about the parts that an ending has opened. After a lost part the
// sentence does not sound like a reward.
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

// Found returns the number of a persona's endings that a player has reached, such as "2 of 4
// endings". all is 0 if the total is unknown.
func Found(found, all int) string {
	switch {
	case all > 0:
		return fmt.Sprintf("%d of %d endings", found, all)
	case found == 1:
		return "1 ending"
	}
	return fmt.Sprintf("%d endings", found)
}

// FoundSoFar returns a sentence with the result of Found.
func FoundSoFar(found string) string { return "You have found " + found + " so far." }

// FoundNow returns a sentence for an ending about the number of endings found. first is set if this
// ending was reached for the first time. It returns "" if only one ending exists or none was found.
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

// StillToFind returns a hint about the endings that were not found. win and lose are the numbers of
// these endings in this part, and elsewhere is the number in other parts. It returns "" if all
// three are 0.
func StillToFind(win, lose, elsewhere int) string {
	var ways []string
	if win > 0 {
		ways = append(ways, fmt.Sprintf("%d to win", win))
	}
	if lose > 0 {
		ways = append(ways, fmt.Sprintf("%d to lose", lose))
	}
	var places []string
	if len(ways) > 0 {
		places = append(places, strings.Join(ways, ", ")+" here")
	}
	if elsewhere > 0 {
		places = append(places, fmt.Sprintf("%d elsewhere", elsewhere))
	}
	if len(places) == 0 {
		return ""
	}
	return "To find: " + strings.Join(places, ", ") + "."
}

// StoryGoesOn describes, in a list, a story that was started and has not ended.
const StoryGoesOn = "goes on"

// StoryEnded returns the description, in a list, of a story that has ended, such as "ended: You
// made it".
func StoryEnded(e Ending) string { return "ended: " + e.Title }

// StoryOver returns a sentence saying that a story with a number of parts is over. complete is set
// if all of the story was played.
func StoryOver(parts int, complete bool) string {
	switch {
	case !complete:
		return "The story ends here this time."
	case parts == 1:
		return "That was the whole story."
	}
	return "That was the last part."
}
