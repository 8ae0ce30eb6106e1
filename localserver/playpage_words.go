package localserver

import (
	"strconv"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/playwords"
)

// playWords contains the texts of package playwords for the page's script. The names of the texts
// are those in the script. The script replaces the placeholders %score, %enough, %found, %all,
// %said, %title, %n and %d.
type playWords struct {
	Endings map[personas.Outcome]playwords.Ending `json:"endings"`
	Tries   map[string]string                     `json:"tries"`
	Score   map[string]string                     `json:"score"`
	Why     map[string]string                     `json:"why"`
	Found   map[string]string                     `json:"found"`
	Back    map[string]string                     `json:"back"`
	Opened  map[string]string                     `json:"opened"`
	Over    map[string]string                     `json:"over"`
}

// Sample numbers for the texts. newPlayWords replaces these numbers by placeholders.
const (
	sampleLow    = 111111
	sampleEnough = 222222
	sampleHigh   = 333333
	sampleCost   = 444444
)

func newPlayWords(character string) playWords {
	scores := strings.NewReplacer(strconv.Itoa(-sampleLow), "%score", strconv.Itoa(sampleLow), "%score", strconv.Itoa(sampleHigh), "%score",
		strconv.Itoa(sampleEnough), "%enough", strconv.Itoa(sampleCost), "%n").Replace
	counts := strings.NewReplacer(strconv.Itoa(sampleLow), "%found", strconv.Itoa(sampleEnough), "%all", strconv.Itoa(sampleHigh), "%n").Replace
	return playWords{
		Endings: playwords.Endings(),
		Tries: map[string]string{
			"left": playwords.TriesFormat, "last": playwords.Tries(1), "free": playwords.FreeTalk, "but_no": playwords.FreeTalkButNo,
			"used": playwords.TryUsedFormat, "used_last": playwords.TryUsed(1), "step": playwords.NewStepFormat, "step_one": playwords.NewStepTries(1),
			"rule": playwords.MissRule,
		},
		Score: map[string]string{
			"within": scores(playwords.Score(sampleLow, sampleEnough)),
			"beyond": scores(playwords.Score(sampleHigh, sampleEnough)),
			"below":  scores(playwords.Score(-sampleLow, sampleEnough)),
		},
		Why: map[string]string{
			"said_yes":     playwords.SaidYes(character, "%said"),
			"reached":      scores(playwords.ScoreReached(character, "%said", sampleLow, sampleEnough)),
			"yet_reached":  scores(playwords.SaidNoYetReached(character, "%said", sampleLow, sampleEnough)),
			"thrown_out":   playwords.WentTooFar(character, "%said"),
			"ended_by_no":  playwords.EndedByNo("%said", 0),
			"no_tries":     playwords.EndedByNo("%said", sampleHigh),
			"missed_low":   scores(playwords.MissedTooLow("%said", 0, sampleLow, sampleEnough)),
			"missed_cost":  scores(playwords.MissedTooLow("%said", -sampleCost, sampleLow, sampleEnough)),
			"out_of_tries": playwords.OutOfTries("%said"),
			"fell":         scores(playwords.ScoreFell("%said", -sampleLow)),
			"too_low":      scores(playwords.ScoreTooLow("%said", sampleLow, sampleEnough)),
		},
		Found: map[string]string{
			"new":   counts(playwords.FoundNow(sampleLow, sampleEnough, true)),
			"last":  counts(playwords.FoundNow(sampleEnough, sampleEnough, true)),
			"known": counts(playwords.FoundNow(sampleLow, sampleEnough, false)),
			"count": counts(playwords.Found(sampleLow, sampleEnough)),
		},
		Back: map[string]string{
			"one": playwords.WayBack("%title", 1), "many": counts(playwords.WayBack("%title", sampleHigh)),
			"here": playwords.TurnedHere("%title"), "otherwise": playwords.TookOtherwise(character),
		},
		Opened: map[string]string{
			playwords.Won: playwords.Opened(playwords.Won, []string{"%title"}), playwords.Lost: playwords.Opened(playwords.Lost, []string{"%title"}),
		},
		Over: map[string]string{"whole": playwords.StoryOver(1, true), "last": playwords.StoryOver(2, true), "lost": playwords.StoryOver(1, false)},
	}
}
