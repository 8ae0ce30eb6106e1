package intent

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/parley-npc/parley/personas/plaintext"
)

// Fold normalizes a text to NFKC and lower case. Accents on Latin, Greek and Cyrillic letters and
// invisible characters are removed.
func Fold(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return strings.ToLower(text)
	}
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range norm.NFKC.String(text) {
		foldRune(&b, unicode.ToLower(r))
	}
	return b.String()
}

var plainRunes = map[rune]string{
	'’': "'", '‘': "'", 'ʼ': "'", '´': "'", 'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'ł': "l",
}

func foldRune(b *strings.Builder, r rune) {
	switch {
	case r < utf8.RuneSelf:
		b.WriteByte(byte(r)) //nolint:gosec // below 128, by its case
	case plainRunes[r] != "":
		b.WriteString(plainRunes[r])
	case unicode.Is(unicode.Cf, r), r >= 0x300 && r <= 0x36f:
	case unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic):
		base, _ := utf8.DecodeRuneInString(norm.NFD.String(string(r)))
		b.WriteRune(base)
	default:
		b.WriteRune(r)
	}
}

type tokenKind uint8

const (
	wordToken  tokenKind = iota
	denseToken           // a run in a script without spaces
	clauseEnd
	sentenceEnd
	questionEnd
)

type token struct {
	text string
	kind tokenKind
	// Set by Lexicon.tokensOf.
	entry  *wordEntry
	vector int32
}

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

func prefixLength(s string, isMember func(rune) bool) int {
	if n := strings.IndexFunc(s, func(r rune) bool { return !isMember(r) }); n >= 0 {
		return n
	}
	return len(s)
}

// isDenseRune includes Hangul, because Korean words are best compared by their parts.
func isDenseRune(r rune) bool {
	if r < 0x0e00 {
		return false
	}
	return r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
}

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '\'' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z'
	}
	return !isDenseRune(r) && (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r))
}

func appendWord(out []token, word string, chat bool) []token {
	word = strings.TrimLeft(word, "'")
	if words := lists().Chat[word]; words != "" && chat {
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
		if verb, short := shortForms[rest]; short {
			rest = verb
		}
		word = rest
	}
	return out
}

var shortForms = map[string]string{"ll": "will", "re": "are", "ve": "have", "m": "am", "d": "would", "s": ""}

func appendStop(out []token, r rune) []token {
	kind := clauseEnd
	switch r {
	case '.', '!', '。', '\n':
		kind = sentenceEnd
	case '?', '¿':
		kind = questionEnd
	case ',', ';', ':', '(', ')', '、', '—', '–', '…':
	default:
		return out
	}
	if n := len(out); n == 0 || r == '¿' {
		return out
	} else if last := &out[n-1]; last.kind >= clauseEnd {
		last.kind = max(last.kind, kind)
		return out
	}
	return append(out, token{kind: kind})
}

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

// Words returns the words of a text, folded and with short forms expanded.
func Words(text string) []string { return wordsOf(cutTokens(Fold(text), true)) }

func wordsOf(ts []token) []string {
	var out []string
	for _, t := range ts {
		if t.kind < clauseEnd {
			out = append(out, t.text)
		}
	}
	return out
}

const maxSentences = 64

// Reading is a parsed text. A Reading is not safe for concurrent use.
type Reading struct {
	lexicon   *Lexicon
	text      string
	unsplit   *readPart
	sentences []*readPart // empty for a single one, at most maxSentences
	count     int
	spans     []span
	meanings  []*Meaning
}

type readPart struct {
	tokens   []token
	passages map[language]passage
	about    *Meaning
}

// Read parses a text.
func (x *Lexicon) Read(text string) *Reading {
	r := &Reading{lexicon: x, text: text, unsplit: &readPart{tokens: x.tokensOf(text)}}
	parts := splitSentences(r.unsplit.tokens)
	if r.count = len(parts); r.count < 2 {
		return r
	}
	for _, part := range parts[:min(r.count, maxSentences)] {
		r.sentences = append(r.sentences, &readPart{tokens: part})
	}
	return r
}

// ReadAll parses texts.
func (x *Lexicon) ReadAll(texts ...string) (out []*Reading) {
	for _, text := range texts {
		out = append(out, x.Read(text))
	}
	return out
}

func (r *Reading) listSpans() []span {
	if r.spans == nil {
		r.spans = splitSpans(r.text)
		for i := range r.spans {
			s := &r.spans[i]
			if s.tokens = r.unsplit.tokens; s.text != r.text {
				s.tokens = r.lexicon.tokensOf(s.text)
			}
		}
	}
	return r.spans
}

// passageIn returns a shared passage, for reading only.
func (p *readPart) passageIn(x *Lexicon, lang language) passage {
	if cached, ok := p.passages[lang]; ok {
		return cached
	}
	if p.passages == nil {
		p.passages = make(map[language]passage, 1)
	}
	p.passages[lang] = x.newPassage(p.tokens, lang)
	return p.passages[lang]
}

func (t *token) isSubstance() bool { return t.kind == wordToken && t.entry.common == 0 }

