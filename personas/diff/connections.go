package diff

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
)

// connection is a transition or a link. The ends are keys of the later version.
type connection struct {
	from, to  string
	kind      string // decision or condition type
	condition string
	numbers   [2]int // score_delta and priority, or condition_value
	rest      string // everything except the ends
}

func transitionConnection(t *personas.Transition, later map[string]string) connection {
	c := connection{
		from: laterKey(later, t.From), to: laterKey(later, t.To),
		kind: string(t.Decision), condition: t.Condition, numbers: [2]int{t.ScoreDelta, t.Priority},
	}
	if t.Decision != personas.DecidePass && t.To == t.From {
		c.to = ""
	}
	hasOffline := t.Offline != nil && (len(t.Offline.Examples) > 0 || len(t.Offline.Extra) > 0)
	if len(t.Extra) == 0 && t.EndingName == "" && !hasOffline {
		c.rest = fmt.Sprint(t.Decision, " ", t.ScoreDelta, " ", t.Priority, " ", t.Condition)
		return c
	}
	c.rest = joinExcept(membersOf(Transition, t), "from_state_key", "to_state_key")
	return c
}

func linkConnection(l *personas.Link, later map[string]string) connection {
	c := connection{
		from: laterKey(later, l.Source), to: laterKey(later, l.Target),
		kind: string(l.Condition), condition: string(l.Outcome), numbers: [2]int{l.Score, 0},
	}
	if len(l.Extra) == 0 {
		c.rest = fmt.Sprint(l.Condition, " ", l.Outcome, " ", l.Score, " ", l.AutoAdvance)
		return c
	}
	c.rest = joinExcept(membersOf(Link, l), "source_machine_key", "target_machine_key")
	return c
}

func joinExcept(members members, ends ...string) string {
	var all []string
	for _, path := range slices.Sorted(maps.Keys(members)) {
		if !slices.Contains(ends, path) {
			all = append(all, path+" "+string(members[path]))
		}
	}
	return strings.Join(all, "\n")
}

var likenesses = []func(connection) string{
	func(c connection) string { return c.from + "\n" + c.to + "\n" + c.rest },
	func(c connection) string { return c.from + "\n" + c.to + "\n" + c.kind + "\n" + c.condition },
	func(c connection) string { return fmt.Sprint(c.from, "\n", c.to, "\n", c.kind, "\n", c.numbers) },
	func(c connection) string { return c.from + "\n" + c.to + "\n" + c.kind },
	func(c connection) string { return c.from + "\n" + c.kind + "\n" + c.condition },
	func(c connection) string { return c.from + "\n" + c.kind },
	func(c connection) string { return c.from + "\n" + c.to },
	func(c connection) string {
		// Several words identify a condition, but a single word such as ACCEPT does not.
		if !strings.ContainsFunc(strings.TrimSpace(c.condition), unicode.IsSpace) {
			return ""
		}
		return c.kind + "\n" + c.condition
	},
}

func matchConnections(before, after []connection) []pair {
	m := newMatcher(len(before), len(after))
	for _, likeness := range likenesses {
		m.pairByKey(
			func(i int) string { return cmp.Or(likeness(before[i]), "none before") },
			func(j int) string { return cmp.Or(likeness(after[j]), "none after") },
		)
	}
	return m.completePairs()
}

const shownCondition = 40

func transitionName(t *personas.Transition) string {
	name := t.From
	if t.To != "" && t.To != t.From {
		name += " -> " + t.To
	}
	name += ", " + string(t.Decision)
	if t.Condition == "" {
		return name
	}
	return name + " (" + plaintext.ClipAfter(t.Condition, shownCondition, plaintext.Ellipsis) + ")"
}

// LinkName describes a link by ends and condition.
func LinkName(l *personas.Link) string {
	name := l.Source + " -> " + l.Target
	switch l.Condition {
	case personas.IfOutcome:
		return name + ", " + string(l.Outcome)
	case personas.IfScoreGTE:
		return name + ", score >= " + strconv.Itoa(l.Score)
	case personas.IfScoreLTE:
		return name + ", score <= " + strconv.Itoa(l.Score)
	}
	return name + ", " + string(l.Condition)
}
