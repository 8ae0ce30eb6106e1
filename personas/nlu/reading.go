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

// ReadSentence reads what may be a sentence of the text, by itself. What is known of it is not made
// again.
func (r *Reading) ReadSentence(text string) *Reading {
	s := r.lexicon.Read(text)
	s.whole = r.findPart(s.whole)
	for i := range s.sentences {
		s.sentences[i] = r.findPart(s.sentences[i])
	}
	return s
}

// findPart returns the part of the text that has the same tokens, else the given one.
func (r *Reading) findPart(of *readPart) *readPart {
	same := func(known *readPart) bool { return slices.Equal(known.tokens, of.tokens) }
	if i := slices.IndexFunc(r.sentences, same); i >= 0 {
		return r.sentences[i]
	}
	if same(r.whole) {
		return r.whole
	}
	return of
}

// PartKey tells parts of a text apart that look different by themselves.
type PartKey struct {
	part           *readPart
	action, quoted bool
}

// PartKey is that of one part, which is said, done or quoted; false for a text that is more.
func (r *Reading) PartKey() (key PartKey, one bool) {
	spans := r.listSpans()
	if len(spans) != 1 || r.count > 1 {
		return PartKey{}, false
	}
	return PartKey{r.whole, spans[0].Action, spans[0].Quoted}, true
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

// Parts returns the sentences of what is said, done and quoted, each as a text by
// itself: so many of the first, and the last; none where there is but one.
func (r *Reading) Parts(most int) []*Reading {
	var out []*Reading
	for _, s := range r.listSpans() {
		for _, sentence := range splitSentences(s.tokens) {
			part := &Reading{lexicon: r.lexicon, whole: r.findPart(&readPart{tokens: sentence}), count: 1, spans: []readSpan{{s.Span, sentence}}}
			if len(out) > most {
				out = out[:most]
			}
			out = append(out, part)
		}
	}
	if len(out) < 2 {
		return nil
	}
	return out
}
