package nlu

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold brings a text into the form in which it is matched: compatibility forms
// made plain, lower case, without accents on Latin, Greek and Cyrillic letters,
// and without invisible characters that could split a word.
func Fold(text string) string {
	if isPlain(text) {
		return strings.ToLower(text)
	}
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range norm.NFKC.String(text) {
		foldRune(&b, unicode.ToLower(r))
	}
	return b.String()
}

func isPlain(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func foldRune(b *strings.Builder, r rune) {
	switch {
	case r < utf8.RuneSelf:
		b.WriteByte(byte(r)) //nolint:gosec // below 128, by its case
	case r == '’' || r == '‘' || r == 'ʼ' || r == '´':
		b.WriteByte('\'')
	case r == 'ß':
		b.WriteString("ss")
	case r == 'æ':
		b.WriteString("ae")
	case r == 'œ':
		b.WriteString("oe")
	case r == 'ø':
		b.WriteByte('o')
	case r == 'ł':
		b.WriteByte('l')
	case unicode.Is(unicode.Cf, r), r >= 0x300 && r <= 0x36f:
	case unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic):
		base, _ := utf8.DecodeRuneInString(norm.NFD.String(string(r)))
		b.WriteRune(base)
	default:
		b.WriteRune(r)
	}
}

// tokenKind describes what a token is.
type tokenKind uint8

const (
	wordToken  tokenKind = iota
	denseToken           // a run of a script that writes no spaces
	clauseEnd            // a comma and its like
	sentenceEnd
	questionEnd
)

type token struct {
	text string
	kind tokenKind
	// Lexicon.tokensOf sets what it knows of the word: its entry, and its number among the
	// vectors.
	entry  *wordEntry
	vector int32
}

// cutTokens cuts a folded text into words and the stops between them. Chat
// spelling is written out where it is that of an English text.
func cutTokens(folded string, chat bool) []token {
	out := make([]token, 0, len(folded)/4+4)
	for i := 0; i < len(folded); {
		r, size := utf8.DecodeRuneInString(folded[i:])
		switch {
		case isDenseRune(r):
			end := i + prefixLength(folded[i:], isDenseRune)
			out = append(out, token{text: folded[i:end], kind: denseToken})
			i = end
		case isWordRune(r):
			end := i + prefixLength(folded[i:], isWordRune)
			out = appendWord(out, strings.TrimRight(folded[i:end], "'"), chat)
			i = end
		default:
			out = appendStop(out, r)
			i += size
		}
	}
	return out
}

func prefixLength(s string, in func(rune) bool) int {
	if n := strings.IndexFunc(s, func(r rune) bool { return !in(r) }); n >= 0 {
		return n
	}
	return len(s)
}

// isDenseRune reports whether a rune belongs to a script without spaces between
// words, or to one whose words are best compared by their parts.
func isDenseRune(r rune) bool {
	return r >= 0x0e00 && (r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai))
}

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '\'' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z'
	}
	return !isDenseRune(r) && (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r))
}

// appendWord adds a word; "don't" becomes "do not", "I'll" becomes "i will".
func appendWord(out []token, word string, chat bool) []token {
	word = strings.TrimLeft(word, "'")
	if chat && word == "sum" && len(out) > 0 && wantsSome[out[len(out)-1].text] {
		word = "some"
	}
	if words := chatSpelling[word]; words != "" && chat {
		for w := range strings.FieldsSeq(words) {
			out = append(out, token{text: w})
		}
		return out
	}
	verb, negated := strings.CutSuffix(word, "n't")
	verb = strings.Trim(verb, "'")
	if negated {
		switch verb {
		case "ca":
			verb = "can"
		case "wo":
			verb = "will"
		}
		if verb != "" {
			out = append(out, token{text: verb})
		}
		return append(out, token{text: "not"})
	}
	for word != "" {
		part, rest, _ := strings.Cut(word, "'")
		if part != "" {
			out = append(out, token{text: part})
		}
		word = expandShortForm(rest)
	}
	return out
}

// expandShortForm returns the verb that a short form behind an apostrophe
// stands for.
func expandShortForm(short string) string {
	switch short {
	case "ll":
		return "will"
	case "re":
		return "are"
	case "ve":
		return "have"
	case "m":
		return "am"
	case "d":
		return "would"
	case "s":
		return ""
	}
	return short
}

func appendStop(out []token, r rune) []token {
	m := clauseEnd
	switch r {
	case '.', '!', '。', '\n':
		m = sentenceEnd
	case '?', '¿':
		m = questionEnd
	case ',', ';', ':', '(', ')', '、', '—', '–', '…':
	default:
		return out
	}
	if n := len(out); n == 0 || r == '¿' {
		return out
	} else if last := &out[n-1]; last.kind >= clauseEnd {
		last.kind = max(last.kind, m)
		return out
	}
	return append(out, token{kind: m})
}

// splitSentences cuts tokens behind the stops that end a sentence.
func splitSentences(ts []token) [][]token {
	var out [][]token
	start := 0
	for i, t := range ts {
		if t.kind == sentenceEnd || t.kind == questionEnd {
			out = append(out, ts[start:i+1])
			start = i + 1
		}
	}
	if start < len(ts) {
		out = append(out, ts[start:])
	}
	return out
}

// packTrigrams returns the distinct runs of three characters of the words, each
// word with a blank at either side, packed and sorted.
func packTrigrams(ts []token) []uint64 {
	const bits, mask = 21, 1<<63 - 1
	out := make([]uint64, 0, 8*len(ts))
	window, seen := uint64(' '), 1
	push := func(r rune) {
		window = (window<<bits | uint64(r)) & mask //nolint:gosec // a rune is not negative
		if seen++; seen >= 3 {
			out = append(out, window)
		}
	}
	for _, t := range ts {
		if t.kind >= clauseEnd {
			continue
		}
		for _, r := range t.text {
			push(r)
		}
		push(' ')
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Words returns a text's words as they are compared: folded, with short forms
// written out.
func Words(text string) []string {
	var out []string
	for _, t := range cutTokens(Fold(text), true) {
		if t.kind < clauseEnd {
			out = append(out, t.text)
		}
	}
	return out
}
