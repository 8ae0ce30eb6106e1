package offline

import (
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/nlu"
	"github.com/parley-npc/parley/personas/plaintext"
)

var (
	// introduces matches an introduction, in folded words.
	introduces = plaintext.Pattern(`^(?:\S+ ){0,2}?(?:(?:my|the) name(?: is|'?s)|name'?s|(?:i am|i'?m) called|(?:they|you can|just|please|people) call me|call me|mein name ist|ich heisse|je m'?appelle|mon nom est|me llamo|mi nombre es|(?:o )?meu nome e|(?:eu )?me chamo|mi chiamo|il mio nome e)((?: [\p{L}'-]+){1,2})(?:,? (?:by the way|btw|and yours?|nice to meet you|what'?s yours))?$`)
	// namesAsked matches a criterion that asks for a name.
	namesAsked = plaintext.Pattern(`(?i)\b(?:an?|the|his|her|their|own|real|full|first|last) names?\b|\bintroduce|\b(?:nom|nombre|nome|namen?)\b.*\b(?:son|su|seu|suo|seinen|ihren|den)\b|\b(?:son|su|seu|suo|seinen|ihren|den) (?:nom|nombre|nome|namen)\b`)
)

const (
	// nearIntroduced is the likeness of an example that means more by a name than who speaks.
	nearIntroduced = 0.6
	// noName are words behind "call me" that are no name.
	noName = " back later a an the when if tomorrow today again maybe crazy anytime soon not no none an your what whatever one on in at after before secret important mine nobody nothing old stupid "
)

// isIntroduction reports whether a message only says what the player is called, in a state that
// asks for no name.
func isIntroduction(m *measurement, message string) bool {
	if m.features[0][fMaxBest] >= nearIntroduced || !tellsName(message) {
		return false
	}
	return !slices.ContainsFunc(m.state.choices, func(c choice) bool { return c.asksName() })
}

// tellsName reports whether a text says by which name somebody goes, and no more.
func tellsName(text string) bool {
	found := introduces().FindStringSubmatch(strings.Trim(nlu.Fold(text), " .,!"))
	return found != nil && !strings.Contains(noName, " "+strings.Fields(found[1])[0]+" ")
}

// asksName reports whether an author's words for a choice ask for a name, or have one.
func (c *choice) asksName() bool {
	return slices.ContainsFunc(c.criteria, namesAsked().MatchString) ||
		c.kind != aside && slices.ContainsFunc(c.examples, func(e *personas.Example) bool { return tellsName(e.Say) })
}

// politely and plainly are the shares of polite examples from which and up to which an author tells
// a way to pass apart by its manners.
const politely, plainly = 0.8, 0.1

// mannerlyPass returns, for a pass of which the author has another that leads to the same state and
// differs by a please, the one with the manners of the message; else the choice itself.
func mannerlyPass(m *measurement, k int) int {
	p := m.state
	if p.choices[k].kind != pass || p.polite[k] > plainly && p.polite[k] < politely {
		return k
	}
	if m.polite == (p.polite[k] >= politely) {
		return k
	}
	best := k
	for j := range p.choices {
		apart := p.polite[j] >= politely && p.polite[k] <= plainly || p.polite[k] >= politely && p.polite[j] <= plainly
		if apart && p.choices[j].kind == pass && p.choices[j].target == p.choices[k].target && (best == k || m.features[j][fBest] > m.features[best][fBest]) {
			best = j
		}
	}
	return best
}

// polite is what a message has that says please or thanks, in folded words.
var polite = plaintext.Pattern(`\b(?:please|pls|plz|thanks?|thx|s'?il (?:vous|te) plait|svp|stp|merci|bitte|danke|por favor|gracias|faz favor|obrigad[oa]|per (?:favore|piacere)|grazie)\b`)

// sharePolite returns for each choice which share of its texts says please or thanks.
func sharePolite(texts *textGroup, choices int) []float64 {
	said, all := make([]float64, choices), make([]float64, choices)
	for i, k := range texts.choices {
		if all[k]++; polite().MatchString(nlu.Fold(texts.texts[i])) {
			said[k]++
		}
	}
	for k := range said {
		said[k] /= max(1, all[k])
	}
	return said
}
