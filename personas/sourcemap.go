package personas

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// SourceMap maps the paths of a document to source positions. The zero SourceMap returns the start
// of the text for every path.
type SourceMap struct {
	t    *sourceText
	root *node
}

// Lookup returns the position of the value at path, or of the nearest ancestor. A YAML alias has
// the position of the alias. A value inside an alias has the position of the original value.
func (m SourceMap) Lookup(path string) Position {
	f := m.findPath(path)
	return m.positionOf(f.n)
}

// Key returns the position of the member name at path. For a list item or a missing member, Key is
// the same as Lookup.
func (m SourceMap) Key(path string) Position {
	f := m.findPath(path)
	if f.exact && f.key != nil {
		return m.t.positionOf(f.key.span)
	}
	return m.positionOf(f.n)
}

func (m SourceMap) positionOf(n *node) Position {
	if m.t == nil || n == nil {
		return startOfText()
	}
	return m.t.positionOf(n.span)
}

// Within returns the position of the bytes [from, to) of the string at path. If the source does not
// contain the bytes literally, Within is the same as Lookup. The same is true for other values and
// for very long strings.
func (m SourceMap) Within(path string, from, to int) Position {
	match := m.findPath(path)
	if !match.exact || match.n == nil || match.n.kind != str || len(match.n.text) > utf8.UTFMax*MaxPrompt {
		return m.positionOf(match.n)
	}
	if from < 0 || from >= to || to > len(match.n.text) {
		return m.positionOf(match.n)
	}
	start, end, piece := match.n.span.start, match.n.span.end, match.n.text[from:to]
	if start < end && strings.IndexByte("|>", m.t.src[start]) >= 0 {
		start = min(headerEnd(m.t.src, start), end)
	}
	for range strings.Count(match.n.text[:from], piece) + 1 {
		_, rest, found := strings.Cut(m.t.src[min(start, end):end], piece)
		if !found {
			return m.positionOf(match.n)
		}
		start = end - len(rest)
	}
	return m.t.positionOf(span{start - len(piece), start})
}

type pathMatch struct {
	n     *node
	key   *memberName
	exact bool // the whole path exists
}

func (m SourceMap) findPath(path string) pathMatch {
	match := pathMatch{n: m.root, exact: true}
	for match.n != nil {
		s, rest, ok := nextStep(path)
		if !ok {
			return match
		}
		i := s.indexIn(match.n)
		if i < 0 {
			return pathMatch{n: match.n}
		}
		match.key = nil
		if match.n.kind == object {
			match.key = &match.n.names[i]
		}
		match.n, path = match.n.items[i], rest
	}
	return pathMatch{}
}

type step struct {
	member string
	index  int
}

func (s step) indexIn(n *node) int {
	switch {
	case s.index < 0 && n.kind == object:
		return n.findMember(s.member)
	case s.index >= 0 && s.index < len(n.items) && n.kind == list:
		return s.index
	}
	return -1
}

// nextStep parses the first step of a path: `name`, `.name`, `[3]` or `["a name"]`.
func nextStep(path string) (s step, rest string, ok bool) {
	path = strings.TrimPrefix(path, ".")
	if path == "" {
		return step{}, "", false
	}
	if strings.HasPrefix(path, `["`) {
		if quoted, err := strconv.QuotedPrefix(path[1:]); err == nil {
			member, _ := strconv.Unquote(quoted)
			return step{member: member, index: -1}, strings.TrimPrefix(path[1+len(quoted):], "]"), true
		}
	}
	if path[0] == '[' {
		digits, rest, _ := strings.Cut(path[1:], "]")
		index, err := strconv.Atoi(digits)
		if err != nil || index < 0 {
			return step{member: path, index: -1}, "", true
		}
		return step{index: index}, rest, true
	}
	end := strings.IndexAny(path+".", ".[")
	return step{member: path[:end], index: -1}, path[end:], true
}

// place is a path as a linked list, from the value up to the root.
type place struct {
	up     *place
	member string
	index  int // list index, or -1 for a member
}

func (p *place) pathOf() string {
	switch {
	case p == nil:
		return ""
	case p.index >= 0:
		return p.up.pathOf() + "[" + strconv.Itoa(p.index) + "]"
	}
	return JoinPath(p.up.pathOf(), p.member)
}

// JoinPath returns the path of a member of the object at path.
func JoinPath(path, member string) string {
	if member == "" || strings.ContainsAny(member, ".[]\"\\ \t\r\n") || strings.IndexFunc(member, isHidden) >= 0 {
		return path + "[" + strconv.Quote(member) + "]"
	}
	if path == "" {
		return member
	}
	return path + "." + member
}

// Has reports whether the text contains a value at path.
func (m SourceMap) Has(path string) bool {
	f := m.findPath(path)
	return f.exact && f.n != nil
}

func findConflict(t *sourceText) *Diagnostic {
	for _, start := range t.lines {
		if strings.HasPrefix(t.src[start:], mineMark) {
			return &Diagnostic{
				Position: t.positionOf(span{start, start + len(mineMark) - 1}),
				Message:  "a merge conflict is not resolved here: keep the lines between <<<<<<< and ======= or those between ======= and >>>>>>>, and remove these three marker lines",
			}
		}
	}
	return nil
}

// NameItem describes the list item that contains path, without a key: `the second state`.
func (p *Persona) NameItem(path string) string {
	name := (*Persona)(nil).NamePath(path)
	return name[strings.LastIndex(name, "the "):]
}

var itemNouns = map[string]string{
	"machines": "machine", "states": "state", "transitions": "transition", "machine_links": "machine link",
	"variables":        "variable",
	"output_variables": "output variable", "input_variables": "input variable", "answers": "answer",
	"plays": "play", "steps": "step", "variants": "variant",
}

