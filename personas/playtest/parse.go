package playtest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/wire"
)

// MaxSteps is the maximum number of steps in a play file, counted for every variant.
const MaxSteps = 1000

// MaxSaid is the maximum length of all messages in a play file in characters, counted for every
// variant.
const MaxSaid = 50_000

// maxFilled limits the bytes of a file times the number of variants.
const maxFilled = 1 << 30

// Parse parses a play file (YAML or JSON). With faults, the File contains the valid parts. Faults
// are in the order of the text.
func Parse(name string, src []byte) (File, personas.SourceMap, []personas.Diagnostic) {
	f := File{Name: name}
	raw, places, faults := personas.Values(name, src)
	if len(faults) > 0 {
		return f, places, faults
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var root any
	r := &playReader{places: places, size: len(raw)}
	if err := decoder.Decode(&root); err != nil {
		r.addFaultAt("", "the document cannot be read: %v", err)
		return f, places, r.faults
	}
	r.readFile(value{v: root}, &f)
	slices.SortStableFunc(r.faults, func(a, b personas.Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return f, places, r.faults
}

func (r *playReader) readFile(node value, f *File) {
	_, several := node.findMember("plays")
	names := []string{"persona", "player", "machine", "steps", "variants", "name", "plays"}
	if several {
		names = []string{"persona", "player", "plays"}
	}
	if !r.checkMembers(node, names...) {
		return
	}
	if f.Persona = r.readText(node, "persona"); f.Persona == "" && len(r.faults) == 0 {
		r.addFaultAt("", "persona is missing: the path of the persona file, relative to this file")
	}
	player := r.readPlayer(node, Player{Name: "Ann", Gender: "female"})
	if !several {
		r.readVariants(node, player, f)
		return
	}
	plays := r.readList(node, "plays")
	if len(plays) == 0 {
		r.addFaultAt("plays", "plays is empty: add a play-through with steps")
	}
	for _, play := range plays {
		if r.steps > MaxSteps || r.length > MaxSaid {
			return
		}
		if r.checkMembers(play, "name", "player", "machine", "steps", "variants") {
			r.readVariants(play, r.readPlayer(play, player), f)
		}
	}
}

func (r *playReader) readPlayer(node value, p Player) Player {
	m, ok := node.findMember("player")
	if !ok || !r.checkMembers(m, "name", "gender") {
		return p
	}
	p.Name = cmp.Or(r.readText(m, "name"), p.Name)
	if p.Gender = cmp.Or(r.readText(m, "gender"), p.Gender); !slices.Contains(wire.Genders, p.Gender) {
		r.addFaultAt(personas.JoinPath(m.path, "gender"), "gender %q is not one of %s",
			p.Gender, strings.Join(wire.Genders, ", "))
	}
	if n := len([]rune(p.Name)); n > wire.MaxPlayerName {
		r.addFaultAt(personas.JoinPath(m.path, "name"), "the player's name has %d characters; at most %d are allowed",
			n, wire.MaxPlayerName)
	}
	return p
}

func (r *playReader) readVariants(node value, player Player, file *File) {
	rows := r.readList(node, "variants")
	if _, ok := node.findMember("variants"); !ok {
		rows = []value{{}}
	} else if len(rows) == 0 {
		r.addFaultAt(personas.JoinPath(node.path, "variants"), "the table of variants is empty")
	} else if len(rows)*r.size > maxFilled {
		r.addFaultAt(personas.JoinPath(node.path, "variants"), "%d variants are too many for a file of %d bytes; split it",
			len(rows), r.size)
		return
	}
	for i, row := range rows {
		play := Play{Name: r.readText(node, "name"), Path: node.path, Player: player}
		filled := node
		if row.path != "" {
			if _, ok := row.v.(map[string]any); !ok {
				r.addFaultAt(row.path, "a variant must be an object with a value for each name, but it is %s", describeValue(row.v))
				continue
			}
			play.Variant = cmp.Or(r.readText(row, "name"), strconv.Itoa(i+1))
			written, _ := node.v.(map[string]any)
			filled.v = map[string]any{
				"machine": fillColumns(written["machine"], row), "steps": fillColumns(written["steps"], row),
			}
		}
		if r.readSteps(filled, &play); !r.checkSize(&play) {
			return
		}
		file.Plays = append(file.Plays, play)
	}
}

func (r *playReader) checkSize(play *Play) bool {
	for i := range play.Steps {
		step := &play.Steps[i]
		if !step.Opening { // the opening is not in the file
			r.steps++
		}
		r.length += utf8.RuneCountInString(step.Say)
		if r.steps > MaxSteps {
			r.addFaultAt(step.Path, "the file has more than %d steps up to here, counted for every variant; split it", MaxSteps)
			return false
		}
		if r.length > MaxSaid {
			r.addFaultAt(step.Path, "the messages of the file have more than %d characters up to here, counted for every "+
				"variant; split it", MaxSaid)
			return false
		}
	}
	return true
}

// CountSaid returns the length of all messages in characters.
func (f *File) CountSaid() int {
	count := 0
	for i := range f.Plays {
		for j := range f.Plays[i].Steps {
			count += utf8.RuneCountInString(f.Plays[i].Steps[j].Say)
		}
	}
	return count
}

func (r *playReader) readSteps(node value, play *Play) {
	steps := r.readList(node, "steps")
	if len(steps) == 0 {
		r.addFaultAt(cmp.Or(personas.JoinPath(node.path, "steps"), node.path),
			"steps are missing: add at least one, such as `- say: Hello`")
		return
	}
	if first, ok := valueAt(steps[0].v, "").findMember("machine"); !ok || first.v == nil {
		machine := r.readText(node, "machine")
		play.Steps = append(play.Steps, Step{Path: node.path, Opening: true, Start: true, Machine: machine})
	} else if m, ok := node.findMember("machine"); ok {
		r.addFaultAt(m.path, "machine is given twice: here and in the first step")
	}
	for _, s := range steps {
		play.Steps = append(play.Steps, r.readStep(s))
	}
}

func (r *playReader) readStep(node value) Step {
	s, before := Step{Path: node.path}, len(r.faults)
	if !r.checkMembers(node, "say", "machine", "expect") {
		return s
	}
	_, hasSay := node.findMember("say")
	_, starts := node.findMember("machine")
	if hasSay == starts && (hasSay || len(r.faults) == before) { // a misspelt member was already reported
		r.addFaultAt(node.path, "a step needs either say (a message) or machine (a machine to start)")
	}
	s.Start, s.Say, s.Machine = starts, r.readText(node, "say"), r.readText(node, "machine")
	if n := len([]rune(s.Say)); n > wire.MaxMessage {
		r.addFaultAt(personas.JoinPath(node.path, "say"), "the message has %d characters; at most %d are allowed",
			n, wire.MaxMessage)
	} else if hasSay && strings.TrimSpace(s.Say) == "" {
		r.addFaultAt(personas.JoinPath(node.path, "say"), "the message is empty")
	}
	if expect, ok := node.findMember("expect"); ok {
		s.Expect = r.readExpectations(expect, starts)
	}
	return s
}

func (r *playReader) readExpectations(node value, opening bool) []Expectation {
	names := []string{
		ExpectDecision, ExpectState, ExpectScore, ExpectRedirects, ExpectFollowUp, ExpectAside,
		ExpectOutcome, ExpectUnlocked, ExpectVariable, "reply",
	}
	if opening {
		names = []string{"reply", ExpectVariable, ExpectLocked}
	}
	if !r.checkMembers(node, names...) {
		return nil
	}
	var all []Expectation
	for _, name := range names {
		m, ok := node.findMember(name)
		if !ok {
			continue
		}
		switch name {
		case "reply":
			all = append(all, r.readReply(m)...)
		case ExpectVariable:
			all = append(all, r.readVariables(m)...)
		case ExpectUnlocked:
			e := Expectation{Member: ExpectUnlocked, Path: m.path, List: []string{}}
			for _, key := range r.readTexts(m) {
				e.List = append(e.List, fmt.Sprint(key.v))
			}
			all = append(all, e)
		default:
			all = append(all, r.readScalar(name, m))
		}
	}
	return all
}

var words = map[string][]string{
	ExpectDecision: {
		string(personas.DecidePass), string(personas.DecideRedirect), string(personas.DecideReject),
		string(personas.DecideKickOut), None,
	},
	ExpectOutcome:  {string(personas.Accept), string(personas.Reject), string(personas.KickOut), None},
	ExpectFollowUp: {"true", "false"},
	ExpectAside:    {"true", "false"},
	ExpectLocked:   {"true", "false"},
}

func (r *playReader) readScalar(name string, m value) Expectation {
	e := Expectation{Member: name, Path: m.path}
	switch v := m.v.(type) {
	case string, bool, json.Number:
		e.Want = fmt.Sprint(v)
	default:
		r.addFaultAt(m.path, "%s must be one value, but it is %s", name, describeValue(v))
		return e
	}
	choices := words[name]
	if len(choices) > 0 && !slices.Contains(choices, e.Want) {
		r.addFaultAt(m.path, "%s %q is not one of %s", name, e.Want, strings.Join(choices, ", "))
	}
	if name == ExpectScore || name == ExpectRedirects && e.Want != None {
		n, err := strconv.ParseFloat(e.Want, 64)
		if err != nil || n != float64(int64(n)) {
			r.addFaultAt(m.path, "%s must be a whole number, but it is %s", name, describeValue(m.v))
		}
		e.Want = strconv.FormatInt(int64(n), 10)
	}
	return e
}

func (r *playReader) readVariables(m value) []Expectation {
	object, ok := m.v.(map[string]any)
	if !ok {
		r.addFaultAt(m.path, "variables must be an object of keys with their values, but it is %s", describeValue(m.v))
	}
	var all []Expectation
	for _, key := range sortedNames(object) {
		v, _ := m.findMember(key)
		all = append(all, Expectation{Member: ExpectVariable, Path: v.path, Variable: key, Want: r.textOf(v)})
	}
	return all
}

func (r *playReader) readReply(m value) []Expectation {
	if _, isObject := m.v.(map[string]any); !isObject {
		return r.readReplyParts(ExpectContains, m)
	}
	r.checkMembers(m, "contains", "lacks", "matches")
	var all []Expectation
	for _, member := range []string{ExpectContains, ExpectLacks, ExpectMatches} {
		if part, ok := m.findMember(strings.TrimPrefix(member, "reply.")); ok {
			all = append(all, r.readReplyParts(member, part)...)
		}
	}
	return all
}

func (r *playReader) readReplyParts(member string, m value) []Expectation {
	var all []Expectation
	for _, part := range r.readTexts(m) {
		e := Expectation{Member: member, Path: part.path}
		e.Want, _ = part.v.(string)
		if member == ExpectMatches {
			e.pattern = r.readPattern(part.path, e.Want)
		}
		all = append(all, e)
	}
	return all
}

// value is a value of a play file with its path. v is nil, bool, json.Number, string, []any,
// map[string]any or a cell of the table of variants.
type value struct {
	v    any
	path string
}

type cell value

func valueAt(v any, path string) value {
	if c, ok := v.(cell); ok {
		return value(c)
	}
	return value{v, path}
}

func (x value) itemAt(i int, v any) value { return valueAt(v, x.path+"["+strconv.Itoa(i)+"]") }

func (x value) findMember(name string) (value, bool) {
	object, _ := x.v.(map[string]any)
	v, ok := object[name]
	return valueAt(v, personas.JoinPath(x.path, name)), ok && v != nil
}

func fillColumns(v any, row value) any {
	switch v := v.(type) {
	case string:
		return fillTextColumns(v, row)
	case []any:
		filled := make([]any, len(v))
		for i := range v {
			filled[i] = fillColumns(v[i], row)
		}
		return filled
	case map[string]any:
		filled := make(map[string]any, len(v))
		for name := range v {
			filled[name] = fillColumns(v[name], row)
		}
		return filled
	}
	return v
}

func fillTextColumns(text string, row value) any {
	if name, ok := strings.CutPrefix(text, "<"); ok && strings.HasSuffix(name, ">") {
		if c, ok := row.findMember(strings.TrimSuffix(name, ">")); ok {
			return cell(c)
		}
	}
	columns, _ := row.v.(map[string]any)
	var pairs []string
	for _, name := range sortedNames(columns) {
		switch v := columns[name].(type) {
		case string, bool, json.Number: // a list cannot be inserted in a text
			pairs = append(pairs, "<"+name+">", fmt.Sprint(v))
		}
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

type playReader struct {
	places personas.SourceMap
	faults []personas.Diagnostic
	size   int // bytes of the file
	steps  int // counted for every variant
	length int // characters, counted for every variant
	parts  int // of regular expressions
}

const maxFaults = 100

func (r *playReader) addFaultAt(path, format string, args ...any) {
	r.addFault(personas.Diagnostic{Path: path, Position: r.places.Lookup(path), Message: fmt.Sprintf(format, args...)})
}

func (r *playReader) addFault(f personas.Diagnostic) {
	if len(r.faults) >= maxFaults {
		return
	}
	// Steps are read for each variant, but faults are reported once.
	if !slices.ContainsFunc(r.faults, func(other personas.Diagnostic) bool {
		return other.Position == f.Position && other.Message == f.Message || other.Path == f.Path && f.Path != ""
	}) {
		r.faults = append(r.faults, f)
	}
}

func (r *playReader) checkMembers(node value, names ...string) bool {
	object, ok := node.v.(map[string]any)
	if !ok {
		r.addFaultAt(node.path, "%s must be an object with members, but it is %s", titleOf(node.path), describeValue(node.v))
		return false
	}
	for _, name := range sortedNames(object) {
		if slices.Contains(names, name) || strings.HasPrefix(name, "x-") {
			continue
		}
		path := personas.JoinPath(node.path, name)
		hint := "the members are " + strings.Join(names, ", ")
		if near := personas.Nearest(name, names); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		message := fmt.Sprintf("%s has no member %q; %s", titleOf(node.path), name, hint)
		r.addFault(personas.Diagnostic{Path: path, Position: r.places.Key(path), Message: message})
	}
	return true
}

func titleOf(path string) string {
	if path == "" {
		return "the play file"
	}
	return (*personas.Persona)(nil).NamePath(path)
}

func describeValue(v any) string {
	switch v := v.(type) {
	case nil:
		return "empty"
	case string:
		return "the text " + strconv.Quote(v)
	case json.Number:
		return "the number " + v.String()
	case bool:
		return "the boolean " + strconv.FormatBool(v)
	case []any:
		return "a list"
	}
	return "an object"
}

func (r *playReader) readText(node value, name string) string {
	m, ok := node.findMember(name)
	if !ok {
		return ""
	}
	return r.textOf(m)
}

func (r *playReader) textOf(node value) string {
	s, ok := node.v.(string)
	if !ok {
		r.addFaultAt(node.path, "%s must be a text, but it is %s", titleOf(node.path), describeValue(node.v))
	}
	return s
}

func (r *playReader) readList(node value, name string) []value {
	m, ok := node.findMember(name)
	if !ok {
		return nil
	}
	items, ok := m.v.([]any)
	if !ok {
		r.addFaultAt(m.path, "%s must be a list, but it is %s", titleOf(m.path), describeValue(m.v))
	}
	list := make([]value, len(items))
	for i, item := range items {
		list[i] = m.itemAt(i, item)
	}
	return list
}

func (r *playReader) readTexts(node value) []value {
	items, ok := node.v.([]any)
	if !ok {
		r.textOf(node)
		return []value{node}
	}
	list := make([]value, len(items))
	for i, item := range items {
		list[i] = node.itemAt(i, item)
		r.textOf(list[i])
	}
	return list
}

func sortedNames(object map[string]any) []string { return slices.Sorted(maps.Keys(object)) }

// A regular expression of 1 MiB took 1.3 GB of memory.
const (
	maxPattern = 1000   // bytes
	maxParts   = 20_000 // of all patterns in a file, including repetitions
)

func (r *playReader) readPattern(path, text string) *regexp.Regexp {
	if len(text) > maxPattern {
		r.addFaultAt(path, "the regular expression has %d bytes; at most %d are allowed", len(text), maxPattern)
		return nil
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		r.addFaultAt(path, "invalid regular expression: %v", err)
		return nil
	}
	if r.parts += countParts(tree); r.parts > maxParts {
		r.addFaultAt(path, "the regular expressions of the file have more than %d parts up to here, including "+
			"repetitions; split it", maxParts)
		return nil
	}
	return regexp.MustCompile(text)
}

func countParts(tree *syntax.Regexp) int {
	n := 1 + len(tree.Rune)
	for _, sub := range tree.Sub {
		n += countParts(sub)
	}
	if tree.Op == syntax.OpRepeat {
		n *= max(1, tree.Min, tree.Max)
	}
	return n
}
