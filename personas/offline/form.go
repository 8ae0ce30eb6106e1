package offline

import (
	"math"
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas/nlu"
)

// mark is a part that a text may have, whatever it is about.
type mark int

const (
	markNumber mark = iota
	markName        // a word with a capital within a sentence
	markReason      // because, so that, since
	markTime        // yesterday, ago
	markPlace       // in, at, behind
	markAnd         // two things, or two clauses
	markFuture      // I will
	markPast        // I did
	markSorry
	markPlease
	markMine  // I, my
	markYours // you, your
	markStars // something done
	markQuoted
	markIf      // if, but, unless
	markSteps   // first, then
	markCompare // than, more
	markCount
)

// markedWords are the English words that are a mark.
var markedWords = listMarkedWords(map[mark]string{
	markReason: "because cause cos coz cuz bc since as so why reason due therefore otherwise",
	markTime: "ago yesterday today tomorrow tonight morning evening night noon midnight monday tuesday wednesday thursday friday saturday sunday week weeks month months year years hour hours minute minutes oclock since until before after when last next " +
		"january february march april may june july august september october november december spring summer autumn winter",
	markPlace:   "in at on behind under near from to towards beside by below above inside outside through across between into onto around past",
	markAnd:     "and & plus with also both too then",
	markFuture:  "will ll gonna shall 'll i'll ill we'll promise tomorrow going",
	markPast:    "was were did had went took made said broke got came saw left gave forgot lost ate",
	markSorry:   "sorry apologise apologize apologies forgive regret excuse pardon fault",
	markPlease:  "please pls plz thanks thank kindly",
	markMine:    "i my me mine i'm im we our us i've ive i'll",
	markYours:   "you your yours u ur yourself you're you've",
	markIf:      "if but unless though although however maybe perhaps might could",
	markSteps:   "first then next second third finally after afterwards once before",
	markCompare: "than more less better most least rather instead",
})

func listMarkedWords(words map[mark]string) map[string]markSet {
	out := make(map[string]markSet)
	for m, list := range words {
		for w := range strings.FieldsSeq(list) {
			out[w] |= 1 << m
		}
	}
	return out
}

// markSet has a bit for each mark.
type markSet uint32

// form is how a text is made: its marks and its length.
type form struct {
	marks  markSet
	length float64 // logarithm of the number of words, and one
}

func readForm(text string, read *nlu.Reading) form {
	var marks markSet
	words, begins := 0, true
	for word := range strings.FieldsSeq(text) {
		words++
		marks |= marksOf(word, begins)
		begins = strings.HasSuffix(word, ".") || strings.HasSuffix(word, "!") || strings.HasSuffix(word, "?")
	}
	marks = marks.with(markNumber, len(read.Numbers()) > 0)
	return form{marks, math.Log(1 + float64(words))}
}

// marksOf returns the marks of a word, which may be the first of its sentence.
func marksOf(word string, begins bool) markSet {
	bare := strings.Trim(word, ".,;:!?*()\"'“”’")
	lower := strings.ToLower(bare)
	return markedWords[lower].
		with(markNumber, strings.ContainsAny(word, "0123456789")).
		with(markStars, strings.Contains(word, "*")).
		with(markQuoted, strings.ContainsAny(word, "\"“”«»")).
		with(markPast, len(bare) > 4 && strings.HasSuffix(lower, "ed")).
		with(markName, !begins && isNameLike(bare))
}

func (s markSet) with(m mark, has bool) markSet {
	if has {
		s |= 1 << m
	}
	return s
}

// isNameLike reports whether a word begins with a capital and is not "I" or "I'm".
func isNameLike(word string) bool {
	first, size := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(first) && len(word) > size && !strings.HasPrefix(word, "I'") && !strings.HasPrefix(word, "I’")
}

// formTable is how the examples of a choice are made.
type formTable struct {
	texts           int
	present, absent [markCount]float64 // of each mark, the logarithms of how probable it is, and that it is not
	length, spread  float64            // the middle of the lengths, and how far they lie from it
}

func newFormTable(forms []form) *formTable {
	t := &formTable{texts: len(forms)}
	if t.texts == 0 {
		return t
	}
	n := float64(t.texts)
	for m := range markCount {
		p := (countMark(forms, m) + 0.5) / (n + 1)
		t.present[m], t.absent[m] = math.Log(p), math.Log(1-p)
	}
	for _, f := range forms {
		t.length += f.length / n
	}
	const leastVariance = 0.1
	variance := leastVariance
	for _, f := range forms {
		variance += float64((f.length-t.length)*(f.length-t.length)) / n
	}
	t.spread = math.Sqrt(variance)
	return t
}

func countMark(forms []form, m mark) float64 {
	n := 0
	for _, f := range forms {
		if f.marks&(1<<m) != 0 {
			n++
		}
	}
	return float64(n)
}

// weighMarks returns the logarithm of how probable a message's marks are among the
// examples.
func (t *formTable) weighMarks(f *form) float64 {
	sum := 0.0
	for m := range markCount {
		if f.marks&(1<<m) != 0 {
			sum += t.present[m]
		} else {
			sum += t.absent[m]
		}
	}
	return sum
}

// weighLength is the same of its length, up to a constant.
func (t *formTable) weighLength(f *form) float64 {
	d := (f.length - t.length) / t.spread
	return -float64(d*d)/2 - math.Log(t.spread)
}

// askedWords are the words of a criterion that ask for a mark.
var askedWords = listMarkedWords(map[mark]string{
	markNumber: "number amount sum price many much exact figure count year age date coins hours minutes",
	markName:   "name names named who whom whose",
	markReason: "why reason reasons because explains explain explanation purpose",
	markTime:   "when date day time hour year month",
	markPlace:  "where place spot location address",
	markAnd:    "and both two three all together each",
	markSorry:  "sorry apologises apologizes apology",
	markSteps:  "order steps first then",
})

// readAsked returns the marks that criteria ask for.
func readAsked(criteria []string) markSet {
	var asked markSet
	for _, text := range criteria {
		for word := range strings.FieldsSeq(text) {
			asked |= askedWords[strings.ToLower(strings.Trim(word, ".,;:!?*()\"'“”’"))]
		}
	}
	return asked
}

// compareAsked returns which share of the marks asked for a form has, and which it
// lacks; none of either where none are asked for.
func (f *form) compareAsked(asked markSet) (has, lacks float64) {
	n := bits.OnesCount32(uint32(asked))
	if n == 0 {
		return 0, 0
	}
	has = float64(bits.OnesCount32(uint32(asked&f.marks))) / float64(n)
	return has, 1 - has
}