// NamePath describes a path for authors. For example, `machines[1].states[1].label` becomes `label
// of the second state, "gate"`. Paths of play files are also accepted.
func (p *Persona) NamePath(path string) string {
	object, rest := "", ""
	for remaining := path; ; {
		s, next, ok := nextStep(remaining)
		if !ok {
			break
		}
		list := rest[strings.LastIndexByte(rest, '.')+1:]
		noun := itemNouns[list]
		switch {
		case s.index < 0 && rest != "" && strings.HasPrefix(rest, "the "):
			rest = s.member + " of " + rest
		case s.index < 0:
			rest = strings.TrimPrefix(rest+"."+s.member, ".")
		case noun == "":
			rest = "the " + Ordinal(s.index) + " item of " + rest
		default:
			owner, key := "", p.KeyAt(path[:len(path)-len(next)])
			if key != "" {
				key = ", " + key
			}
			if object != "" && (noun == "answer" || noun == "step" || noun == "variant") {
				owner = " of " + object
			}
			object, rest = "the "+Ordinal(s.index)+" "+noun+key+owner, ""
		}
		remaining = next
	}
	switch {
	case object == "":
		return orDefault(rest, "the document")
	case rest == "":
		return object
	}
	return rest + " of " + object
}

// KeyAt identifies the list item at path by keys, such as `"gate"`. A path without keys returns "".
func (p *Persona) KeyAt(path string) string {
	if p == nil {
		return ""
	}
	var list string
	var places []int
	for s, next, ok := nextStep(path); ok; s, next, ok = nextStep(next) {
		if s.index >= 0 {
			places = append(places, s.index)
		} else {
			list = s.member
		}
	}
	if len(places) == 0 {
		return ""
	}
	i, key := places[0], ""
	machine, inner := &Machine{}, 0
	if len(places) == 2 && i < len(p.Machines) {
		machine, inner = &p.Machines[i], places[1]
	}
	switch {
	case list == "variables" && i < len(p.Variables):
		key = p.Variables[i].Key
	case list == "machine_links" && i < len(p.Links) && p.Links[i].Source != "":
		return "from " + quote(clip(p.Links[i].Source)) + " to " + quote(clip(p.Links[i].Target))
	case list == "machines" && i < len(p.Machines):
		key = p.Machines[i].Key
	case list == "transitions" && inner < len(machine.Transitions) && machine.Transitions[inner].From != "":
		return machine.Transitions[inner].Title()
	case list == "states" && inner < len(machine.States):
		key = machine.States[inner].Key
	case list == "output_variables" && inner < len(machine.OutputVariables):
		key = machine.OutputVariables[inner].Key
	case list == "input_variables" && inner < len(machine.InputVariables):
		key = machine.InputVariables[inner].Key
	}
	if key == "" {
		return ""
	}
	return quote(clip(key))
}

// Title describes a transition: `a pass from "quay" to "end"`.
func (t *Transition) Title() string {
	words := "a " + orDefault(string(t.Decision), "transition") + " from " + quote(clip(t.From))
	if t.To != "" && t.To != t.From {
		words += " to " + quote(clip(t.To))
	}
	return words
}

// Ordinal returns the ordinal of an index: "first" for 0, "11th" for 10.
func Ordinal(index int) string {
	words := []string{"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"}
	if index < len(words) {
		return words[max(index, 0)]
	}
	n, ending := index+1, "th"
	if tens := n % 100; tens < 11 || tens > 13 {
		switch n % 10 {
		case 1:
			ending = "st"
		case 2:
			ending = "nd"
		case 3:
			ending = "rd"
		}
	}
	return strconv.Itoa(n) + ending
}

var memberOrder = []string{
	"machine_key", "state_key", "key", "value", "name", "label", "description",
	"persona_identity_prompt", "perplexity_description", "language", "portrait", "hue",
	"variables", "machines", "machine_links",
	"player_goal", "creator_objective", "creator_win_condition", "creator_lose_condition",
	"chat_system_prompt", "system_evaluation_prompt", "system_summarization_prompt",
	"scoring_mode", "pass_threshold", "early_fail_bound", "is_entry_machine",
	"states", "transitions", "output_variables", "input_variables", "extraction_prompt",
	"prompt_instruction", "is_initial_state", "is_terminal_state", "display_order",
	"evaluation_criteria", "max_redirects", "terminal_outcome",
	"from_state_key", "to_state_key", "decision_type", "score_delta", "priority", "condition", "ending",
	"offline", "opening", "examples", "lines", "pass", "redirect", "reject", "kick_out", "follow_up", "enter", "unknown",
	"answers", "patience", "ask", "intent", "say", "answer",
	"source_machine_key", "target_machine_key", "condition_type", "condition_value", "is_auto_advance",
}

// ComparePaths orders paths by document order. An object comes before its members. Unknown members
// come last, sorted by name.
func ComparePaths(a, b string) int {
	for {
		x, restA, okA := nextStep(a)
		y, restB, okB := nextStep(b)
		if !okA || !okB {
			return cmp.Compare(len(a), len(b))
		}
		c := cmp.Or(
			cmp.Compare(x.index, y.index),
			cmp.Compare(memberRank(x.member), memberRank(y.member)),
			cmp.Compare(x.member, y.member),
		)
		if c != 0 {
			return c
		}
		a, b = restA, restB
	}
}

func memberRank(member string) int {
	if i := slices.Index(memberOrder, member); i >= 0 {
		return i
	}
	return len(memberOrder)
}
