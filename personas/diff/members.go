package diff

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/personas"
)

// member is a value of a thing that is compared as a whole: a scalar, a list, or an unknown member.
type member struct {
	path  string // relative to the thing: "evaluation_criteria.pass"
	value json.RawMessage
}

// defaults are the values that mean the same as an absent member.
var defaults = map[Thing][]member{
	Machine: {
		{"scoring_mode", json.RawMessage(`"scoring"`)},
		{"pass_threshold", json.RawMessage(strconv.Itoa(personas.DefaultPassThreshold))},
		{"early_fail_bound", json.RawMessage(strconv.Itoa(personas.DefaultEarlyFailBound))},
		{"is_entry_machine", json.RawMessage(`false`)},
	},
	State: {
		{"is_initial_state", json.RawMessage(`false`)},
		{"is_terminal_state", json.RawMessage(`false`)},
		{"terminal_outcome", json.RawMessage(`"ACCEPT"`)},
	},
	Transition: {{"score_delta", json.RawMessage(`0`)}, {"priority", json.RawMessage(`0`)}},
	Link:       {{"is_auto_advance", json.RawMessage(`false`)}},
}

// comparedApart are the members that are things, or keys of things.
var comparedApart = map[Thing][]string{
	ThePersona:     {"variables", "machines", "machine_links"},
	Machine:        {"machine_key", "states", "transitions", "output_variables", "input_variables"},
	State:          {"state_key"},
	Variable:       {"key"},
	OutputVariable: {"key"},
	InputVariable:  {"key"},
}

// membersOf returns the members of a thing in document order, including defaults. It omits a name
// that repeats the key, because the name changes with the key.
func membersOf(thing Thing, value any) []member {
	text, err := json.Marshal(value)
	if err != nil {
		return nil // The document's types can always be encoded.
	}
	all := flattenObject("", text)
	all = slices.DeleteFunc(all, func(m member) bool {
		return slices.ContainsFunc(comparedApart[thing], func(name string) bool { return m.path == name || strings.HasPrefix(m.path, name+".") })
	})
	all = slices.DeleteFunc(all, func(m member) bool { return isIdle(value, m) })
	for _, d := range defaults[thing] {
		if !slices.ContainsFunc(all, func(m member) bool { return m.path == d.path }) {
			all = append(all, d)
		}
	}
	return all
}

// isIdle reports whether a member can be ignored: a name that repeats the key, a target equal to
// the current state, or an empty offline.
func isIdle(value any, m member) bool {
	switch v := value.(type) {
	case *personas.Machine:
		return m.path == "name" && v.Name == v.Key
	case *personas.State:
		return m.path == "label" && v.Label == v.Key || m.path == "offline" && string(m.value) == "{}"
	case *personas.Transition:
		stays := v.Decision != personas.DecidePass && v.To == v.From
		return m.path == "to_state_key" && stays || m.path == "offline" && string(m.value) == "{}"
	}
	return false
}

// flattenObject returns the members of an object in encoding order, nested ones with paths such as
// "a.b". object is JSON without white space, as json.Marshal writes it.
func flattenObject(path string, object json.RawMessage) []member {
	if len(object) == 0 || object[0] != '{' {
		return nil
	}
	var all []member
	for at := 1; at < len(object) && object[at] == '"'; at++ {
		colon := findValueEnd(object, at)
		end := findValueEnd(object, colon+1)
		below, value := joinPath(path, readName(object[at:colon])), object[colon+1:end]
		if nested := flattenObject(below, value); nested != nil {
			all = append(all, nested...)
		} else {
			all = append(all, member{below, value})
		}
		at = end // at the comma or the bracket
	}
	return all
}

func findValueEnd(text json.RawMessage, at int) int {
	for depth := 0; at < len(text); at++ {
		switch text[at] {
		case '"':
			for at++; text[at] != '"'; at++ {
				if text[at] == '\\' {
					at++
				}
			}
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if next := at + 1; depth == 0 && (next == len(text) || strings.IndexByte(",:}]", text[next]) >= 0) {
			return next
		}
	}
	return at
}

func readName(quoted json.RawMessage) string {
	if !bytes.ContainsRune(quoted, '\\') {
		return string(quoted[1 : len(quoted)-1])
	}
	var name string
	_ = json.Unmarshal(quoted, &name) // Output of json.Marshal is valid.
	return name
}

func joinPath(path, name string) string {
	if name == "" || strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) {
		return path + "[" + strconv.Quote(name) + "]"
	}
	if path == "" {
		return name
	}
	return path + "." + name
}

func itemPath(list string, i int) string { return list + "[" + strconv.Itoa(i) + "]" }

func valuesByPath(all []member) map[string]json.RawMessage {
	values := make(map[string]json.RawMessage, len(all))
	for _, m := range all {
		if _, twice := values[m.path]; !twice {
			values[m.path] = m.value
		}
	}
	return values
}

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
