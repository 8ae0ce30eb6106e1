// Package playwords contains the wording for players: how a part ended, how many tries are left,
// and the score. The screen, line mode and the play page use the same words because they all call
// it. Authors and programs read the terms of the interface (ACCEPT, redirect, machine) instead.
package playwords

import (
	"fmt"

	"github.com/parley-npc/parley/personas"
)

// Ending is the wording of an ending. Kind is "won", "lost", or "" for an outcome that the
// interface does not define.
type Ending struct {
	Kind  string `json:"kind"`
	Title string `json:"title"` // said to the player: "You made it"
	Short string `json:"short"` // in a list: "made it"
	When  string `json:"when"`  // behind "when you": "make it in"
}

// The kinds of endings.
const (
	Won  = "won"
	Lost = "lost"
)

// Endings are the words for the interface's outcomes. They are true for any cause: the player may
// have left by herself, or have given up.
func Endings() map[personas.Outcome]Ending {
	return map[personas.Outcome]Ending{
		personas.Accept:  {Won, "You made it", "made it", "make it in"},
		personas.Reject:  {Lost, "You did not make it", "missed it", "do not make it in"},
		personas.KickOut: {Lost, "You went too far", "went too far", "go too far in"},
	}
}

// FindEnding are the words of an outcome; one that the interface does not have is "The end".
func FindEnding(outcome personas.Outcome) Ending {
	if e, known := Endings()[outcome]; known {
		return e
	}
	return Ending{"", "The end", "ended", "end"}
}

// CountTries returns how many more misses a player has in a state, including the one that counts
// against him: one more than the redirects left, because the redirect beyond the limit is the
// reject (persona-file, "max_redirects"). used and most are redirects.
func CountTries(used, most int) int { return max(most-used, 0) + 1 }

// TriesFormat is how several tries read.
const TriesFormat = "%d tries left here"

// Tries returns how many tries are left: "3 tries left here", "last try here". Each state has a
// separate count.
func Tries(left int) string {
	if left <= 1 {
		return "last try here"
	}
	return fmt.Sprintf(TriesFormat, left)
}

// NewTries returns the number of tries in a state that has just begun: "3 tries here".
func NewTries(left int) string {
	if left <= 1 {
		return "one try here"
	}
	return fmt.Sprintf("%d tries here", left)
}

// NewStepTries returns the sentence that a turn has led to another step, with a new number of
// tries.
func NewStepTries(left int) string {
	if left <= 1 {
		return "new step: one try of its own"
	}
	return fmt.Sprintf(NewStepFormat, left)
}

// NewStepFormat is how several tries of a new step read.
const NewStepFormat = "new step: %d tries of its own"

// TryUsed returns at the turn that used a try up that it did, and how many are left.
func TryUsed(left int) string {
	if left <= 1 {
		return "that used a try, the last one is left"
	}
	return fmt.Sprintf(TryUsedFormat, left)
}

// TryUsedFormat is the sentence if several tries are left.
const TryUsedFormat = "that used a try, %d left here"

// TriesRule explains the tries of a part at its beginning.
func TriesRule(tries int) string {
	if tries == 1 {
		return "One: the first answer that misses counts."
	}
	return fmt.Sprintf("%d: with the last answer that misses it is over.", tries)
}

// MissRule explains what uses up a try; it is shown once, with the first tries.
const MissRule = "An answer that misses uses a try; with the last it is over."

// FreeTalk explains what is free, and what costs all tries.
const FreeTalk = "Small talk and questions cost nothing; a plain no can end it."

// Score shows a score and the required one: "2 of 3"; a score above it or below 0 is not "of" it:
// "4: enough (it takes 3)", "-1 (it takes 3)".
func Score(score, enough int) string {
	switch {
	case score > enough:
		return fmt.Sprintf("%d: enough (it takes %d)", score, enough)
	case score < 0:
		return fmt.Sprintf("%d (it takes %d)", score, enough)
	}
	return fmt.Sprintf("%d of %d", score, enough)
}

// ScoreBriefly is the same in brackets: "2 of 3", "4: enough", "-1: it takes 3".
func ScoreBriefly(score, enough int) string {
	switch {
	case score > enough:
		return fmt.Sprintf("%d: enough", score)
	case score < 0:
		return fmt.Sprintf("%d: it takes %d", score, enough)
	}
	return Score(score, enough)
}

// ScoreChanged returns the change of a score by the last turn; "" for 0.
func ScoreChanged(by int) string {
	if by == 0 {
		return ""
	}
	return "That was " + Change(by) + "."
}

// ScoreRule explains the score of a part at its beginning.
func ScoreRule(enough int) string {
	return fmt.Sprintf("What you say wins or costs points; %d by the end and you make it.", enough)
}

// WantsMore returns the sentence that a character has not heard enough to decide, and the cost of
// that.
func WantsMore(character string) string {
	return character + " wants you to say more about it; that costs you nothing."
}

// WantsMoreShort is the short form for narrow places.
const WantsMoreShort = "say more"

// Change is a difference of scores: "+2", "−1" with a true minus sign, "" for none.
func Change(by int) string {
	switch {
	case by > 0:
		return fmt.Sprintf("+%d", by)
	case by < 0:
		return fmt.Sprintf("−%d", -by)
	}
	return ""
}
