package nlu

// Reading is a text read once for all that is asked of it: its tokens, its sentences,
// and what of it is said, done and quoted. It is not safe for concurrent use.
type Reading struct {
	lexicon   *Lexicon
	text      string
	whole     readPart
	sentences []readPart // where there are several, at most maxSentences
	count     int        // of all sentences
	spans     []readSpan // see listSpans
	meanings  []Meaning  // see Meanings
}

// readPart is a text or one of its sentences with the passages made of it, by language.
type readPart struct {
	tokens []token
	made   map[language]passage
}

// readSpan is a part of a message with its tokens.
type readSpan struct {
	Span
	tokens []token
}

// Read reads a text.
func (x *Lexicon) Read(text string) *Reading {
	r := &Reading{lexicon: x, text: text, whole: readPart{tokens: x.tokensOf(text)}}
	parts := splitSentences(r.whole.tokens)
	if r.count = len(parts); r.count < 2 {
		return r
	}
	for _, part := range parts[:min(r.count, maxSentences)] {
		r.sentences = append(r.sentences, readPart{tokens: part})
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

// Parts returns the sentences of what is said, done and quoted, each as a text by
// itself: so many of the first, and the last; none where there is but one.
func (r *Reading) Parts(most int) []*Reading {
	var out []*Reading
	for _, s := range r.listSpans() {
		for _, sentence := range splitSentences(s.tokens) {
			part := &Reading{lexicon: r.lexicon, whole: readPart{tokens: sentence}, count: 1, spans: []readSpan{{s.Span, sentence}}}
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
