package diff

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/personas"
)

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
