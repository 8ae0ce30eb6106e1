// Package diff compares the meaning of two personas. The result contains renamed keys, changed
// values, and the consequences for players. Package prove computes the consequences. The order of
// members, layout, comments and explicit defaults are ignored. The order of items counts only if
// the engine uses the order. The package does not read files.
//
// # Identity
//
// Machines, states and variables with equal keys are paired. The others are paired by similarity,
// and each pair is reported as one renaming. Transitions and links have no keys. They are paired by
// ends, decision and condition.
package diff

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
)

type comparison struct {
	before, after *personas.Persona
	names         *keyNames
	transitions   map[pair][]pair // by machine pair
	links         []pair
	changes       []Change
	edits         int // remaining edit attempts for all texts
}

func (c *comparison) compareAll() {
	c.edits = maxAllEdits
	c.transitions = map[pair][]pair{}
	c.compareMembers(Change{Thing: ThePersona}, c.before, c.after, c.names.currentMember)
	c.compareVariables()
	for _, p := range c.names.machines {
		c.compareMachine(p)
	}
	c.compareMachineOrder()
	c.compareLinks()
}

type things[T any] struct {
	before, after []T
	lists         [2]string // paths of the lists
	name          func(*T) string
	keyMember     string                           // "" if a different name is not reported
	named         func(member, text string) string // later name of a key in a member
}

func compareThing[T any](c *comparison, about Change, p pair, t things[T]) {
	if p.after < 0 {
		x := &t.before[p.before]
		about.Name, about.Path = t.name(x), itemPath(t.lists[0], p.before)
		c.changes = append(c.changes, about.with(Removed, x, nil))
		return
	}
	y := &t.after[p.after]
	about.Name, about.Path = t.name(y), itemPath(t.lists[1], p.after)
	if p.before < 0 {
		c.changes = append(c.changes, about.with(Added, nil, y))
		return
	}
	x := &t.before[p.before]
	if t.keyMember != "" && t.name(x) != about.Name {
		renamed := about.with(Renamed, t.name(x), about.Name)
		renamed.Path += "." + t.keyMember
		c.changes = append(c.changes, renamed)
	}
	c.compareMembers(about, x, y, t.named)
}

func (about Change) with(kind Kind, before, after any) Change {
	about.Kind = kind
	if before != nil {
		about.Before = encodeValue(before)
	}
	if after != nil {
		about.After = encodeValue(after)
	}
	return about
}

func encodeValue(value any) json.RawMessage {
	text, _ := json.Marshal(value)
	return text
}

func (c *comparison) compareMembers(about Change, before, after any, named func(member, text string) string) {
	if reflect.DeepEqual(before, after) {
		return
	}
	x, y := membersOf(about.Thing, before), membersOf(about.Thing, after)
	paths := maps.Clone(x)
	maps.Copy(paths, y)
	for _, path := range slices.SortedFunc(maps.Keys(paths), personas.ComparePaths) {
		change := c.compareValues(path, x[path], y[path], func(text string) string { return named(path, text) })
		if change == nil {
			continue
		}
		change.Thing, change.Machine, change.Name = about.Thing, about.Machine, about.Name
		change.Path = memberPath(about.Path, path)
		c.changes = append(c.changes, *change)
	}
}

func memberPath(thing, member string) string {
	if thing == "" || member != "" && member[0] == '[' {
		return thing + member
	}
	return thing + "." + member
}

func compareKeyed[T any](c *comparison, about Change, list string, before, after []T, key func(*T) string) {
	m := newMatcher(len(before), len(after))
	m.pairByKey(
		func(i int) string { return laterKey(c.names.variables, key(&before[i])) },
		func(j int) string { return key(&after[j]) },
	)
	t := things[T]{before: before, after: after, lists: [2]string{list, list}, name: key, named: c.names.currentMember}
	for _, p := range m.completePairs() {
		compareThing(c, about, p, t)
	}
}

func (c *comparison) compareVariables() {
	later := listDeclarations(c.after)
	for _, e := range listDeclarations(c.before).entries {
		if now := laterKey(c.names.variables, e.key); now != e.key {
			about := Change{Thing: Variable, Name: now, Path: later.path[now]}
			c.changes = append(c.changes, about.with(Renamed, e.key, now))
		}
	}
	compareKeyed(c, Change{Thing: Variable}, "variables", c.before.Variables, c.after.Variables,
		func(v *personas.Variable) string { return v.Key })
}

