// Package diff compares the meaning of two personas, not their notation. It reports renamed states,
// machines and variables, changed values of members, and the consequences for players, from the
// proofs of both versions (personas/prove). The order of members is ignored, the order of items is
// compared only where it matters to the engine, and an explicit default equals an omitted one. The
// package does not read files, ignores layout and comments, and does not judge which version is
// better.
//
// # Identity
//
// A machine, a state or a variable is the same thing in both versions if its key is the same, as
// for machine ids and sessions. All others are matched by similarity (see alike): a match is
// reported as one renaming, even if the key occurs in several places. Transitions and links do not
// have keys. They are paired by their ends, their decision and their condition.
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
	transitions   map[pair][]pair // by the pair of their machines
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
	lists         [2]string // the paths of the lists
	name          func(*T) string
	keyMember     string                           // "" if a different name is not reported
	named         func(member, text string) string // the later name of a key in a member
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

// encodeValue returns a string, or a thing of a document, as JSON. Both can always be encoded.
func encodeValue(value any) json.RawMessage {
	text, _ := json.Marshal(value)
	return text
}

// compareMembers compares both versions of a thing, member by member, in document order. It calls
// named with the texts of the earlier version. named replaces keys and variables in a text by their
// later names.
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
		change.Thing, change.Machine, change.Name, change.Path = about.Thing, about.Machine, about.Name, memberPath(about.Path, path)
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
	m.pairByKey(func(i int) string { return laterKey(c.names.variables, key(&before[i])) }, func(j int) string { return key(&after[j]) })
	t := things[T]{before: before, after: after, lists: [2]string{list, list}, name: key, named: c.names.currentMember}
	for _, p := range m.completePairs() {
		compareThing(c, about, p, t)
	}
}

func (c *comparison) compareVariables() {
	later := listDeclarations(c.after)
	for _, e := range listDeclarations(c.before).entries {
		if now := laterKey(c.names.variables, e.key); now != e.key {
			c.changes = append(c.changes, Change{Thing: Variable, Name: now, Path: later.path[now]}.with(Renamed, e.key, now))
		}
	}
	compareKeyed(c, Change{Thing: Variable}, "variables", c.before.Variables, c.after.Variables, func(v *personas.Variable) string { return v.Key })
}

func (c *comparison) compareMachine(p pair) {
	about := Change{Thing: Machine}
	if p.after < 0 {
		about.Machine = c.before.Machines[p.before].Key
	} else {
		about.Machine = c.after.Machines[p.after].Key
	}
	compareThing(c, about, p, things[personas.Machine]{
		before: c.before.Machines, after: c.after.Machines, lists: [2]string{"machines", "machines"},
		name: func(m *personas.Machine) string { return m.Key }, keyMember: "machine_key", named: c.names.currentMember,
	})
	if !p.isKept() {
		return
	}
	x, y := &c.before.Machines[p.before], &c.after.Machines[p.after]
	was, at := itemPath("machines", p.before), itemPath("machines", p.after)
	states := things[personas.State]{
		before: x.States, after: y.States, lists: [2]string{was + ".states", at + ".states"},
		name: func(s *personas.State) string { return s.Key }, keyMember: "state_key", named: c.names.currentMember,
	}
	for _, s := range c.names.states[p] {
		compareThing(c, Change{Thing: State, Machine: y.Key}, s, states)
	}
	c.compareTransitions(p, x, y)
	compareKeyed(c, Change{Thing: OutputVariable, Machine: y.Key}, at+".output_variables", x.OutputVariables, y.OutputVariables, func(v *personas.OutputVariable) string { return v.Key })
	compareKeyed(c, Change{Thing: InputVariable, Machine: y.Key}, at+".input_variables", x.InputVariables, y.InputVariables, func(v *personas.InputVariable) string { return v.Key })
}