func (r *Reading) asksToBeTold() bool {
	ts := r.unsplit.tokens
	for len(ts) > 0 && (ts[0].kind >= clauseEnd || lists().QuestionFillers[ts[0].text]) {
		ts = ts[1:]
	}
	if r.count > 1 || len(ts) < 2 || lists().SecondWords[ts[1].text] || !isQuestion(ts) || !asksForFact(ts) {
		return false
	}
	return !slices.ContainsFunc(ts, func(t token) bool { return lists().Offers[t.text] })
}

// asksForFact accepts a question word inside a French question ("vous avez quoi ?").
func asksForFact(ts []token) bool {
	l, words := lists(), make([]string, len(ts))
	for i := range ts {
		words[i] = ts[i].text
	}
	if l.Telling[words[0]] || ts[0].entry.asks && ts[0].vector == 0 {
		return true
	}
	return containsAny(words, l.TellingInside) || l.TellingPhrases.beginsWith(words)
}

func (r *Reading) speaksOfSelf() bool {
	return slices.ContainsFunc(r.unsplit.tokens, func(t token) bool { return lists().Offers[t.text] })
}

type span struct {
	text   string
	action bool // between asterisks, underscores or brackets
	quoted bool // between quotation marks within other text
	tokens []token
}

const maxSpan = 1000 // bytes of an action or quotation

var spanPattern = plaintext.Pattern(`\*\*([^\n*]+)\*\*|\*([^\n*]+)\*|_([^\n_]+)_|\(([^\n)]+)\)|\[([^\n\]]+)\]|` +
	`"([^\n"]+)"|“([^\n”]+)”|„([^\n“]+)“|«([^\n»]+)»`)

const firstQuotation = 6 // group of spanPattern

// splitSpans splits a message into speech, actions (*nods*, (nods)) and quotations. A message
// quoted as a whole is speech.
func splitSpans(message string) []span {
	var out []span
	start := 0
	addSpeech := func(end int) {
		if strings.TrimSpace(message[start:end]) != "" {
			out = append(out, span{text: message[start:end]})
		}
	}
	for _, match := range spanPattern().FindAllStringSubmatchIndex(message, -1) {
		from, to := match[0], match[1]
		before, _ := utf8.DecodeLastRuneInString(message[:from])
		if to-from > maxSpan || unicode.IsLetter(before) || unicode.IsNumber(before) {
			continue
		}
		addSpeech(from)
		group := 1
		for match[2*group] < 0 {
			group++
		}
		quoted := group >= firstQuotation
		out = append(out, span{text: message[match[2*group]:match[2*group+1]], action: !quoted, quoted: quoted})
		start = to
	}
	addSpeech(len(message))
	if len(out) == 1 {
		out[0].quoted = false
	}
	return out
}

func (r *Reading) slotWords() []slotWord {
	var out []slotWord
	for i := range r.unsplit.tokens {
		if t := &r.unsplit.tokens[i]; t.kind == wordToken && len(out) < maxSlotWords {
			if w := r.lexicon.slotWord(t); w.weight > 0 {
				out = append(out, w)
			}
		}
	}
	return out
}

func (x *Lexicon) slotWord(t *token) slotWord {
	w := slotWord{text: t.text}
	n, unit := units[t.text]
	switch {
	case strings.ContainsAny(t.text, "0123456789") || unit && n != 1 || scales[t.text] > 0:
		w.weight, w.kind = 1, numberWord
	case t.vector != 0 && x.vectors.weight(t.vector) >= minSlotWeight:
		w.weight, w.about = x.vectors.weight(t.vector), x.embedTokens([]token{*t})
	case t.vector == 0 && len(t.text) > 2:
		w.weight, w.kind = strangeWeight, strangeWord
	}
	return w
}

// Meaning returns the weighted mean of a text's word vectors. Rare words weigh most.
func (x *Lexicon) Meaning(text string) Meaning { return *x.Read(text).Meanings()[0] }

// Meanings returns the meaning of the text, then of each sentence if there are several. The result
// is shared and must not be modified.
func (r *Reading) Meanings() []*Meaning {
	if r.meanings == nil {
		r.meanings = append(r.meanings, r.unsplit.meaning(r.lexicon))
		for i := range r.sentences {
			r.meanings = append(r.meanings, r.sentences[i].meaning(r.lexicon))
		}
	}
	return r.meanings
}

func (part *readPart) meaning(x *Lexicon) *Meaning {
	if part.about != nil {
		return part.about
	}
	m := &Meaning{about: x.embedTokens(part.tokens)}
	p := part.passageIn(x, x.languageOf(part.tokens, english))
	for i := range p.terms {
		m.denies = m.denies || p.terms[i].content && (p.terms[i].denied || p.terms[i].kin == refusing)
	}
	part.about = m
	return m
}

func (x *Lexicon) embedTokens(ts []token) Embedding {
	var sum Embedding
	for _, t := range ts {
		if t.kind != wordToken {
			continue
		}
		i := t.vector
		if i == 0 {
			continue
		}
		weight := float32(x.vectors.weight(i))
		for k := range dimensions {
			sum[k] += weight * float32(int8(x.vectors.row(i)[k+1])) //nolint:gosec // a signed byte, as the table has it
		}
	}
	return sum.normalized()
}