func (c *comparison) compareMachine(machine pair) {
	about := Change{Thing: Machine}
	if machine.after < 0 {
		about.Machine = c.before.Machines[machine.before].Key
	} else {
		about.Machine = c.after.Machines[machine.after].Key
	}
	compareThing(c, about, machine, things[personas.Machine]{
		before: c.before.Machines, after: c.after.Machines, lists: [2]string{"machines", "machines"},
		name: func(m *personas.Machine) string { return m.Key }, keyMember: "machine_key", named: c.names.currentMember,
	})
	if !machine.isKept() {
		return
	}
	before, after := &c.before.Machines[machine.before], &c.after.Machines[machine.after]
	earlierPath, path := itemPath("machines", machine.before), itemPath("machines", machine.after)
	states := things[personas.State]{
		before: before.States, after: after.States, lists: [2]string{earlierPath + ".states", path + ".states"},
		name: func(s *personas.State) string { return s.Key }, keyMember: "state_key", named: c.names.currentMember,
	}
	for _, s := range c.names.states[machine] {
		compareThing(c, Change{Thing: State, Machine: after.Key}, s, states)
	}
	c.compareTransitions(machine, before, after)
	compareKeyed(c, Change{Thing: OutputVariable, Machine: after.Key}, path+".output_variables",
		before.OutputVariables, after.OutputVariables, func(v *personas.OutputVariable) string { return v.Key })
	compareKeyed(c, Change{Thing: InputVariable, Machine: after.Key}, path+".input_variables",
		before.InputVariables, after.InputVariables, func(v *personas.InputVariable) string { return v.Key })
}

func (c *comparison) compareTransitions(machine pair, before, after *personas.Machine) {
	states := c.names.state[before.Key]
	var earlier, later []connection
	for i := range before.Transitions {
		earlier = append(earlier, transitionConnection(&before.Transitions[i], states))
	}
	for j := range after.Transitions {
		later = append(later, transitionConnection(&after.Transitions[j], nil))
	}
	pairs := matchConnections(earlier, later)
	c.transitions[machine] = pairs
	earlierPath, path := itemPath("machines", machine.before), itemPath("machines", machine.after)
	transitions := things[personas.Transition]{
		before: before.Transitions, after: after.Transitions,
		named: c.endNamer(states, "from_state_key", "to_state_key"),
		lists: [2]string{earlierPath + ".transitions", path + ".transitions"},
		name:  transitionName,
	}
	for _, transition := range pairs {
		compareThing(c, Change{Thing: Transition, Machine: after.Key}, transition, transitions)
	}
	c.compareOrder(machine, pairs)
}

func (c *comparison) endNamer(keys map[string]string, from, to string) func(member, text string) string {
	return func(member, text string) string {
		if member == from || member == to {
			return laterKey(keys, text)
		}
		return c.names.currentMember(member, text)
	}
}

func laterKey(names map[string]string, key string) string {
	if renamed, ok := names[key]; ok {
		return renamed
	}
	return key
}

func (c *comparison) compareOrder(machine pair, pairs []pair) {
	before, after := &c.before.Machines[machine.before], &c.after.Machines[machine.after]
	type group struct {
		from     string
		priority int
	}
	last, reported := map[group]int{}, map[string]bool{}
	for _, transition := range pairs {
		if !transition.isKept() {
			continue
		}
		s, t := &before.Transitions[transition.before], &after.Transitions[transition.after]
		if s.Priority != t.Priority || laterKey(c.names.state[before.Key], s.From) != t.From {
			continue
		}
		g := group{t.From, t.Priority}
		if transition.before < last[g] && !reported[t.From] {
			reported[t.From] = true
			c.changes = append(c.changes, Change{
				Kind: Reordered, Thing: State, Machine: after.Key, Name: t.From,
				Member: "transitions", Path: itemPath("machines", machine.after) + ".transitions",
			})
		}
		last[g] = max(last[g], transition.before)
	}
}

