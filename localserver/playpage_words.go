package localserver

import (
	"strconv"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/playwords"
)

// playWords contains the texts of package playwords for the page's script. The script replaces the
// placeholders %score, %enough, %found, %all, %said, %title and %n in them.
type playWords struct {
	Endings map[personas.Outcome]playwords.Ending `json:"endings"`
	Tries   playTries                             `json:"tries"`
	Score   playScore                             `json:"score"`
	Why     playWhy                               `json:"why"`
	Found   playFound                             `json:"found"`
	Back    playBack                              `json:"back"`
	Opened  map[string]string                     `json:"opened"` // by kind of ending
	Over    playOver                              `json:"over"`
}

// playTries contains the texts about tries, with %d for the number of tries. ButNo is Free for a machine that
// a refusal may lose.
type playTries struct {
	Left     string `json:"left"`
	Last     string `json:"last"`
	Free     string `json:"free"`
	ButNo    string `json:"but_no"`
	Used     string `json:"used"`
	UsedLast string `json:"used_last"`
	Step     string `json:"step"`
	StepOne  string `json:"step_one"`
	Rule     string `json:"rule"`
}

// playScore contains the texts about a score, for a score up to the required one, above it, and
// below 0.
type playScore struct {
	Within string `json:"within"`
	Beyond string `json:"beyond"`
	Below  string `json:"below"`
}

// playWhy contains the reasons why a machine was won or lost. NoTries is for a rejection although tries were
// left, and MissedCost for a miss that cost %n points.
type playWhy struct {
	SaidYes    string `json:"said_yes"`
	Reached    string `json:"reached"`
	YetReached string `json:"yet_reached"`
	ThrownOut  string `json:"thrown_out"`
	EndedByNo  string `json:"ended_by_no"`
	NoTries    string `json:"no_tries"`
	MissedLow  string `json:"missed_low"`
	MissedCost string `json:"missed_cost"`
	OutOfTries string `json:"out_of_tries"`
	Fell       string `json:"fell"`
	TooLow     string `json:"too_low"`
}

// playFound contains the sentences about the number of endings found: after a new ending, after the last one,
// after a known one, and the number alone.
type playFound struct {
	New   string `json:"new"`
	Last  string `json:"last"`
	Known string `json:"known"`
	Count string `json:"count"`
}

// playBack contains the sentences about going back: over one message, over several messages, and at
// the end.
type playBack struct {
	One       string `json:"one"`
	Many      string `json:"many"`
	Here      string `json:"here"`
	Otherwise string `json:"otherwise"`
}

// playOver contains the sentences at the end of the story: with one part, with several parts, and
// if not all parts were played.
type playOver struct {
	Whole string `json:"whole"`
	Last  string `json:"last"`
	Lost  string `json:"lost"`
}

// Sample numbers. In the texts, newPlayWords replaces them by placeholders.
const (
	sampleLow    = 111111
	sampleEnough = 222222
	sampleHigh   = 333333
	sampleCost   = 444444
)

func newPlayWords(character string) playWords {
	scores := strings.NewReplacer(strconv.Itoa(-sampleLow), "%score", strconv.Itoa(sampleLow), "%score", strconv.Itoa(sampleHigh), "%score", strconv.Itoa(sampleEnough), "%enough")
	counts := strings.NewReplacer(strconv.Itoa(sampleLow), "%found", strconv.Itoa(sampleEnough), "%all", strconv.Itoa(sampleHigh), "%n")
	return playWords{
		Endings: playwords.Endings(),
		Tries: playTries{
			playwords.TriesFormat, playwords.Tries(1), playwords.FreeTalk, playwords.FreeTalkButNo, playwords.TryUsedFormat, playwords.TryUsed(1),
			playwords.NewStepFormat, playwords.NewStepTries(1), playwords.MissRule,
		},
		Score: playScore{
			scores.Replace(playwords.Score(sampleLow, sampleEnough)), scores.Replace(playwords.Score(sampleHigh, sampleEnough)),
			scores.Replace(playwords.Score(-sampleLow, sampleEnough)),
		},
		Why: playWhy{
			playwords.SaidYes(character, "%said"), scores.Replace(playwords.ScoreReached(character, "%said", sampleLow, sampleEnough)),
			scores.Replace(playwords.SaidNoYetReached(character, "%said", sampleLow, sampleEnough)),
			playwords.WentTooFar(character, "%said"), playwords.EndedByNo("%said", 0), playwords.EndedByNo("%said", sampleHigh),
			scores.Replace(playwords.MissedTooLow("%said", 0, sampleLow, sampleEnough)),
			strings.Replace(scores.Replace(playwords.MissedTooLow("%said", -sampleCost, sampleLow, sampleEnough)), strconv.Itoa(sampleCost), "%n", 1), playwords.OutOfTries("%said"),
			scores.Replace(playwords.ScoreFell("%said", -sampleLow)), scores.Replace(playwords.ScoreTooLow("%said", sampleLow, sampleEnough)),
		},
		Found: playFound{
			counts.Replace(playwords.FoundNow(sampleLow, sampleEnough, true)), counts.Replace(playwords.FoundNow(sampleEnough, sampleEnough, true)),
			counts.Replace(playwords.FoundNow(sampleLow, sampleEnough, false)), counts.Replace(playwords.Found(sampleLow, sampleEnough)),
		},
		Back: playBack{
			playwords.WayBack("%title", 1), counts.Replace(playwords.WayBack("%title", sampleHigh)),
			playwords.TurnedHere("%title"), playwords.TookOtherwise(character),
		},
		Opened: map[string]string{
			playwords.Won: playwords.Opened(playwords.Won, []string{"%title"}), playwords.Lost: playwords.Opened(playwords.Lost, []string{"%title"}),
		},
		Over: playOver{playwords.StoryOver(1, true), playwords.StoryOver(2, true), playwords.StoryOver(1, false)},
	}
}
