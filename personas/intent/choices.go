package intent

import (
	"cmp"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
)

type choice struct {
	kind     kind
	decision string
	target   string
	loses    bool
	rows     []int
	examples []*personas.Example
	criteria []string

	// prepareState sets these.
	texts     int // examples, and for the aside also questions with an answer
	intervals []interval
	attacks   bool            // an example is hostile, in a language other than English
	marked    map[string]bool // words only in the examples of this pass, or nil
	unmarked  int             // index of the pass to the same state without marked words
}

const maxRows, maxChoices = 2000, 100

// listChoices returns a choice for each pass with examples or a condition. Other transitions with
// the same decision share a choice. The last choice is the aside.
func listChoices(place *Place) []choice {
	var out []choice
	for _, row := range place.Outgoing[:min(len(place.Outgoing), maxRows)] {
		if row >= 0 && row < len(place.Machine.Transitions) {
			out = addTransition(out, place.Machine, row)
		}
	}
	for k := range aside {
		out = addState(out, place.State, k)
	}
	return append(out, choice{kind: aside, decision: personas.AsideName})
}

func addTransition(out []choice, m *personas.Machine, row int) []choice {
	t := &m.Transitions[row]
	var examples []personas.Example
	if t.Offline != nil {
		examples = t.Offline.Examples
	}
	isOwn := t.Decision == personas.DecidePass && (t.Condition != "" || len(examples) > 0)
	index := slices.IndexFunc(out, func(c choice) bool { return c.decision == string(t.Decision) && !isOwn })
	if index < 0 {
		if index = len(out); index == maxChoices {
			return out
		}
		kind := kind(slices.Index(kindNames[:], string(t.Decision)))
		out = append(out, choice{kind: kind, decision: string(t.Decision), target: t.To, loses: m.IsLosingPass(t)})
	}
	out[index].rows = append(out[index].rows, row)
	out[index].add(examples, t.Condition)
	return out
}

func addState(out []choice, s *personas.State, kind kind) []choice {
	var examples []personas.Example
	if s.Offline != nil {
		examples = s.Offline.Examples.Of(kindNames[kind])
	}
	criterion := s.Criteria.Of(kindNames[kind])
	isKind := func(c choice) bool { return c.kind == kind }
	hasTexts := len(examples) > 0 || criterion != ""
	// A redirect needs no transition, and a follow-up never has one.
	if (kind == redirect || kind == followUp && hasTexts) && !slices.ContainsFunc(out, isKind) {
		out = append(out, choice{kind: kind, decision: kindNames[kind]})
	}
	for i := range out {
		if out[i].kind == kind {
			out[i].add(examples, criterion)
		}
	}
	return out
}

func (c *choice) add(examples []personas.Example, criterion string) {
	for i := range examples {
		c.examples = append(c.examples, &examples[i])
	}
	if criterion != "" {
		c.criteria = append(c.criteria, criterion)
	}
}

func splitAlternatives(text string) []string {
	var out, clause []string
	flush := func() {
		if len(clause) > 0 {
			out = append(out, strings.Join(clause, " "))
		}
		clause = nil
	}
	for w := range strings.FieldsSeq(text) {
		trimmed := strings.ToLower(strings.Trim(w, ".,;:!?()\"'"))
		switch trimmed {
		case "or", "oder", "o", "ou":
			flush()
			continue
		}
		if !lists().Reporting[trimmed] {
			clause = append(clause, w)
		}
		if strings.ContainsAny(w[len(w)-1:], ".,;:!?") {
			flush()
		}
	}
	flush()
	return out
}

type interval struct{ low, high float64 }

const (
	numberPattern = `(?:\d[\d.]*k?|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|` +
		`thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|` +
		`twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|dozen)`
	number  = `(` + numberPattern + `(?:[ -](?:and )?` + numberPattern + `)*)`
	counted = `(?: [a-z]+){0,2}`
)

var intervalPatterns = []struct {
	pattern         func() *regexp.Regexp
	hasLow, hasHigh bool
}{
	{plaintext.Pattern(`\b` + number + `(?: to | and |-)` + number + `\b`), true, true},
	{plaintext.Pattern(`\b(?:at least|no less than|not less than|a minimum of|more than|over|above)(?: the)? ` + number + `\b`), true, false},
	{plaintext.Pattern(`\b` + number + counted + ` (?:or|and) (?:more|above|higher|up|over|better)\b`), true, false},
	{plaintext.Pattern(`\b(?:less than|fewer than|under|below|at most|no more than|not more than|up to)(?: the)? ` + number + `\b`), false, true},
	{plaintext.Pattern(`\b` + number + counted + ` or (?:less|fewer|below|under|lower)\b`), false, true},
}