func (c *comparison) compareMachineOrder() {
	last, moved := -1, false
	for _, p := range c.names.machines {
		if p.isKept() {
			moved = moved || p.before < last
			last = p.before
		}
	}
	before, after := primaryKey(c.before), primaryKey(c.after)
	if moved && before != "" && after != "" && laterKey(c.names.machine, before) != after {
		about := Change{Thing: ThePersona, Member: "machines", Path: "machines"}
		c.changes = append(c.changes, about.with(Reordered, before, after))
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
	var before, after []connection
	for i := range c.before.Links {
		before = append(before, linkConnection(&c.before.Links[i], c.names.machine))
	}
	for j := range c.after.Links {
		after = append(after, linkConnection(&c.after.Links[j], nil))
	}
	c.links = matchConnections(before, after)
	t := things[personas.Link]{
		before: c.before.Links, after: c.after.Links, lists: [2]string{"machine_links", "machine_links"},
		named: c.endNamer(c.names.machine, "source_machine_key", "target_machine_key"),
		name:  LinkName,
	}
	for _, p := range c.links {
		compareThing(c, Change{Thing: Link}, p, t)
	}
}

// members maps relative paths to scalars, lists and unknown members, for example
// "evaluation_criteria.pass".
type members map[string]json.RawMessage

var defaults = map[Thing]members{
	Machine: {
		"scoring_mode":     json.RawMessage(`"scoring"`),
		"pass_threshold":   json.RawMessage(strconv.Itoa(personas.DefaultPassThreshold)),
		"early_fail_bound": json.RawMessage(strconv.Itoa(personas.DefaultEarlyFailBound)),
		"is_entry_machine": json.RawMessage(`false`),
	},
	State: {
		"is_initial_state":  json.RawMessage(`false`),
		"is_terminal_state": json.RawMessage(`false`),
		"terminal_outcome":  json.RawMessage(`"ACCEPT"`),
	},
	Transition: {"score_delta": json.RawMessage(`0`), "priority": json.RawMessage(`0`)},
	Link:       {"is_auto_advance": json.RawMessage(`false`)},
}

var comparedApart = map[Thing][]string{
	ThePersona:     {"variables", "machines", "machine_links"},
	Machine:        {"machine_key", "states", "transitions", "output_variables", "input_variables"},
	State:          {"state_key"},
	Variable:       {"key"},
	OutputVariable: {"key"},
	InputVariable:  {"key"},
}

// membersOf omits a name that equals the key, because both change together.
func membersOf(thing Thing, value any) members {
	all := maps.Clone(defaults[thing])
	if all == nil {
		all = members{}
	}
	all.flatten("", encodeValue(value))
	maps.DeleteFunc(all, func(path string, text json.RawMessage) bool {
		isApart := func(name string) bool { return path == name || strings.HasPrefix(path, name+".") }
		return slices.ContainsFunc(comparedApart[thing], isApart) || isIdle(value, path, text)
	})
	return all
}

func isIdle(value any, path string, text json.RawMessage) bool {
	switch v := value.(type) {
	case *personas.Machine:
		return path == "name" && v.Name == v.Key
	case *personas.State:
		return path == "label" && v.Label == v.Key || path == "offline" && string(text) == "{}"
	case *personas.Transition:
		stays := v.Decision != personas.DecidePass && v.To == v.From
		return path == "to_state_key" && stays || path == "offline" && string(text) == "{}"
	}
	return false
}

func (m members) flatten(path string, value json.RawMessage) {
	var object map[string]json.RawMessage
	if value[0] != '{' || json.Unmarshal(value, &object) != nil || len(object) == 0 && path != "" {
		m[path] = value
		return
	}
	for name, member := range object {
		m.flatten(personas.JoinPath(path, name), member)
	}
}

func itemPath(list string, i int) string { return list + "[" + strconv.Itoa(i) + "]" }

func readTexts(value json.RawMessage) []string {
	var list []string
	if len(value) == 0 || value[0] != '[' || json.Unmarshal(value, &list) != nil {
		return nil
	}
	return list
}

func (c *comparison) compareValues(path string, before, after json.RawMessage, named func(string) string) *Change {
	if bytes.Equal(before, after) {
		return nil
	}
	change := &Change{Kind: Changed, Member: path, Before: before, After: after}
	if x, y, ok := bothTexts(before, after); ok {
		if before != nil && after != nil && named(x) == y {
			return nil
		}
		if strings.ContainsAny(x+y, " \t\n") {
			change.Words = findWords(named(x), y, &c.edits)
		}
		return change
	}
	x, y := readTexts(before), readTexts(after)
	isList := (x != nil || before == nil) && (y != nil || after == nil)
	if isList && strings.HasPrefix(path, "offline.") { // The offline model ignores the order.
		change.Items = exchangedPieces(x, y, named)
		if len(change.Items) == 0 {
			return nil
		}
	}
	return change
}

func bothTexts(before, after json.RawMessage) (x, y string, ok bool) {
	isText := func(value json.RawMessage, text *string) bool {
		return value == nil || value[0] == '"' && json.Unmarshal(value, text) == nil
	}
	return x, y, isText(before, &x) && isText(after, &y)
}

func exchangedPieces(x, y []string, named func(string) string) []Piece {
	counts := map[string]int{}
	for _, text := range y {
		counts[text]++
	}
	var pieces []Piece
	for _, text := range x {
		if counts[named(text)]--; counts[named(text)] < 0 {
			pieces = append(pieces, Piece{Delete, text})
		}
	}
	stays := map[string]int{}
	for _, text := range x {
		stays[named(text)]++
	}
	for _, text := range y {
		if stays[text]--; stays[text] < 0 {
			pieces = append(pieces, Piece{Insert, text})
		}
	}
	return pieces
}

// Kind is the kind of a change.
type Kind string

// The kinds of changes.
const (
	Added     Kind = "added"
	Removed   Kind = "removed"
	Renamed   Kind = "renamed"   // Before and After are the keys
	Changed   Kind = "changed"   // value of Member changed
	Reordered Kind = "reordered" // items are tried in another order
)

// Thing is the kind of the subject of a change.
type Thing string

// Things of a persona. Output and input variables with different keys are reported as Variable.
const (
	ThePersona     Thing = "persona"
	Variable       Thing = "variable"
	Machine        Thing = "machine"
	State          Thing = "state"
	Transition     Thing = "transition"
	OutputVariable Thing = "output_variable"
	InputVariable  Thing = "input_variable"
	Link           Thing = "link"
)

// Change is one difference. Machine is the key of the machine. Name is the key of the machine,
// state or variable, or the ends of a transition or link. Machine, Name and Path refer to the later
// version, or to the earlier version for removed things. Before or After is nil for an absent
// value. Words contains word-by-word edits. Items contains the added and removed texts of an
// unordered list.
type Change struct {
	Kind    Kind            `json:"kind"`
	Thing   Thing           `json:"thing"`
	Machine string          `json:"machine_key,omitempty"`
	Name    string          `json:"name,omitempty"`
	Member  string          `json:"member,omitempty"`
	Path    string          `json:"path"`
	Before  json.RawMessage `json:"before,omitempty"`
	After   json.RawMessage `json:"after,omitempty"`
	Words   []Piece         `json:"words,omitempty"`
	Items   []Piece         `json:"items,omitempty"`
}

// Report is the difference between two personas. Effects are the consequences for players. If
// Effects are unknown, Unproved is the reason. Identical means that both personas have the same
// JSON.
type Report struct {
	Same      bool     `json:"same"`
	Identical bool     `json:"identical"`
	Changes   []Change `json:"changes"`
	Effects   []Effect `json:"effects"`
	Unproved  string   `json:"unproved,omitempty"`
}

// Compare returns the changes from one persona to another. The result is deterministic.
func Compare(before, after *personas.Persona) *Report {
	c := &comparison{before: before, after: after, names: findNames(before, after)}
	c.compareAll()
	r := &Report{Same: len(c.changes) == 0, Changes: c.changes, Effects: []Effect{}}
	isSame, err := before.IsSame(after)
	r.Identical = r.Same && isSame && err == nil
	if r.Same {
		r.Changes = []Change{}
		return r
	}
	r.addEffects(c)
	return r
}
