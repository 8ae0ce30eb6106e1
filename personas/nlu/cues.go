package nlu

// maxCues is how many cues of a text are looked at.
const maxCues = 4 * maxTokens

// Cues returns what tells the manner of a text: its stems, its pairs of
// neighbouring stems, how its sentences begin and end, and whether it is said or
// done. A cue is a hash, so that a table of cues needs no words.
func (r *Reading) Cues() []uint32 {
	var out []uint32
	for _, s := range r.listSpans() {
		for _, sentence := range splitSentences(s.tokens) {
			out = r.lexicon.appendCues(out, sentence, s.Span)
		}
	}
	return out[:min(len(out), maxCues)]
}

func (x *Lexicon) appendCues(out []uint32, ts []token, s Span) []uint32 {
	mark, last := "", "<"
	switch {
	case s.Action:
		mark = "*"
	case s.Quoted:
		mark = `"`
	}
	for _, t := range ts {
		word := t.text
		switch t.kind {
		case clauseEnd:
			word = ","
		case sentenceEnd:
			word = "."
		case questionEnd:
			word = "?"
		case wordToken:
			word = x.stemOf(t.text, english).word
		}
		if '0' <= word[0] && word[0] <= '9' {
			word = "0"
		}
		out = append(out, hashCue(mark, word, ""), hashCue(mark, last, word))
		last = word
	}
	if mark != "" {
		out = append(out, hashCue(mark, "", ""))
	}
	return append(out, hashCue(mark, last, ">"))
}

// hashCue is FNV-1a of the parts.
func hashCue(mark, first, second string) uint32 {
	h := uint32(2166136261)
	for _, part := range [...]string{mark, "|", first, " ", second} {
		for i := range len(part) {
			h = (h ^ uint32(part[i])) * 16777619
		}
	}
	return h
}
