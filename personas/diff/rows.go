package diff

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/parley-npc/parley/personas"
)

// row is a transition or a link, which is identified by its ends instead of a key. The ends are
// keys of the later version.
type row struct {
	from, to  string
	kind      string // decision, or condition type
	condition string
	numbers   [2]int // score_delta and priority, or condition_value
	rest      string // everything except its ends
}

func transitionRow(t *personas.Transition, named func(string) string) row {
	r := row{from: named(t.From), to: named(t.To), kind: string(t.Decision), condition: t.Condition, numbers: [2]int{t.ScoreDelta, t.Priority}}
	if t.Decision != personas.DecidePass && t.To == t.From {
		r.to = ""
	}
	if len(t.Extra) == 0 && t.EndingName == "" && (t.Offline == nil || len(t.Offline.Examples) == 0 && len(t.Offline.Extra) == 0) {
		r.rest = fmt.Sprint(t.Decision, " ", t.ScoreDelta, " ", t.Priority, " ", t.Condition)
		return r
	}
	r.rest = joinExcept(membersOf(Transition, t), "from_state_key", "to_state_key")
	return r
}

func linkRow(l *personas.Link, named func(string) string) row {
	r := row{from: named(l.Source), to: named(l.Target), kind: string(l.Condition), condition: string(l.Outcome), numbers: [2]int{l.Score, 0}}
	if len(l.Extra) == 0 {
		r.rest = fmt.Sprint(l.Condition, " ", l.Outcome, " ", l.Score, " ", l.AutoAdvance)
		return r
	}
	r.rest = joinExcept(membersOf(Link, l), "source_machine_key", "target_machine_key")
	return r
}

func joinExcept(members []member, ends ...string) string {
	var all []string
	for _, m := range members {
		if !slices.Contains(ends, m.path) {
			all = append(all, m.path+" "+string(m.value))
		}
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// likenessTo returns how likely two rows are the same, or 0 if they cannot be the same. Rows that
// leave the same state need an equal decision or an equal target, and other rows an equal decision
// and condition.
func (r row) likenessTo(other row) int {
	same := func(equal bool, weight int) int {
		if equal {
			return weight
		}
		return 0
	}
	from, to, kind := r.from == other.from, r.to == other.to, r.kind == other.kind
	// A condition of a single word, such as ACCEPT, does not identify a row.
	hasMoved := kind && r.condition == other.condition && strings.ContainsFunc(strings.TrimSpace(r.condition), unicode.IsSpace)
	if from && !to && !kind || !from && !hasMoved {
		return 0
	}
	return same(from, 16) + same(to, 8) + same(kind, 8) + same(r.condition == other.condition, 6) +
		same(r.numbers[0] == other.numbers[0], 1) + same(r.numbers[1] == other.numbers[1], 1)
}

// matchRows pairs equal rows, in order, then the most similar rows that leave the same state, then
// the most similar of the rest.
func matchRows(before, after []row) []pair {
	m := matcher{before: make([]entry, len(before)), after: make([]entry, len(after))}
	m.usedX, m.usedY = make([]bool, len(before)), make([]bool, len(after))
	for i, r := range before {
		m.before[i].key = r.from + "\n" + r.to + "\n" + r.rest
	}
	for j, r := range after {
		m.after[j].key = r.from + "\n" + r.to + "\n" + r.rest
	}
	m.pairByKey()
	m.pairByEnds(before, after, func(r row) string { return r.from })
	m.pairByEnds(before, after, func(r row) string { return r.kind + " " + r.condition })
	return m.completePairs()
}

// pairByEnds pairs unpaired rows within each group, the most similar first. It uses pairByMembers
// for groups with too many pairs.
func (m *matcher) pairByEnds(before, after []row, group func(row) string) {
	members := map[string][]int{}
	for _, j := range listUnused(m.usedY) {
		members[group(after[j])] = append(members[group(after[j])], j)
	}
	sizes := map[string]int{}
	for _, i := range listUnused(m.usedX) {
		sizes[group(before[i])]++
	}
	var found []candidate
	left, fits := maxPairs, map[string]bool{}
	for _, i := range listUnused(m.usedX) {
		g := group(before[i])
		if sizes[g] > 0 { // The first of its group.
			pairs := sizes[g] * len(members[g])
			if fits[g] = pairs <= left; fits[g] {
				left -= pairs
			}
			sizes[g] = 0
		}
		if !fits[g] {
			continue
		}
		for _, j := range members[g] {
			if score := before[i].likenessTo(after[j]); score > 0 {
				found = append(found, candidate{pair{i, j}, float64(score)})
			}
		}
	}
	m.pairBest(found)
	m.pairByMembers(before, after, group, fits)
}

// pairByMembers pairs rows with equal members, in groups that are too large to compare all pairs.
// Rows with the most important members in common are paired first.
func (m *matcher) pairByMembers(before, after []row, group func(row) string, small map[string]bool) {
	keys := []func(row) string{
		func(r row) string { return r.to + "\n" + r.kind + "\n" + r.condition },
		func(r row) string { return r.to + "\n" + r.kind },
		func(r row) string { return r.kind + "\n" + r.condition },
		func(r row) string { return r.to + "\n" + r.condition },
		func(r row) string { return r.kind },
		func(r row) string { return r.to },
	}
	for _, key := range keys {
		waiting := map[string][]int{}
		for _, j := range listUnused(m.usedY) {
			if g := group(after[j]); !small[g] {
				waiting[g+"\n"+key(after[j])] = append(waiting[g+"\n"+key(after[j])], j)
			}
		}
		for _, i := range listUnused(m.usedX) {
			at := group(before[i]) + "\n" + key(before[i])
			if found := waiting[at]; len(found) > 0 && before[i].likenessTo(after[found[0]]) > 0 {
				m.addPair(pair{i, found[0]})
				waiting[at] = found[1:]
			}
		}
	}
}
