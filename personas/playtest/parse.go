package playtest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/wire"
)

// MaxSteps is the greatest number of steps of one play file, those of every
// variant counted (docs/decisions/playtest.md, steps-bound).
const MaxSteps = 100_000

// maxFilled is the greatest product of a file's size in bytes and its variants.
const maxFilled = 1 << 30

// Parse reads a play file (YAML or JSON). With faults, the file is what could
// be read; faults are in the order of the text.
func Parse(name string, src []byte) (File, personas.SourceMap, []personas.Fault) {
	f := File{Name: name}
	raw, places, faults := personas.Values(name, src)
	if len(faults) > 0 {
		return f, places, faults
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var root any
	r := &reader{places: places, size: len(raw)}
	if err := decoder.Decode(&root); err != nil {
		r.fault("", "the document cannot be read: %v", err)
		return f, places, r.faults
	}
	r.file(value{v: root}, &f)
	slices.SortStableFunc(r.faults, func(a, b personas.Fault) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column))
	})
	return f, places, r.faults
}

func (r *reader) file(x value, f *File) {
	_, several := x.member("plays")
	names := []string{"persona", "player", "machine", "steps", "variants", "name"}
	if several {
		names = []string{"persona", "player", "plays"}
	}
	if !r.known(x, names...) {
		return
	}
	if f.Persona = r.text(x, "persona"); f.Persona == "" && len(r.faults) == 0 {
		r.fault("", "persona is missing: the path of the persona file, relative to this file")
	}
	player := r.player(x, Player{Name: "Ann", Gender: "female"})
	if !several {
		r.variants(x, player, f)
		return
	}
	plays := r.list(x, "plays")
	if len(plays) == 0 {
		r.fault("plays", "plays is empty: give it a play-through with steps")
	}
	for _, play := range plays {
		if r.known(play, "name", "player", "machine", "steps", "variants") {
			r.variants(play, r.player(play, player), f)
		}
	}
}

func (r *reader) player(x value, p Player) Player {
	m, ok := x.member("player")
	if !ok || !r.known(m, "name", "gender") {
		return p
	}
	p.Name = cmp.Or(r.text(m, "name"), p.Name)
	if p.Gender = cmp.Or(r.text(m, "gender"), p.Gender); !slices.Contains(wire.Genders, p.Gender) {
		r.fault(join(m.path, "gender"), "gender %q is not one of %s", p.Gender, strings.Join(wire.Genders, ", "))
	}
	if n := len([]rune(p.Name)); n > wire.MaxPlayerName {
		r.fault(join(m.path, "name"), "the player's name has %d characters; at most %d are allowed", n, wire.MaxPlayerName)
	}
	return p
}

// variants reads a play once for each row of its table of variants.
func (r *reader) variants(x value, player Player, f *File) {
	rows := r.list(x, "variants")
	if _, there := x.member("variants"); !there {
		rows = []value{{}}
	} else if len(rows) == 0 {
		r.fault(join(x.path, "variants"), "the table of variants is empty")
	} else if len(rows)*r.size > maxFilled {
		r.fault(join(x.path, "variants"), "%d variants are too many for a file of %d bytes; split it", len(rows), r.size)
		return
	}
	for i, row := range rows {
		play := Play{Name: r.text(x, "name"), Path: x.path, Player: player}
		filled := x
		if row.path != "" {
			if !r.row(row) {
				continue
			}
			play.Variant = cmp.Or(r.text(row, "name"), strconv.Itoa(i+1))
			filled.v = fillPlay(x.v, row)
		}
		if r.steps(filled, &play); r.tooMany(x, f, len(play.Steps)) {
			return
		}
		f.Plays = append(f.Plays, play)
	}
}

// fillPlay fills what the play does, and leaves the table alone.
func fillPlay(v any, row value) any {
	play, _ := v.(map[string]any)
	return map[string]any{"machine": fill(play["machine"], row), "steps": fill(play["steps"], row)}
}

// row makes sure that a row of the table is one.
func (r *reader) row(row value) bool {
	if _, ok := row.v.(map[string]any); !ok {
		r.fault(row.path, "a variant must be an object with a value for each name, but it is %s", describe(row.v))
		return false
	}
	return true
}

func (r *reader) tooMany(x value, f *File, more int) bool {
	for _, p := range f.Plays {
		more += len(p.Steps)
	}
	if more > MaxSteps {
		r.fault(x.path, "the file has more than %d steps, those of every variant counted; split it", MaxSteps)
	}
	return more > MaxSteps
}

func (r *reader) steps(x value, play *Play) {
	steps := r.list(x, "steps")
	if len(steps) == 0 {
		r.fault(cmp.Or(join(x.path, "steps"), x.path), "steps are missing: give at least one, such as `- say: Hello`")
		return
	}
	if first, ok := at(steps[0].v, "").member("machine"); !ok || first.v == nil {
		play.Steps = append(play.Steps, Step{Path: x.path, Start: true, Machine: r.text(x, "machine")})
	} else if m, ok := x.member("machine"); ok {
		r.fault(m.path, "machine is given twice: here and by the first step")
	}
	for _, s := range steps {
		play.Steps = append(play.Steps, r.step(s))
	}
}

