package diff

import (
	"strconv"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/plaintext"
)

func (c *comparison) compareTransitions(p pair, x, y *personas.Machine) {
	states := c.names.state[x.Key]
	var before, after []row
	for i := range x.Transitions {
		before = append(before, transitionRow(&x.Transitions[i], func(key string) string { return laterKey(states, key) }))
	}
	for j := range y.Transitions {
		after = append(after, transitionRow(&y.Transitions[j], sameKey))
	}
	pairs := matchRows(before, after)
	c.transitions[p] = pairs
	for _, t := range pairs {
		c.compareTransition(p, t)
	}
	c.compareOrder(p, pairs)
}

func (c *comparison) compareTransition(machine, p pair) {
	from := len(c.changes)
	version, at, m := c.after, p.after, machine.after
	if p.after < 0 {
		version, at, m = c.before, p.before, machine.before
	}
	about := Change{Thing: Transition, Path: itemPath(itemPath("machines", m)+".transitions", at)}
	switch {
	case p.before < 0:
		c.addOneSided(p, about, nil, &c.after.Machines[machine.after].Transitions[at])
	case p.after < 0:
		c.addOneSided(p, about, &c.before.Machines[machine.before].Transitions[at], nil)
	default:
		x := &c.before.Machines[machine.before]
		c.compareMembers(about, &x.Transitions[p.before], &c.after.Machines[machine.after].Transitions[at], c.endNamer(c.names.state[x.Key], "from_state_key", "to_state_key"))
	}
	if len(c.changes) == from {
		return
	}
	name := c.transitionName(&version.Machines[m], at)
	for i := from; i < len(c.changes); i++ {
		c.changes[i].Name, c.changes[i].Machine = name, c.after.Machines[machine.after].Key
	}
}

// endNamer returns a function that translates keys in the members from and to, and variables in
// texts, to their later names.
func (c *comparison) endNamer(keys map[string]string, from, to string) func(member, text string) string {
	return func(member, text string) string {
		if member == from || member == to {
			return laterKey(keys, text)
		}
		return c.names.currentText(text)
	}
}

func laterKey(names map[string]string, key string) string {
	if renamed, ok := names[key]; ok {
		return renamed
	}
	return key
}

func sameKey(key string) string { return key }

// transitionName returns a name made from the ends and the decision of a transition. If that is
// ambiguous, the name also contains the condition or the position.
func (c *comparison) transitionName(m *personas.Machine, i int) string {
	t := &m.Transitions[i]
	name, count := plainTransition(t), c.countRowNames(m)
	switch {
	case count[rowName{name: name}] == 1:
		return name
	case count[rowName{name, t.Condition, true}] == 1 && t.Condition != "":
		return name + ": " + plaintext.ClipAfter(t.Condition, shownCondition, plaintext.Ellipsis)
	}
	return name + " (number " + strconv.Itoa(i) + ")"
}

// rowName is the name of a transition, alone or with its condition.
type rowName struct {
	name, condition string
	worded          bool
}

func (c *comparison) countRowNames(m *personas.Machine) map[rowName]int {
	if c.rowNames[m] == nil {
		count := make(map[rowName]int, 2*len(m.Transitions))
		for i := range m.Transitions {
			name := plainTransition(&m.Transitions[i])
			count[rowName{name: name}]++
			count[rowName{name, m.Transitions[i].Condition, true}]++
		}
		c.rowNames[m] = count
	}
	return c.rowNames[m]
}

func plainTransition(t *personas.Transition) string {
	name := t.From
	if t.To != "" && t.To != t.From {
		name += " -> " + t.To
	}
	return name + ", " + string(t.Decision)
}

// shownCondition is the maximum number of characters of a condition in a transition's name.
const shownCondition = 40

// compareOrder adds a change for each state that tries transitions of the same priority in another
// order. It ignores added and removed transitions.
func (c *comparison) compareOrder(machine pair, pairs []pair) {
	x, y := &c.before.Machines[machine.before], &c.after.Machines[machine.after]
	type group struct {
		from     string
		priority int
	}
	last, told := map[group]int{}, map[string]bool{}
	for _, p := range pairs {
		if p.before < 0 || p.after < 0 {
			continue
		}
		s, t := &x.Transitions[p.before], &y.Transitions[p.after]
		if s.Priority != t.Priority || laterKey(c.names.state[x.Key], s.From) != t.From {
			continue
		}
		g := group{t.From, t.Priority}
		if p.before < last[g] && !told[t.From] {
			told[t.From] = true
			c.addChange(Change{Kind: Reordered, Thing: State, Machine: y.Key, Name: t.From, Member: "transitions", Path: itemPath("machines", machine.after) + ".transitions"})
		}
		last[g] = max(last[g], p.before)
	}
}

func (c *comparison) compareMachineOrder() {
	last, moved := -1, false
	for _, p := range c.names.machines {
		if p.before >= 0 && p.after >= 0 {
			moved = moved || p.before < last
			last = p.before
		}
	}
	x, y := primaryKey(c.before), primaryKey(c.after)
	if moved && x != "" && y != "" && laterKey(c.names.machine, x) != y {
		c.addChange(Change{Kind: Reordered, Thing: ThePersona, Member: "machines", Path: "machines", Before: encodeValue(x), After: encodeValue(y)})
	}
}

func primaryKey(p *personas.Persona) string {
	run, err := engine.CompilePersona(p)
	if err != nil {
		return ""
	}
	return run.Primary()
}

func (c *comparison) compareLinks() {
	var before, after []row
	for i := range c.before.Links {
		before = append(before, linkRow(&c.before.Links[i], func(key string) string { return laterKey(c.names.machine, key) }))
	}
	for j := range c.after.Links {
		after = append(after, linkRow(&c.after.Links[j], sameKey))
	}
	c.links = matchRows(before, after)
	for _, p := range c.links {
		about := Change{Thing: Link}
		switch {
		case p.before < 0:
			about.Name, about.Path = LinkName(&c.after.Links[p.after]), itemPath("machine_links", p.after)
			c.addOneSided(p, about, nil, &c.after.Links[p.after])
		case p.after < 0:
			about.Name, about.Path = LinkName(&c.before.Links[p.before]), itemPath("machine_links", p.before)
			c.addOneSided(p, about, &c.before.Links[p.before], nil)
		default:
			about.Name, about.Path = LinkName(&c.after.Links[p.after]), itemPath("machine_links", p.after)
			c.compareMembers(about, &c.before.Links[p.before], &c.after.Links[p.after], c.endNamer(c.names.machine, "source_machine_key", "target_machine_key"))
		}
	}
}

// LinkName returns a name for a link, made from its ends and its condition.
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
