package offline

import (
	"strings"

	"github.com/parley-npc/parley/personas/nlu"
)

// maxTopicWords is how many words a message has at most that may but name a topic.
const maxTopicWords = 2

// noteTopics notes the words by which a state is called and those that several choices
// share: who says one of them and nothing else has not said what he means by it.
func (p *preparedState) noteTopics(r *Reader, at *Place, words [][][]nlu.SlotWord) {
	p.topics = make(map[string]bool)
	names := strings.Join([]string{at.State.Label, strings.ReplaceAll(at.State.Key, "-", " "), at.Machine.Name, at.Persona.Name}, "\n")
	for _, w := range r.lexicon.Read(clipText(names)).SlotWords() {
		p.topics[w.Text] = true
	}
	choices := make(map[string]int)
	for k := range words {
		for _, text := range words[k] {
			for i := range text {
				if first, known := choices[text[i].Text]; known && first != k {
					p.topics[text[i].Text] = true
				} else {
					choices[text[i].Text] = k
				}
			}
		}
	}
}

// isBareTopic reports whether a message only names what a state is about, and the nearest
// example of choice k says more.
func (m *measurement) isBareTopic(k int) bool {
	if m.fields > maxTopicWords || len(m.words) == 0 || m.nearest[k] < 0 || m.features[k][fBest] >= exactScore {
		return false
	}
	for i := range m.words {
		if !m.state.topics[m.words[i].Text] {
			return false
		}
	}
	return len(strings.Fields(m.state.examples.texts[m.nearest[k]])) > m.fields
}

// isLossOfAnother reports whether a message says that a thing is lost or gone that a state
// is not about: that is no attempt, and nothing to ask back about.
func (m *measurement) isLossOfAnother(k int) bool {
	f := &m.features[k]
	of := m.state.choices[k].kind
	return (of == pass || of == redirect || of == followUp) && len(m.state.examples.texts) > 0 && m.message.acts.Withheld > 0 &&
		max(f[fMaxBest], f[fCriterion]) < remote && f[fHeard] < unfounded
}
