package personafiles

import (
	"slices"
	"strconv"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
)

var (
	itemPattern   = plaintext.Pattern(`(\w+)\[(\d+)\]`)
	digitsPattern = plaintext.Pattern(`\d+`)
)

// makeAnchor returns a finding's path with keys for indexes, and its message with 0 for every
// number. The anchor stays the same if the author inserts an item before the finding.
func makeAnchor(doc *personas.Persona, found personas.Diagnostic) string {
	var machine *personas.Machine
	path := itemPattern().ReplaceAllStringFunc(found.Path, func(item string) string {
		parts := itemPattern().FindStringSubmatch(item)
		member := parts[1]
		index, err := strconv.Atoi(parts[2])
		if err != nil {
			return member
		}
		if member == "machines" && index < len(doc.Machines) {
			machine = &doc.Machines[index]
			return member + "[" + clipKey(machine.Key) + "]"
		}
		return member + "[" + findItemKey(doc, machine, member, index) + "]"
	})
	return path + "\x00" + digitsPattern().ReplaceAllString(found.Message, "0")
}

func findItemKey(doc *personas.Persona, m *personas.Machine, member string, index int) string {
	switch {
	case member == "variables" && index < len(doc.Variables):
		return clipKey(doc.Variables[index].Key)
	case member == "machine_links" && index < len(doc.Links):
		return clipKey(doc.Links[index].Source) + " " + clipKey(doc.Links[index].Target)
	case m == nil:
	case member == "states" && index < len(m.States):
		return clipKey(m.States[index].Key)
	case member == "transitions" && index < len(m.Transitions):
		t := m.Transitions[index]
		return clipKey(t.From) + " " + clipKey(t.To) + " " + string(t.Decision)
	}
	return ""
}

// maxKey is the longest key in an anchor, in bytes. No service accepts longer keys.
const maxKey = 4 * personas.MaxKey

func clipKey(key string) string { return key[:min(len(key), maxKey)] }

// DescribeCondition explains when a link opens its target, and whether the link leads the player there.
// A link has no effect if its target is open from the start (isOpen).
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
		text = "with any ending"
	}
	switch {
	case isOpen && l.AutoAdvance:
		text += ", but " + l.Target + " is open from the start, so nobody is led there"
	case isOpen:
		text += ", but " + l.Target + " is open from the start"
	case l.AutoAdvance:
		text += ", and continues there at once"
	}
	return text
}

// IsOpen reports whether the machine with the given key is open from the start, even if a link
// opens it.
func IsOpen(doc *personas.Persona, key string) bool {
	return slices.ContainsFunc(doc.Machines, func(m personas.Machine) bool { return m.Key == key && m.IsEntry })
}
