package personas

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas/plaintext"
)

// decoder reads the document from a tree and collects what is wrong with it.
// When it is not strict it reads what another program wrote: it complains only
// about values of a wrong kind.
type decoder struct {
	t       *text
	strict  bool
	faults  []Fault
	visited func(n *node, known []int) // if set, called for every object with its known members in the document's order
}

func (d *decoder) document(root *node, p *Persona) { d.record(root, nil, p.walk) }

func (d *decoder) fault(at span, path, format string, args ...any) {
	switch {
	case len(d.faults) > maxFaults:
	case len(d.faults) == maxFaults:
		d.faults = append(d.faults, Fault{Path: path, Pos: d.t.position(at), Message: "there are more faults; put these right first"})
	default:
		d.faults = append(d.faults, Fault{Path: path, Pos: d.t.position(at), Message: fmt.Sprintf(format, args...)})
	}
}

// mend gives the fault that was just told its fix.
func (d *decoder) mend(kind FixKind, path, value string) {
	if n := len(d.faults); n > 0 && n <= maxFaults && (value != "" || kind == FixWrap) {
		d.faults[n-1].Fix = &Fix{Kind: kind, Path: path, Value: value}
	}
}

// record reads one object.
func (d *decoder) record(n *node, at *place, walk func(*visit)) {
	if n.kind != object {
		d.fault(n.at, at.path(), "%s must be an object with members, but it is %s", title(at), n.describe())
		return
	}
	d.unique(n, at)
	v := &visit{n: n, at: at, read: d, taken: make([]bool, len(n.items))}
	walk(v)
	if d.visited != nil {
		d.visited(n, v.order)
	}
}

func title(at *place) string {
	if path := at.path(); path != "" {
		return path
	}
	return "the document"
}

// unique complains about members that are given twice; the first one counts.
func (d *decoder) unique(n *node, at *place) {
	if !d.strict {
		return
	}
	seen := make(map[string]int, len(n.names))
	for i, member := range n.names {
		first, twice := seen[member.text]
		if !twice {
			seen[member.text] = i
			continue
		}
		where := d.t.position(n.names[first].at)
		d.fault(member.at, joinPath(at.path(), member.text), "%s is given twice, first on line %d; remove one", clip(member.text), where.Line)
	}
}

// item reads a string of a list.
func (d *decoder) item(at *place, n *node) string {
	if n.kind != str {
		d.fault(n.at, at.path(), "%s must be a string, but it is %s%s", at.path(), n.describe(), n.quoteIt())
		d.retype(n, str, at.path())
	}
	d.noNUL(n, at.path)
	return n.text
}

func (d *decoder) noNUL(n *node, path func() string) {
	if d.strict && n.kind == str && strings.Contains(n.text, "\x00") {
		d.fault(n.at, path(), "the text has a NUL character; remove it")
	}
}

func (n *node) quoteIt() string {
	if n.kind == number || n.kind == boolean {
		return "; quote it: " + quote(n.text)
	}
	return ""
}

// take finds a member of a kind; one that is null is absent.
func (v *visit) take(member string, want kind, need need) *node {
	i := v.n.member(member)
	if i < 0 {
		if need {
			v.missing(member)
		}
		return nil
	}
	v.takeAll(member)
	n := v.n.items[i]
	if n.kind == null && (!bool(need) || !v.read.strict) {
		return nil
	}
	if n.kind != want {
		v.fault(n.at, member, "%s must be %s, but it is %s%s", member, want, n.describe(), n.hint(want))
		v.read.retype(n, want, joinPath(v.at.path(), member))
		return nil
	}
	v.read.noNUL(n, func() string { return joinPath(v.at.path(), member) })
	return n
}

// takeAll marks a member as known wherever it stands in the object.
func (v *visit) takeAll(member string) {
	for i := range v.n.names {
		if v.n.names[i].text == member && !v.taken[i] {
			v.taken[i] = true
			v.order = append(v.order, i)
		}
	}
}

func (k kind) String() string {
	return [...]string{"null", "true or false", "a whole number", "a string", "a list", "an object with members"}[k]
}

// hint is the next step for a value of the wrong kind.
func (n *node) hint(want kind) string {
	switch {
	case want == str:
		return n.quoteIt()
	case want == list && n.kind == object:
		return "; put \"- \" (in JSON: brackets) around it"
	case n.kind == str && want == number:
		if _, ok := numberText(n.text); ok {
			return "; write it without quotes"
		}
	case n.kind == str && want == boolean:
		return asBoolean(n.text)
	}
	return ""
}