func listIntervals(x *Lexicon, text string) []interval {
	var out []interval
	for _, p := range intervalPatterns {
		for _, m := range p.pattern().FindAllStringSubmatch(strings.ToLower(text), -1) {
			n := x.Numbers(strings.Join(m[1:], ", "))
			if len(n) != len(m)-1 {
				continue
			}
			i := interval{math.Inf(-1), math.Inf(1)}
			if p.hasLow {
				i.low = n[0]
			}
			if p.hasHigh {
				i.high = n[len(n)-1]
			}
			out = append(out, i)
		}
	}
	return out
}

func compareNumbers(intervals []interval, numbers []float64) (within, outside bool) {
	if len(intervals) == 0 || len(numbers) == 0 {
		return false, false
	}
	for _, i := range intervals {
		for _, n := range numbers {
			within = within || n >= i.low && n <= i.high
		}
	}
	return within, !within
}

const minMarked, minMarkSize = 2, 5

// findMarks finds words that only one of two passes to the same state has. A café may give a point
// more for an order with "merci".
func findMarks(choices []choice) {
	for k := range choices {
		for j := range choices {
			a, b := &choices[k], &choices[j]
			if k != j && a.kind == pass && b.kind == pass && a.target == b.target {
				if words := distinguishingWords(a, b); words != nil {
					a.marked, a.unmarked = words, j
				}
			}
		}
	}
}

func distinguishingWords(a, b *choice) map[string]bool {
	examplesWith := make(map[string]map[int]bool)
	for i, e := range a.examples {
		for _, w := range Words(e.Say) {
			if examplesWith[w] == nil {
				examplesWith[w] = make(map[int]bool)
			}
			examplesWith[w][i] = true
		}
	}
	for _, e := range b.examples {
		for _, w := range Words(e.Say) {
			delete(examplesWith, w)
		}
	}
	words := slices.SortedFunc(maps.Keys(examplesWith), func(v, w string) int {
		byCount := cmp.Compare(len(examplesWith[w]), len(examplesWith[v]))
		return cmp.Or(byCount, cmp.Compare(len(w), len(v)), cmp.Compare(v, w))
	})
	out, covered := make(map[string]bool), make(map[int]bool)
	for _, w := range words {
		before := len(covered)
		if len(examplesWith[w]) >= minMarked {
			maps.Copy(covered, examplesWith[w])
		}
		if len(covered) > before {
			out[w] = true
		}
	}
	if len(covered) == 0 || len(covered) < len(a.examples) {
		return nil
	}
	return out
}

// chooseMarked prefers the pass with the marks of the message. A mark may be misspelled ("plais")
// or joined with its neighbours ("silvouplait").
func (m *measurement) chooseMarked(k int) int {
	for marked := range m.state.choices {
		c := &m.state.choices[marked]
		if c.marked == nil || k != marked && k != c.unmarked {
			continue
		}
		for _, word := range Words(m.text) {
			for mark := range c.marked {
				if word == mark || len(mark) >= minMarkSize && (strings.Contains(word, mark) || isNear(word, mark)) {
					return marked
				}
			}
		}
		return c.unmarked
	}
	return k
}

var units = map[string]float64{
	"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
	"ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
	"seventeen": 17, "eighteen": 18, "nineteen": 19,
	"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}

var scales = map[string]float64{"hundred": 100, "thousand": 1000, "grand": 1000, "k": 1000, "million": 1e6, "dozen": 12}

// Numbers returns the numbers in a text, written in digits or English words.
func (x *Lexicon) Numbers(text string) []float64 { return x.Read(text).Numbers() }

// Numbers returns the numbers in the text, written in digits or English words.
func (r *Reading) Numbers() []float64 {
	var out []float64
	var total, part float64
	open := false
	flush := func() {
		if open {
			out = append(out, total+part)
		}
		total, part, open = 0, 0, false
	}
	ts := r.unsplit.tokens
	for i, t := range ts {
		n, isUnit := units[t.text]
		if f, scale, ok := figure(t.text); ok {
			n, isUnit = f*scale, true
		}
		scale, isScale := scales[t.text]
		switch {
		case isUnit && t.text == "one" && !open && !(i+1 < len(ts) && scales[ts[i+1].text] > 0):
		case isUnit:
			part += n
			open = true
		case isScale && open && scale >= 1000:
			total, part = total+max(part, 1)*scale, 0
		case isScale && open:
			part = max(part, 1) * scale
		case isScale && i > 0 && (ts[i-1].text == "a" || ts[i-1].text == "one"):
			part, open = scale, true
			if scale >= 1000 {
				total, part = scale, 0
			}
		case open && t.text == "and", open && t.text == "a":
		case open && t.text == "half":
			part += 0.5
		default:
			flush()
		}
	}
	flush()
	return out
}

func figure(word string) (n, scale float64, ok bool) {
	scale = 1
	if len(word) > 1 && word[len(word)-1] == 'k' {
		word, scale = word[:len(word)-1], 1000
	}
	n, err := strconv.ParseFloat(word, 64)
	return n, scale, err == nil && n >= 0 && n < 1e12
}
