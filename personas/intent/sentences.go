package intent

import (
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
)

const (
	maxDecided      = 4
	minSentencePass = 0.5
)

var sentenceEndPattern = plaintext.Pattern(`[.!?…\n]+(?:\s+|$)`)

func splitTexts(text string) []string {
	var out []string
	from := 0
	for _, end := range append(sentenceEndPattern().FindAllStringIndex(text, -1), []int{len(text), len(text)}) {
		if s := strings.TrimSpace(text[from:end[1]]); s != "" {
			out = append(out, s)
		}
		from = end[1]
	}
	return out
}

// decideSentences corrects the verdict on a whole message by the verdicts on its sentences. "Hello.
// I am from Portugal. I have come to see my sister." passes, because the last sentence does. The
// character asks about a reject if another sentence passes, as in "I give up. Here, have a
// sardine", or if no sentence is a reject.
func (r *Reader) decideSentences(at *Place, m *measurement, v Verdict) Verdict {
	rejected := v.Decision == kindNames[reject]
	if rejected && (!at.InGame || !at.FollowUpAllowed || m.exactChoice() >= 0) ||
		!rejected && v.Decision != personas.AsideName && v.Decision != kindNames[redirect] || v.Language != "" {
		return v
	}
	sentences := splitTexts(m.text)
	if m.asksHelp || len(sentences) < 2 || len(sentences) > maxDecided {
		return v
	}
	passed, rejects := Verdict{}, false
	for _, text := range sentences {
		one, _ := r.decide(at, r.measure(m.state, text, ""))
		switch {
		case one.Decision == kindNames[reject], one.Decision == kindNames[kickOut], one.DoubtsLoss:
			rejects = true
		case one.Decision == kindNames[pass] && one.Confidence >= max(minSentencePass, passed.Confidence) && !strings.HasSuffix(text, "?"):
			passed = one
		}
	}
	passes := passed.Decision != ""
	switch {
	case rejected && (passes || !rejects):
		v = askAgain("reject, but not for each sentence", v.Confidence)
		v.DoubtsLoss = true
	case !rejected && passes && !rejects && !m.isOrder(m.text) && !m.message.acts.Contempt && !r.suitsAnyStory(m):
		v = passed
		v.Why += ", in one sentence"
	}
	return v
}
