package intent

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
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
var markedWords = map[string]markSet{
	"because": 1 << markReason, "cause": 1 << markReason, "cos": 1 << markReason, "coz": 1 << markReason, "cuz": 1 << markReason, "bc": 1 << markReason,
	"since": 1<<markReason | 1<<markTime, "as": 1 << markReason, "so": 1 << markReason, "why": 1 << markReason, "reason": 1 << markReason, "due": 1 << markReason,
	"therefore": 1 << markReason, "otherwise": 1 << markReason, "ago": 1 << markTime, "yesterday": 1 << markTime, "today": 1 << markTime, "tomorrow": 1<<markTime | 1<<markFuture,
	"tonight": 1 << markTime, "morning": 1 << markTime, "evening": 1 << markTime, "night": 1 << markTime, "noon": 1 << markTime, "midnight": 1 << markTime, "monday": 1 << markTime,
	"tuesday": 1 << markTime, "wednesday": 1 << markTime, "thursday": 1 << markTime, "friday": 1 << markTime, "saturday": 1 << markTime, "sunday": 1 << markTime,
	"week": 1 << markTime, "weeks": 1 << markTime, "month": 1 << markTime, "months": 1 << markTime, "year": 1 << markTime, "years": 1 << markTime, "hour": 1 << markTime,
	"hours": 1 << markTime, "minute": 1 << markTime, "minutes": 1 << markTime, "oclock": 1 << markTime, "until": 1 << markTime, "before": 1<<markTime | 1<<markSteps,
	"after": 1<<markTime | 1<<markSteps, "when": 1 << markTime, "last": 1 << markTime, "next": 1<<markTime | 1<<markSteps, "january": 1 << markTime,
	"february": 1 << markTime, "march": 1 << markTime, "april": 1 << markTime, "may": 1 << markTime, "june": 1 << markTime, "july": 1 << markTime, "august": 1 << markTime,
	"september": 1 << markTime, "october": 1 << markTime, "november": 1 << markTime, "december": 1 << markTime, "spring": 1 << markTime, "summer": 1 << markTime,
	"autumn": 1 << markTime, "winter": 1 << markTime, "in": 1 << markPlace, "at": 1 << markPlace, "on": 1 << markPlace, "behind": 1 << markPlace, "under": 1 << markPlace,
	"near": 1 << markPlace, "from": 1 << markPlace, "to": 1 << markPlace, "towards": 1 << markPlace, "beside": 1 << markPlace, "by": 1 << markPlace, "below": 1 << markPlace,
	"above": 1 << markPlace, "inside": 1 << markPlace, "outside": 1 << markPlace, "through": 1 << markPlace, "across": 1 << markPlace, "between": 1 << markPlace,
	"into": 1 << markPlace, "onto": 1 << markPlace, "around": 1 << markPlace, "past": 1 << markPlace, "and": 1 << markAnd, "&": 1 << markAnd, "plus": 1 << markAnd,
	"with": 1 << markAnd, "also": 1 << markAnd, "both": 1 << markAnd, "too": 1 << markAnd, "then": 1<<markAnd | 1<<markSteps, "will": 1 << markFuture, "ll": 1 << markFuture,
	"gonna": 1 << markFuture, "shall": 1 << markFuture, "'ll": 1 << markFuture, "i'll": 1<<markFuture | 1<<markMine, "ill": 1 << markFuture, "we'll": 1 << markFuture,
	"promise": 1 << markFuture, "going": 1 << markFuture, "was": 1 << markPast, "were": 1 << markPast, "did": 1 << markPast, "had": 1 << markPast, "went": 1 << markPast,
	"took": 1 << markPast, "made": 1 << markPast, "said": 1 << markPast, "broke": 1 << markPast, "got": 1 << markPast, "came": 1 << markPast, "saw": 1 << markPast,
	"left": 1 << markPast, "gave": 1 << markPast, "forgot": 1 << markPast, "lost": 1 << markPast, "ate": 1 << markPast, "sorry": 1 << markSorry, "apologise": 1 << markSorry,
	"apologize": 1 << markSorry, "apologies": 1 << markSorry, "forgive": 1 << markSorry, "regret": 1 << markSorry, "excuse": 1 << markSorry, "pardon": 1 << markSorry,
	"fault": 1 << markSorry, "please": 1 << markPlease, "pls": 1 << markPlease, "plz": 1 << markPlease, "thanks": 1 << markPlease, "thank": 1 << markPlease,
	"kindly": 1 << markPlease, "i": 1 << markMine, "my": 1 << markMine, "me": 1 << markMine, "mine": 1 << markMine, "i'm": 1 << markMine, "im": 1 << markMine, "we": 1 << markMine,
	"our": 1 << markMine, "us": 1 << markMine, "i've": 1 << markMine, "ive": 1 << markMine, "you": 1 << markYours, "your": 1 << markYours, "yours": 1 << markYours,
	"u": 1 << markYours, "ur": 1 << markYours, "yourself": 1 << markYours, "you're": 1 << markYours, "you've": 1 << markYours, "if": 1 << markIf, "but": 1 << markIf,
	"unless": 1 << markIf, "though": 1 << markIf, "although": 1 << markIf, "however": 1 << markIf, "maybe": 1 << markIf, "perhaps": 1 << markIf, "might": 1 << markIf,
	"could": 1 << markIf, "first": 1 << markSteps, "second": 1 << markSteps, "third": 1 << markSteps, "finally": 1 << markSteps, "afterwards": 1 << markSteps, "once": 1 << markSteps,
	"than": 1 << markCompare, "more": 1 << markCompare, "less": 1 << markCompare, "better": 1 << markCompare, "most": 1 << markCompare, "least": 1 << markCompare,
	"rather": 1 << markCompare, "instead": 1 << markCompare,
}

// markSet has a bit for each mark.
type markSet uint32

// form is how a text is made: its marks and its length.
type form struct {
	marks  markSet
	length float64 // logarithm of the number of words, and one
}

func readForm(text string, read *Reading) form {
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

var units = map[string]float64{"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
	"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}

var scales = map[string]float64{"hundred": 100, "thousand": 1000, "grand": 1000, "k": 1000, "million": 1e6, "dozen": 12}

// Numbers returns the numbers of a text, in figures or English words.
func (x *Lexicon) Numbers(text string) []float64 { return x.Read(text).Numbers() }

// Numbers returns the numbers of the text.
func (r *Reading) Numbers() []float64 {
	var out []float64
	var whole, part float64
	open := false
	flush := func() {
		if open {
			out = append(out, whole+part)
		}
		whole, part, open = 0, 0, false
	}
	ts := r.whole.tokens
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
			whole, part = whole+max(part, 1)*scale, 0
		case isScale && open:
			part = max(part, 1) * scale
		case isScale && i > 0 && (ts[i-1].text == "a" || ts[i-1].text == "one"):
			part, open = scale, true
			if scale >= 1000 {
				whole, part = scale, 0
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