func (c *comparison) compareTransitions(p pair, x, y *personas.Machine) {
	states := c.names.state[x.Key]
	var before, after []connection
	for i := range x.Transitions {
		before = append(before, transitionConnection(&x.Transitions[i], states))
	}
	for j := range y.Transitions {
		after = append(after, transitionConnection(&y.Transitions[j], nil))
	}
	pairs := matchConnections(before, after)
	c.transitions[p] = pairs
	t := things[personas.Transition]{
		before: x.Transitions, after: y.Transitions, named: c.endNamer(states, "from_state_key", "to_state_key"),
		lists: [2]string{itemPath("machines", p.before) + ".transitions", itemPath("machines", p.after) + ".transitions"},
		name:  transitionName,
	}
	for _, r := range pairs {
		compareThing(c, Change{Thing: Transition, Machine: y.Key}, r, t)
	}
	c.compareOrder(p, pairs)
}

// endNamer returns a function that translates keys in the members from and to, and variables in
// texts, to their later names.
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

// compareOrder adds a change for each state in which the order of transitions with the same
// priority has changed. It ignores added and removed transitions.
func (c *comparison) compareOrder(machine pair, pairs []pair) {
	x, y := &c.before.Machines[machine.before], &c.after.Machines[machine.after]
	type group struct {
		from     string
		priority int
	}
	last, told := map[group]int{}, map[string]bool{}
	for _, p := range pairs {
		if !p.isKept() {
			continue
		}
		s, t := &x.Transitions[p.before], &y.Transitions[p.after]
		if s.Priority != t.Priority || laterKey(c.names.state[x.Key], s.From) != t.From {
			continue
		}
		g := group{t.From, t.Priority}
		if p.before < last[g] && !told[t.From] {
			told[t.From] = true
			c.changes = append(c.changes, Change{Kind: Reordered, Thing: State, Machine: y.Key, Name: t.From, Member: "transitions", Path: itemPath("machines", machine.after) + ".transitions"})
		}
		last[g] = max(last[g], p.before)
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
	x, y := primaryKey(c.before), primaryKey(c.after)
	if moved && x != "" && y != "" && laterKey(c.names.machine, x) != y {
		c.changes = append(c.changes, Change{Thing: ThePersona, Member: "machines", Path: "machines"}.with(Reordered, x, y))
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

// members are the values of a thing that are compared as a whole: scalars, lists and unknown members.
// Their paths are relative to the thing: "evaluation_criteria.pass".
type members map[string]json.RawMessage

// defaults are the values that mean the same as an absent member.
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

// membersOf returns the members of a thing, including defaults. It omits a name that equals the
// key, because such a name changes together with the key.
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

// isIdle reports whether a member can be ignored: a name that repeats the key, a target equal to
// the current state, or an empty offline.
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
	isUnordered := strings.HasPrefix(path, "offline.") // The offline model chooses among lines and examples in any order.
	if isUnordered && (x != nil || before == nil) && (y != nil || after == nil) {
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
	left := map[string]int{}
	for _, text := range y {
		left[text]++
	}
	var pieces []Piece
	for _, text := range x {
		if left[named(text)]--; left[named(text)] < 0 {
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
	Renamed   Kind = "renamed"   // the key changed; Before and After are the keys
	Changed   Kind = "changed"   // the value of Member changed
	Reordered Kind = "reordered" // the items are tried in another order
)

// Thing is the kind of the subject of a change.
type Thing string

// The things of a persona. Output and input variables of machines are reported as variables if
// their keys differ.
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

// Change is one difference. Machine is the key of the changed machine, or of the machine with the
// changed state or transition. Name is the key of the changed machine, state or variable. For a
// transition or a link it is the keys of both ends. Machine, Name and Path are those in the later
// version, except for what was removed. Before and
// After are nil if the value does not exist. Words is the word-by-word change of a text. Items are
// the texts that were added to or removed from an unordered list.
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

// Report is the difference between two personas. Effects are the consequences for players. If they
// are unknown, Unproved is the reason. Identical means that the notation is also the same, except
// for the order of members.
type Report struct {
	Same      bool     `json:"same"`
	Identical bool     `json:"identical"`
	Changes   []Change `json:"changes"`
	Effects   []Effect `json:"effects"`
	Unproved  string   `json:"unproved,omitempty"`
}

// Compare returns the changes from one persona to another. It is deterministic. The result is empty
// for equal personas.
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
