package diff

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/parley-npc/parley/personas"
)

type comparison struct {
	before, after *personas.Persona
	names         *keyNames
	transitions   map[pair][]pair // by the pair of their machines
	links         []pair
	changes       []Change
	rowNames      map[*personas.Machine]map[rowName]int
	edits         int // remaining edit attempts for all texts
}

func (c *comparison) compareAll() {
	c.edits = maxAllEdits
	c.transitions, c.rowNames = map[pair][]pair{}, map[*personas.Machine]map[rowName]int{}
	c.compareMembers(Change{Thing: ThePersona}, c.before, c.after, nil)
	c.compareVariables()
	for _, p := range c.names.machines {
		c.compareMachine(p)
	}
	c.compareMachineOrder()
	c.compareLinks()
}

func (c *comparison) addChange(change Change) { c.changes = append(c.changes, change) }

// compareMembers compares both versions of a thing, member by member, in document order. named
// returns the later name of a key.
func (c *comparison) compareMembers(about Change, before, after any, named func(member, text string) string) {
	if reflect.DeepEqual(before, after) {
		return
	}
	x, y := membersOf(about.Thing, before), membersOf(about.Thing, after)
	paths := make([]string, 0, len(y))
	valuesX, valuesY := valuesByPath(x), valuesByPath(y)
	seen := make(map[string]bool, len(y))
	for _, m := range slices.Concat(y, x) {
		if !seen[m.path] {
			seen[m.path] = true
			paths = append(paths, m.path)
		}
	}
	slices.SortStableFunc(paths, personas.ComparePaths)
	for _, path := range paths {
		now := c.names.currentText
		if named != nil {
			now = func(text string) string { return named(path, text) }
		}
		change := c.compareValues(path, valuesX[path], valuesY[path], now)
		if change == nil {
			continue
		}
		change.Thing, change.Machine, change.Name, change.Path = about.Thing, about.Machine, about.Name, memberPath(about.Path, path)
		c.addChange(*change)
	}
}

func memberPath(thing, member string) string {
	if thing == "" || member != "" && member[0] == '[' {
		return thing + member
	}
	return thing + "." + member
}

func (c *comparison) addOneSided(p pair, about Change, before, after any) {
	if p.before < 0 {
		about.Kind, about.After = Added, encodeValue(after)
	} else {
		about.Kind, about.Before = Removed, encodeValue(before)
	}
	c.addChange(about)
}

func (c *comparison) addRenaming(about Change, before, after string) {
	if before == after {
		return
	}
	about.Kind, about.Before, about.After = Renamed, encodeValue(before), encodeValue(after)
	c.addChange(about)
}

func encodeValue(value any) json.RawMessage {
	text, err := json.Marshal(value)
	if err != nil {
		return nil // Strings and the document's types can always be encoded.
	}
	return text
}

func compareKeyed[T any](c *comparison, about Change, list string, before, after []T, key func(*T) string) {
	m := matcher{}
	for i := range before {
		name := key(&before[i])
		if now, ok := c.names.variables[name]; ok {
			name = now
		}
		m.before = append(m.before, entry{key: name})
	}
	for j := range after {
		m.after = append(m.after, entry{key: key(&after[j])})
	}
	for _, p := range m.matchAll() {
		if p.after < 0 {
			about.Name, about.Path = key(&before[p.before]), itemPath(list, p.before)
			c.addOneSided(p, about, &before[p.before], nil)
			continue
		}
		about.Name, about.Path = key(&after[p.after]), itemPath(list, p.after)
		if p.before < 0 {
			c.addOneSided(p, about, nil, &after[p.after])
			continue
		}
		c.compareMembers(about, &before[p.before], &after[p.after], nil)
	}
}

func (c *comparison) compareVariables() {
	for _, e := range listDeclarations(c.before).entries {
		if now, ok := c.names.variables[e.key]; ok {
			c.addRenaming(Change{Thing: Variable, Name: now, Path: declarationPath(c.after, now)}, e.key, now)
		}
	}
	compareKeyed(c, Change{Thing: Variable}, "variables", c.before.Variables, c.after.Variables, func(v *personas.Variable) string { return v.Key })
}

func declarationPath(p *personas.Persona, key string) string {
	for i := range p.Variables {
		if p.Variables[i].Key == key {
			return itemPath("variables", i) + ".key"
		}
	}
	for i := range p.Machines {
		m := &p.Machines[i]
		at := itemPath("machines", i)
		for j := range m.OutputVariables {
			if m.OutputVariables[j].Key == key {
				return itemPath(at+".output_variables", j) + ".key"
			}
		}
		for j := range m.InputVariables {
			if m.InputVariables[j].Key == key {
				return itemPath(at+".input_variables", j) + ".key"
			}
		}
	}
	return "variables"
}

func (c *comparison) compareMachine(p pair) {
	if p.before < 0 {
		m := &c.after.Machines[p.after]
		c.addOneSided(p, Change{Thing: Machine, Machine: m.Key, Name: m.Key, Path: itemPath("machines", p.after)}, nil, m)
		return
	}
	if p.after < 0 {
		m := &c.before.Machines[p.before]
		c.addOneSided(p, Change{Thing: Machine, Machine: m.Key, Name: m.Key, Path: itemPath("machines", p.before)}, m, nil)
		return
	}
	x, y := &c.before.Machines[p.before], &c.after.Machines[p.after]
	at := itemPath("machines", p.after)
	about := Change{Thing: Machine, Machine: y.Key, Name: y.Key, Path: at}
	renamed := about
	renamed.Path += ".machine_key"
	c.addRenaming(renamed, x.Key, y.Key)
	c.compareMembers(about, x, y, nil)
	for _, s := range c.names.states[p] {
		c.compareState(p, s)
	}
	c.compareTransitions(p, x, y)
	compareKeyed(c, Change{Thing: OutputVariable, Machine: y.Key}, at+".output_variables", x.OutputVariables, y.OutputVariables, func(v *personas.OutputVariable) string { return v.Key })
	compareKeyed(c, Change{Thing: InputVariable, Machine: y.Key}, at+".input_variables", x.InputVariables, y.InputVariables, func(v *personas.InputVariable) string { return v.Key })
}

func (c *comparison) compareState(machine, p pair) {
	about := Change{Thing: State}
	switch {
	case p.before < 0:
		m := &c.after.Machines[machine.after]
		about.Machine, about.Name, about.Path = m.Key, m.States[p.after].Key, itemPath(itemPath("machines", machine.after)+".states", p.after)
		c.addOneSided(p, about, nil, &m.States[p.after])
		return
	case p.after < 0:
		m := &c.before.Machines[machine.before]
		about.Machine, about.Name, about.Path = c.names.machine[m.Key], m.States[p.before].Key, itemPath(itemPath("machines", machine.before)+".states", p.before)
		c.addOneSided(p, about, &m.States[p.before], nil)
		return
	}
	x, y := &c.before.Machines[machine.before].States[p.before], &c.after.Machines[machine.after].States[p.after]
	about.Machine, about.Name, about.Path = c.after.Machines[machine.after].Key, y.Key, itemPath(itemPath("machines", machine.after)+".states", p.after)
	renamed := about
	renamed.Path += ".state_key"
	c.addRenaming(renamed, x.Key, y.Key)
	c.compareMembers(about, x, y, nil)
}
