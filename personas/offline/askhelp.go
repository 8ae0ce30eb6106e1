package offline

import (
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/nlu"
)

// mostHelpWords is how many words a message has at most that does nothing but ask for help.
const mostHelpWords = 24

// asksForHelp reports whether a message does nothing but ask for help, in whichever of
// its sentences. "No idea" alone asks for nothing: it may be the answer to a question.
func (b *bank) asksForHelp(message string) bool {
	if len(strings.Fields(message)) > mostHelpWords {
		return false
	}
	asks := false
	for sentence := range strings.FieldsFuncSeq(message, func(r rune) bool { return strings.ContainsRune(".!?;:\n", r) }) {
		bare := b.dropPolite(sentence)
		switch {
		case bare == "":
		case isAnyIn(b.help, bare, bare):
			asks = true
		default:
			return false
		}
	}
	return asks
}

// dropPolite returns a sentence, folded, without its courtesies.
func (b *bank) dropPolite(sentence string) string {
	return strings.Join(strings.Fields(b.polite.Replace(b.polite.Replace(" "+strings.Join(nlu.Words(sentence), " ")+" "))), " ")
}

// noteHelp makes the help intent of a message that asks for it in whatever words, or the choice
// that is about asking for help, where the author has written one.
func (m *measurement) noteHelp(b *bank, message string) {
	m.helpChoice = -1
	if !b.asksForHelp(message) {
		return
	}
	if m.helpChoice = m.state.helpChoice(); m.helpChoice >= 0 {
		return
	}
	m.asksHelp = true
	if m.intent.intent != personas.IntentGoal || m.intent.score < exactScore {
		m.intent.intent, m.intent.score, m.intent.covered = personas.IntentHelp, max(m.intent.score, exactScore), 1
	}
}

// helpWords are by which words an author speaks of somebody who asks for help.
const helpWords = "for help|needs help|need help|wants help|for advice|for a hint|for a clue|hint|hints|clue|clues|um hilfe|um rat|um einen hinweis|de l aide|demande conseil|un indice|pide ayuda|pide consejo|una pista|pede ajuda|pede conselho|uma dica|chiede aiuto|chiede consiglio|un indizio"

// helpChoice returns the choice of which an author's words tell of somebody who asks for help; -1
// for none.
func (p *preparedState) helpChoice() int {
	return slices.IndexFunc(p.choices, func(c choice) bool {
		return c.kind != aside && slices.ContainsFunc(c.criteria, func(text string) bool { return hasPhrase(clipText(text), helpWords) })
	})
}