func (r *reader) step(x value) Step {
	s := Step{Path: x.path}
	if !r.known(x, "say", "machine", "expect") {
		return s
	}
	_, says := x.member("say")
	_, starts := x.member("machine")
	if says == starts {
		r.fault(x.path, "a step needs either say (a message) or machine (a machine to start)")
	}
	s.Start, s.Say, s.Machine = starts, r.text(x, "say"), r.text(x, "machine")
	if n := len([]rune(s.Say)); n > wire.MaxMessage {
		r.fault(join(x.path, "say"), "the message has %d characters; at most %d are allowed", n, wire.MaxMessage)
	} else if says && strings.TrimSpace(s.Say) == "" {
		r.fault(join(x.path, "say"), "the message is empty")
	}
	if expect, ok := x.member("expect"); ok {
		s.Expect = r.expect(expect, starts)
	}
	return s
}

// expect reads a step's expectations. Those of an opening are fewer, since it
// decides nothing.
func (r *reader) expect(x value, opening bool) []Expectation {
	names := []string{ExpectDecision, ExpectState, ExpectScore, ExpectRedirects, ExpectFollowUp, ExpectOutcome, ExpectUnlocked, ExpectVariable, "reply"}
	if opening {
		names = []string{"reply", ExpectVariable, ExpectLocked}
	}
	if !r.known(x, names...) {
		return nil
	}
	var all []Expectation
	for _, name := range names {
		m, ok := x.member(name)
		if !ok {
			continue
		}
		switch name {
		case "reply":
			all = append(all, r.reply(m)...)
		case ExpectVariable:
			all = append(all, r.variables(m)...)
		case ExpectUnlocked:
			all = append(all, r.unlocked(m))
		default:
			all = append(all, r.scalar(name, m))
		}
	}
	return all
}

// words are the values that an expectation can have, where they are few.
var words = map[string][]string{
	ExpectDecision: {string(personas.DecidePass), string(personas.DecideRedirect), string(personas.DecideReject), string(personas.DecideKickOut), None},
	ExpectOutcome:  {string(personas.Accept), string(personas.Reject), string(personas.KickOut), None},
	ExpectFollowUp: {"true", "false"},
	ExpectLocked:   {"true", "false"},
}

func (r *reader) scalar(name string, m value) Expectation {
	e := Expectation{Member: name, Path: m.path}
	switch v := m.v.(type) {
	case string, bool, json.Number:
		e.Want = fmt.Sprint(v)
	default:
		r.fault(m.path, "%s must be one value, but it is %s", name, describe(v))
		return e
	}
	choices := words[name]
	if len(choices) > 0 && !slices.Contains(choices, e.Want) {
		r.fault(m.path, "%s %q is not one of %s", name, e.Want, strings.Join(choices, ", "))
	}
	if name == ExpectScore || name == ExpectRedirects && e.Want != None {
		n, err := strconv.ParseFloat(e.Want, 64)
		if err != nil || n != float64(int64(n)) {
			r.fault(m.path, "%s must be a whole number, but it is %s", name, describe(m.v))
		}
		e.Want = strconv.FormatInt(int64(n), 10)
	}
	return e
}

func (r *reader) unlocked(m value) Expectation {
	e := Expectation{Member: ExpectUnlocked, Path: m.path, List: []string{}}
	for _, key := range r.texts(m) {
		e.List = append(e.List, fmt.Sprint(key.v))
	}
	return e
}

func (r *reader) variables(m value) []Expectation {
	object, ok := m.v.(map[string]any)
	if !ok {
		r.fault(m.path, "variables must be an object of keys with their values, but it is %s", describe(m.v))
	}
	var all []Expectation
	for _, key := range sorted(object) {
		v, _ := m.member(key)
		all = append(all, Expectation{Member: ExpectVariable, Path: v.path, Variable: key, Want: r.asText(v)})
	}
	return all
}

// reply is what a reply should say: a text, or contains, lacks and matches.
func (r *reader) reply(m value) []Expectation {
	if _, isObject := m.v.(map[string]any); !isObject {
		return r.parts(ExpectContains, m)
	}
	r.known(m, "contains", "lacks", "matches")
	var all []Expectation
	for _, member := range []string{ExpectContains, ExpectLacks, ExpectMatches} {
		if part, ok := m.member(strings.TrimPrefix(member, "reply.")); ok {
			all = append(all, r.parts(member, part)...)
		}
	}
	return all
}

func (r *reader) parts(member string, m value) []Expectation {
	var all []Expectation
	for _, part := range r.texts(m) {
		e := Expectation{Member: member, Path: part.path}
		e.Want, _ = part.v.(string)
		if member == ExpectMatches {
			pattern, err := regexp.Compile(e.Want)
			if err != nil {
				r.fault(part.path, "not a regular expression: %v", err)
			}
			e.pattern = pattern
		}
		all = append(all, e)
	}
	return all
}
