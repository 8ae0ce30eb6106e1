package personafiles

import (
	"slices"
	"strconv"

	"github.com/parley-npc/parley/personas"
)

// DescribeCondition returns in words when a link opens its target, and where it takes the player.
// With isOpen, its target is open from the start, so the link neither opens it nor leads there.
func DescribeCondition(l personas.Link, isOpen bool) string {
	text := ""
	switch l.Condition {
	case personas.IfOutcome:
		text = "with " + string(l.Outcome)
	case personas.IfScoreGTE:
		text = "with a score of at least " + strconv.Itoa(l.Score)
	case personas.IfScoreLTE:
		text = "with a score of at most " + strconv.Itoa(l.Score)
	case personas.Always:
		text = "however it ends"
	}
	switch {
	case isOpen && l.AutoAdvance:
		text += ", but " + l.Target + " is open from the start, so nobody is led there"
	case isOpen:
		text += ", but " + l.Target + " is open from the start"
	case l.AutoAdvance:
		text += ", and leads straight on"
	}
	return text
}

// IsOpen reports whether the machine with a key is open from the start although a link leads
// to it.
func IsOpen(doc *personas.Persona, key string) bool {
	return slices.ContainsFunc(doc.Machines, func(m personas.Machine) bool { return m.Key == key && m.IsEntry })
}
