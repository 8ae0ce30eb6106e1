package offline

import (
	"math"
	"regexp"
	"strings"

	"github.com/parley-npc/parley/personas/nlu"
)

// interval are the numbers of which a criterion speaks: "forty or more".
type interval struct{ least, most float64 }

func (i interval) hasNumber(n float64) bool { return n >= i.least && n <= i.most }

// A number in a criterion, in figures or words, perhaps with what it counts behind it.
const (
	numberWord = `(?:\d[\d.]*k?|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|` +
		`twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|dozen)`
	number  = `(` + numberWord + `(?:[ -](?:and )?` + numberWord + `)*)`
	counted = `(?: [a-z]+){0,2}`
)

var (
	betweenNumbers = regexp.MustCompile(`\b` + number + `(?: to | and |-)` + number + `\b`)
	leastBefore    = regexp.MustCompile(`\b(?:at least|no less than|not less than|a minimum of|more than|over|above)(?: the)? ` + number + `\b`)
	leastBehind    = regexp.MustCompile(`\b` + number + counted + ` (?:or|and) (?:more|above|higher|up|over|better)\b`)
	mostBefore     = regexp.MustCompile(`\b(?:less than|fewer than|under|below|at most|no more than|not more than|up to)(?: the)? ` + number + `\b`)
	mostBehind     = regexp.MustCompile(`\b` + number + counted + ` or (?:less|fewer|below|under|lower)\b`)
)

// listIntervals returns the intervals that a criterion names.
func listIntervals(x *nlu.Lexicon, text string) []interval {
	text = strings.ToLower(text)
	var out []interval
	add := func(found *regexp.Regexp, of func(numbers []float64) interval) {
		for _, m := range found.FindAllStringSubmatch(text, -1) {
			if n := x.Numbers(strings.Join(m[1:], ", ")); len(n) == len(m)-1 {
				out = append(out, of(n))
			}
		}
	}
	add(betweenNumbers, func(n []float64) interval { return interval{n[0], n[1]} })
	atLeast := func(n []float64) interval { return interval{n[0], math.Inf(1)} }
	add(leastBefore, atLeast)
	add(leastBehind, atLeast)
	atMost := func(n []float64) interval { return interval{math.Inf(-1), n[0]} }
	add(mostBefore, atMost)
	add(mostBehind, atMost)
	return out
}

// compareNumbers says of a choice with intervals whether one of the message's numbers
// lies in one of them.
func compareNumbers(intervals []interval, numbers []float64) (within, outside bool) {
	if len(intervals) == 0 || len(numbers) == 0 {
		return false, false
	}
	for _, i := range intervals {
		for _, n := range numbers {
			within = within || i.hasNumber(n)
		}
	}
	return within, !within
}
