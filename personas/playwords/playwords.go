// Package playwords contains texts for players about endings, tries and scores. The full screen,
// line mode and the play page share these texts. Authors and programs see the terms of the
// interface (ACCEPT, redirect, machine) instead.
package playwords

import (
	"fmt"

	"github.com/parley-npc/parley/personas"
)

// Ending contains the texts for an ending. Kind is "won", "lost", or "" for an unknown outcome.
type Ending struct {
	Kind  string `json:"kind"`
	Title string `json:"title"` // sentence for the player: "You made it"
	Short string `json:"short"` // for a list: "made it"
	When  string `json:"when"`  // after "when you": "make it in"
}

const (
	Won  = "won"
	Lost = "lost"
)

// Endings returns the texts for the known outcomes. Each text fits every cause, for example leaving
// or giving up.
func Endings() map[personas.Outcome]Ending {
	return map[personas.Outcome]Ending{
		personas.Accept:  {Won, "You made it", "made it", "make it in"},
		personas.Reject:  {Lost, "You did not make it", "missed it", "do not make it in"},
		personas.KickOut: {Lost, "You went too far", "went too far", "go too far in"},
	}
}

// FindEnding returns the texts for an outcome, or "The end" for an unknown outcome.
func FindEnding(outcome personas.Outcome) Ending {
	if e, ok := Endings()[outcome]; ok {
		return e
	}
	return Ending{"", "The end", "ended", "end"}
}

// CountTries returns the number of misses left in a state, including the final reject. used and
// limit count redirects (docs/persona-file.md, "max_redirects").
func CountTries(used, limit int) int { return max(limit-used, 0) + 1 }

// TriesFormat is the format of Tries for several tries.
const TriesFormat = "%d tries left here"

// Tries returns text such as "3 tries left here" or "last try here".
func Tries(remaining int) string {
	if remaining <= 1 {
		return "last try here"
	}
	return fmt.Sprintf(TriesFormat, remaining)
}

// NewTries returns text for a new state, such as "3 tries here".
func NewTries(remaining int) string {
	if remaining <= 1 {
		return "one try here"
	}
	return fmt.Sprintf("%d tries here", remaining)
}

// NewStepTries returns text for a new step, such as "new step: 3 tries of its own".
func NewStepTries(remaining int) string {
	if remaining <= 1 {
		return "new step: one try of its own"
	}
	return fmt.Sprintf(NewStepFormat, remaining)
}

// NewStepFormat is the format of NewStepTries for several tries.
const NewStepFormat = "new step: %d tries of its own"

// TryUsed returns text for a used try, such as "that used a try, 2 left here".
func TryUsed(remaining int) string {
	if remaining <= 1 {
		return "that used a try, the last one is left"
	}
	return fmt.Sprintf(TryUsedFormat, remaining)
}

// TryUsedFormat is the format of TryUsed for several tries.
const TryUsedFormat = "that used a try, %d left here"

// TriesRule explains the tries of a part at its beginning.
func TriesRule(tries int) string {
	if tries == 1 {
		return "One: the first answer that misses counts."
	}
	return fmt.Sprintf("%d: with the last answer that misses it is over.", tries)
}

// MissRule explains the cost of a miss.
const MissRule = "An answer that misses uses a try; with the last it is over."

// FreeTalk explains free messages. FreeTalkButNo is for a state where a refusal may end the part.
const (
	FreeTalk      = "Small talk and questions cost nothing."
	FreeTalkButNo = "Small talk and questions cost nothing; a plain no can end it."
)

// Score returns text such as "2 of 3", "4: enough (it takes 3)" or "-1 (it takes 3)".
func Score(score, threshold int) string {
	switch {
	case score > threshold:
		return fmt.Sprintf("%d: enough (it takes %d)", score, threshold)
	case score < 0:
		return fmt.Sprintf("%d (it takes %d)", score, threshold)
	}
	return fmt.Sprintf("%d of %d", score, threshold)
}

// ScoreBriefly returns Score without brackets, such as "2 of 3", "4: enough" or "-1: it takes 3".
func ScoreBriefly(score, threshold int) string {
	switch {
	case score > threshold:
		return fmt.Sprintf("%d: enough", score)
	case score < 0:
		return fmt.Sprintf("%d: it takes %d", score, threshold)
	}
	return Score(score, threshold)
}

// ScoreChanged returns a sentence about a change of the score, or "" for 0.
func ScoreChanged(delta int) string {
	if delta == 0 {
		return ""
	}
	return "That was " + Change(delta) + "."
}

// ScoreRule explains the score of a part at its beginning.
func ScoreRule(threshold int) string {
	return fmt.Sprintf("What you say wins or costs points; %d by the end and you make it.", threshold)
}

// WantsMore returns a sentence about a character that asks for more at no cost.
func WantsMore(character string) string {
	return character + " wants you to say more about it; that costs you nothing."
}

// WantsMoreShort is WantsMore for narrow places.
const WantsMoreShort = "say more"

// Change returns a difference of scores such as "+2" or "−1" (with U+2212), or "" for 0.
func Change(delta int) string {
	switch {
	case delta > 0:
		return fmt.Sprintf("+%d", delta)
	case delta < 0:
		return fmt.Sprintf("−%d", -delta)
	}
	return ""
}

// WayBack returns the label of the option to replay a lost part up to a winnable state. The state
// comes last, because clipping shortens the end of a label.
func WayBack(state string, messages int) string {
	count := "1 message"
	if messages > 1 {
		count = fmt.Sprintf("%d messages", messages)
	}
	return "Back to where it turned (replays " + count + "): " + state
}

// TurnedHere returns the text shown after WayBack.
func TurnedHere(state string) string {
	return "This is where it turned: " + state + ". Go on from here."
}

// TookOtherwise returns the text shown if the replay led to another state.
func TookOtherwise(character string) string {
	return character + " took it otherwise this time: you go on from here."
}
