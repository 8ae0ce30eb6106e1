package nlu

import "slices"

// maxSentences is how many sentences of a message are tried by themselves.
const maxSentences = 64

// Reading is a text read once for all that is asked of it: its tokens, its sentences,
// and what of it is said, done and quoted. It is not safe for concurrent use.
type Reading struct {
	lexicon   *Lexicon
	text      string
	whole     *readPart
	sentences []*readPart // where there are several, at most maxSentences
	count     int         // of all sentences
	spans     []readSpan  // see listSpans
	meanings  []*Meaning  // see Meanings
}

// readPart is a text or one of its sentences with what was made of it: passages by language, and
// its meaning.
type readPart struct {
	tokens []token
	made   map[language]passage
	about  *Meaning
}

// readSpan is a part of a message with its tokens.
type readSpan struct {
	Span
	tokens []token
}

// Read reads a text.
func (x *Lexicon) Read(text string) *Reading {
	r := &Reading{lexicon: x, text: text, whole: &readPart{tokens: x.tokensOf(text)}}
	parts := splitSentences(r.whole.tokens)
	if r.count = len(parts); r.count < 2 {
		return r
	}
	for _, part := range parts[:min(r.count, maxSentences)] {
		r.sentences = append(r.sentences, &readPart{tokens: part})
	}
	return r
}

// ReadAll reads texts.
func (x *Lexicon) ReadAll(texts ...string) []*Reading {
	out := make([]*Reading, len(texts))
	for i, text := range texts {
		out[i] = x.Read(text)
	}
	return out
}

// listSpans cuts the text into what is said, done and quoted.
func (r *Reading) listSpans() []readSpan {
	if r.spans != nil {
		return r.spans
	}
	for _, s := range SplitSpans(r.text) {
		tokens := r.whole.tokens
		if s.Text != r.text {
			tokens = r.lexicon.tokensOf(s.Text)
		}
		r.spans = append(r.spans, readSpan{s, tokens})
	}
	return r.spans
}

// passageIn returns the part as a passage in a language. Its terms are shared.
func (p *readPart) passageIn(x *Lexicon, in language) passage {
	if known, ok := p.made[in]; ok {
		return known
	}
	if p.made == nil {
		p.made = make(map[language]passage, 1)
	}
	p.made[in] = x.newPassage(p.tokens, in)
	return p.made[in]
}

// isSubstance reports whether a token is a word that is not common in any language.
func (t *token) isSubstance() bool { return t.kind == wordToken && t.entry.common == 0 }

// Words of questions. An answer is told to a question that begins with a telling word, behind
// fillers; offerWords make an offer of it, and so do secondWords: "what if".
var (
	questionFillers = map[string]bool{"so": true, "and": true, "but": true, "ok": true, "oh": true, "hey": true, "well": true, "wait": true, "sorry": true, "et": true, "und": true, "y": true, "e": true}
	englishTelling  = map[string]bool{"why": true, "what": true, "who": true, "whose": true, "where": true, "when": true, "how": true, "which": true}
	secondWords     = map[string]bool{"if": true, "about": true, "not": true}
	offerWords      = map[string]bool{"i": true, "we": true, "my": true, "me": true, "ich": true, "je": true, "yo": true, "eu": true, "io": true}
)

// AsksToBeTold reports whether the text is one question that wants to be told something and
// offers nothing: "why is the door shut?".
func (r *Reading) AsksToBeTold() bool {
	ts := r.whole.tokens
	for len(ts) > 0 && (ts[0].kind >= clauseEnd || questionFillers[ts[0].text]) {
		ts = ts[1:]
	}
	if r.count > 1 || len(ts) < 2 || secondWords[ts[1].text] || !isQuestion(ts) || !englishTelling[ts[0].text] && (!ts[0].entry.asks || ts[0].vector != 0) {
		return false
	}
	return !slices.ContainsFunc(ts, func(t token) bool { return offerWords[t.text] })
}