// retype gives the fault of a simple value of the wrong kind its fix: the value of
// the right kind that is written just so but for its quotes, or a boolean for
// what older YAML took for one.
func (d *decoder) retype(n *node, want kind, path string) {
	as, numeric := numberText(n.text)
	switch {
	case !d.strict:
	case want == str && (n.kind == number || n.kind == boolean) && d.t.src[n.at.start:n.at.end] == n.text:
		d.mend(FixRetype, path, quote(n.text))
	case want == number && n.kind == str && numeric && as == n.text:
		d.mend(FixRetype, path, n.text)
	case want == boolean && n.kind == str:
		for _, word := range []string{"true", "false"} {
			if hint := asBoolean(n.text); hint == "; write "+word || hint != "" && strings.EqualFold(n.text, word) {
				d.mend(FixRetype, path, word)
			}
		}
	}
}

// asBoolean is the hint for the words that older YAML took for booleans.
func asBoolean(s string) string {
	switch strings.ToLower(s) {
	case "true", "false":
		return "; write it without quotes"
	case "yes", "y", "on":
		return "; write true"
	case "no", "n", "off":
		return "; write false"
	}
	return ""
}

func (v *visit) fault(at span, member, format string, args ...any) {
	v.read.fault(at, joinPath(v.at.path(), member), format, args...)
}

// complain is a fault only of what an author writes.
func (v *visit) complain(at span, member, format string, args ...any) {
	if v.read.strict {
		v.fault(at, member, format, args...)
	}
}

// missing points at the object's first member, since the object itself may be long.
func (v *visit) missing(member string) {
	at := v.n.at
	if len(v.n.names) > 0 {
		at = v.n.names[0].at
	}
	var others []string
	for i, n := range v.n.names {
		if !v.taken[i] {
			others = append(others, n.text)
		}
	}
	hint := "add it"
	if near := Nearest(member, others); near != "" {
		hint = "is " + quote(near) + " meant to be it?"
	}
	v.complain(at, member, "%s is missing, and every %s needs it; %s", member, v.noun, hint)
	if only := OnlyNear(member, others); only != "" && v.read.strict {
		v.read.mend(FixRename, joinPath(v.at.path(), only), member)
	}
}

// absent is a member that must not be there.
func (v *visit) absent(member, because string) {
	if v.writes(member) {
		return
	}
	v.takeAll(member)
	if i := v.n.member(member); i >= 0 && v.n.items[i].kind != null && because != "" {
		v.complain(v.n.items[i].at, member, "%s must be absent: %s", member, because)
	}
}

// unknown gives the members that were not taken.
func (d *decoder) unknown(v *visit) Members {
	var members Members
	for i, taken := range v.taken {
		if taken {
			continue
		}
		member, value := v.n.names[i].text, v.n.items[i]
		d.uniqueWithin(value, &place{v.at, member, -1})
		if v.n.member(member) == i {
			members = append(members, Member{Name: member, Value: value.json(nil)})
		}
	}
	return members
}

func (d *decoder) uniqueWithin(n *node, at *place) {
	if n.kind == object {
		d.unique(n, at)
	}
	for i, item := range n.items {
		inside := &place{at, "", i}
		if n.kind == object {
			inside = &place{at, n.names[i].text, -1}
		}
		d.uniqueWithin(item, inside)
	}
}

func alternatives[T ~string](choices []T) string {
	quoted := make([]string, len(choices))
	for i, c := range choices {
		quoted[i] = quote(string(c))
	}
	return strings.Join(quoted[:len(quoted)-1], ", ") + " or " + quoted[len(quoted)-1]
}

func didYouMean[T ~string](word string, choices []T) string {
	words := make([]string, len(choices))
	for i, c := range choices {
		words[i] = string(c)
	}
	if near := Nearest(word, words); near != "" && near != word {
		return "; did you mean " + quote(near) + "?"
	}
	return ""
}

// Nearest gives the word that somebody who wrote word probably meant: at most a
// third of its letters differ. It is "" when no word is that near. It looks at
// words of up to 64 bytes, and at the first 200 of them.
func Nearest(word string, words []string) string {
	best, _ := nearest(word, words)
	return best
}

// nearest is Nearest with how many letters differ.
func nearest(word string, words []string) (best string, least int) {
	least = len(word)/3 + 1
	for _, w := range words[:min(len(words), 200)] {
		if abs(len(w)-len(word)) > least || max(len(w), len(word)) > 64 {
			continue
		}
		if d := plaintext.EditDistance(fold(word), fold(w)); d < least {
			best, least = w, d
		}
	}
	return best, least
}

// OnlyNear is the word that somebody who wrote another one must have meant:
// the one that differs only in case or marks, else what Nearest gives if every
// other word is at least two letters further away, else "".
func OnlyNear(word string, words []string) string {
	best, letters := nearest(word, words)
	if best == "" || best == word {
		return ""
	}
	others := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == best })
	if second, more := nearest(word, others); fold(best) != fold(word) && second != "" && more < letters+2 {
		return ""
	}
	return best
}

// fold makes words alike that differ only in case and in the marks between words.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == ' ' {
			return '_'
		}
		return r
	}, strings.ToLower(s))
}

func abs(i int) int { return max(i, -i) }
