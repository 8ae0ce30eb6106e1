package intent

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// minCorrected and maxCorrected are the lengths of words that are corrected: in
// shorter ones a slip makes another word, and longer ones cost too much.
const (
	minCorrected = 4
	maxCorrected = 14
)

// correctTokens corrects the words that nobody knows, but no names.
func (x *Lexicon) correctTokens(ts []token, names map[string]bool) {
	corrected := 0
	for i := range ts {
		t := &ts[i]
		if t.entry != x.strange || t.kind != wordToken || corrected == maxSlips || names[t.text] || followsNaming(ts[:i]) {
			continue
		}
		if word := x.correctSpelling(t.text); word != t.text {
			corrected++
			t.text, t.entry = word, x.entryFor(word)
		}
	}
}

// followsNaming reports whether a name comes next: "my name is", "call me", "I am called".
func followsNaming(ts []token) bool {
	n := len(ts)
	if n == 0 {
		return false
	}
	switch ts[n-1].text {
	case "called", "named", "name", "mr", "mrs", "miss":
		return true
	case "is":
		return n > 1 && ts[n-2].text == "name"
	case "me":
		return n > 1 && (ts[n-2].text == "call" || ts[n-2].text == "calls")
	}
	return false
}

// listNames returns, as Fold has them, the words that begin with a capital within a
// sentence.
func listNames(text string) map[string]bool {
	var out map[string]bool
	begins := true
	for word := range strings.FieldsSeq(text) {
		bare := strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) })
		first, size := utf8.DecodeRuneInString(bare)
		if !begins && unicode.IsUpper(first) && strings.ContainsFunc(bare[size:], unicode.IsLower) {
			if out == nil {
				out = make(map[string]bool)
			}
			out[Fold(strings.TrimSuffix(bare, "'s"))] = true
		}
		begins = strings.ContainsAny(word[len(word)-1:], ".!?*\"")
	}
	return out
}

// correctSpelling returns the most frequent word that differs from an unknown
// one by a slip: a letter left out, doubled, wrong, too many, or two swapped. A
// word without such a neighbour is returned as it is.
func (x *Lexicon) correctSpelling(word string) string {
	if word = x.collapseRepeats(word); len(word) < minCorrected || len(word) > maxCorrected || !isLetters(word) || x.isWord(word) {
		return word
	}
	if known, ok := x.corrections.Find(word); ok {
		return known
	}
	word = strings.Clone(word)
	best, rank := word, byte(255)
	x.trySlips(word, func(among wordRange, b []byte) {
		if i := x.vectors.findAmong(among, b); i != 0 && x.vectors.row(i)[0] < rank {
			best, rank = string(b), x.vectors.row(i)[0]
		}
	})
	x.corrections.Keep(word, best, 1)
	return best
}

func (x *Lexicon) isWord(word string) bool {
	return x.words[word] != nil || x.vectors.find(word) != 0
}

func isLetters(word string) bool {
	for i := range len(word) {
		if word[i] < 'a' || word[i] > 'z' {
			return false
		}
	}
	return true
}

// trySlips tries all words that a slip in each place may have come from, each among
// the words that begin as it does before the slip; where there are none it ends. The
// first letter stands as it is: it is rarely wrong.
func (x *Lexicon) trySlips(word string, try func(among wordRange, b []byte)) {
	room := make([]byte, 0, len(word)+1)
	among := wordRange{0, len(x.vectors.words)}
	for i := 1; i < len(word); i++ {
		if among = x.vectors.narrow(among, word[:i]); among.from == among.to {
			return
		}
		if i+1 < len(word) {
			room = append(room[:0], word...)
			room[i], room[i+1] = room[i+1], room[i]
			try(among, room)
		}
		try(among, append(append(room[:0], word[:i]...), word[i+1:]...))
		for c := byte('a'); c <= 'z'; c++ {
			room = append(room[:0], word...)
			room[i] = c
			try(among, room)
			try(among, append(append(append(room[:0], word[:i]...), c), word[i:]...))
		}
	}
	for c := byte('a'); c <= 'z'; c++ {
		try(among, append(append(room[:0], word...), c))
	}
}

// collapseRepeats makes two letters of three and more of the same where that is a
// word ("helllo"), else one ("soooo").
func (x *Lexicon) collapseRepeats(word string) string {
	if doubled := collapseRuns(word, 2); doubled == word || x.isWord(doubled) {
		return doubled
	}
	return collapseRuns(word, 1)
}

// collapseRuns leaves so many letters of each run of three and more of the same.
func collapseRuns(word string, left int) string {
	out := make([]byte, 0, len(word))
	for start := 0; start < len(word); {
		end := start + 1
		for end < len(word) && word[end] == word[start] && word[end] >= 'a' {
			end++
		}
		keep := end - start
		if keep > 2 {
			keep = left
		}
		out = append(out, word[start:start+keep]...)
		start = end
	}
	return string(out)
}

// Span is a part of a message: what the player says, does or quotes.
type Span struct {
	Text   string
	Action bool // between stars, underscores or brackets: what the player does
	Quoted bool // between quotation marks, with other words around it
}

// maxSpan is how many bytes an action or a quotation may have; what is longer is
// said.
const maxSpan = 1000

// SplitSpans cuts a message into what is said, done (*nods*, **nods**, _nods_,
// (nods), [nods]) and quoted. A message that stands as a whole in quotation marks is
// said.
func SplitSpans(message string) []Span {
	var out []Span
	start := 0
	flush := func(end int) {
		if strings.TrimSpace(message[start:end]) != "" {
			out = append(out, Span{Text: message[start:end]})
		}
	}
	for i := 0; i < len(message); i++ {
		closing, quote := closingMark(message[i:])
		if closing == "" || i > 0 && isWordByte(message[i-1]) {
			continue
		}
		opening := len(closing)
		if quote {
			opening = len(openingQuote(message[i:]))
		}
		end := strings.Index(message[i+opening:min(len(message), i+opening+maxSpan)], closing)
		if end <= 0 || strings.Contains(message[i+opening:i+opening+end], "\n\n") {
			continue
		}
		flush(i)
		out = append(out, Span{Text: message[i+opening : i+opening+end], Action: !quote, Quoted: quote})
		i += opening + end + len(closing) - 1
		start = i + 1
	}
	flush(len(message))
	if len(out) == 1 {
		out[0].Quoted = false
	}
	return out
}

func isWordByte(b byte) bool {
	return b >= 0x80 || '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z'
}

func openingQuote(s string) string {
	for _, q := range [...]string{`"`, "“", "„", "«"} {
		if strings.HasPrefix(s, q) {
			return q
		}
	}
	return ""
}

// closingMark returns what closes the mark at the beginning of a text.
func closingMark(s string) (closing string, quote bool) {
	switch s[0] {
	case '*':
		if strings.HasPrefix(s, "**") {
			return "**", false
		}
		return "*", false
	case '_':
		return "_", false
	case '(':
		return ")", false
	case '[':
		return "]", false
	}
	switch openingQuote(s) {
	case `"`:
		return `"`, true
	case "“":
		return "”", true
	case "„":
		return "“", true
	case "«":
		return "»", true
	}
	return "", false
}
