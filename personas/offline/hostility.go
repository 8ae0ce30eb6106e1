package offline

import (
	"fmt"

	"github.com/parley-npc/parley/personas/nlu"
	"github.com/parley-npc/parley/personas/plaintext"
)

// asksForAttacks is what a criterion says that throws out who insults, threatens or attacks, in
// the languages whose attacks are known.
var asksForAttacks = plaintext.Pattern(`(?i)insult|threat|attack|rude|violen|swear|curse|abus|hurt|hits?\b|beat|harm|offen[sd]|beleidig|beschimpf|droh|angreif|greift|gewalt|menac|injuri|frapp|agress|amenaz|atac|golpe|ameac|ameaç|agredi|ofend|minacc|aggred|picchi`)

// attacked is how probable an attack in so many words is.
const attacked = 0.95

// hostileChoice returns the kick_out that an attack in so many words is, in a language other
// than English, or in English to whom it is foreign; -1 for none. Other English attacks the
// weights know.
func (m *measurement) hostileChoice() int {
	if m.hostile == nlu.NoTalk {
		return -1
	}
	for k := range m.state.choices {
		if c := &m.state.choices[k]; c.kind == kickOut && !c.isBare() && m.isAboutAttacks(k) {
			return k
		}
	}
	return -1
}

// isAboutAttacks reports whether the criteria or an example of a choice speak of attacks.
func (m *measurement) isAboutAttacks(k int) bool {
	for _, text := range m.state.choices[k].criteria {
		if asksForAttacks().MatchString(clipText(text)) {
			return true
		}
	}
	return m.state.hostile[k]
}

// hostileVerdict is the verdict on an attack in so many words.
func (r *Reader) hostileVerdict(at *Place, m *measurement, kick int) Verdict {
	v := r.verdict(at, m, kick, attacked)
	v.Why = fmt.Sprintf("%s: %s in so many words", v.Decision, m.hostile)
	return v
}
