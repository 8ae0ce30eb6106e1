package personas

import (
	"fmt"
	"slices"
	"strings"
)

// visit is one visit to an object of the document. Every type of the document
// lists its members once, in a walk method; the visit either reads them from a
// node, or writes them to one. It is the only place that knows both ways, so
// reading and writing cannot drift apart.
type visit struct {
	n     *node
	at    *place
	noun  string
	read  *decoder // nil when writing
	taken []bool   // reading: the members that the document knows
	order []int    // reading: the same, in the order of the document

	collect func(Unknown) // writing: called for every member that is not known
	known   []string      // writing, with collect: the names of known members
}

// walker is a type of the document.
type walker[T any] interface {
	*T
	walk(v *visit)
}

// need tells whether a member must be there.
type need bool

const (
	required need = true
	optional need = false
)

// writes tells whether the visit writes; then it takes note of the member's name.
func (v *visit) writes(member string) bool {
	if v.read == nil && v.collect != nil {
		v.known = append(v.known, member)
	}
	return v.read == nil
}

func (v *visit) put(member string, n *node, keep bool) {
	if keep {
		v.n.add(member, n)
	}
}

func (v *visit) text(member string, p *string, need need) {
	if v.writes(member) {
		v.put(member, &node{kind: str, text: *p}, bool(need) || *p != "")
	} else if n := v.take(member, str, need); n != nil {
		*p = n.text
	}
}

// key is a required text of a form that check complains about.
func (v *visit) key(member string, p *string, check func(string) string) {
	v.text(member, p, required)
	if v.read == nil || v.n.member(member) < 0 {
		return
	}
	if n := v.n.items[v.n.member(member)]; n.kind == str && check(n.text) != "" {
		v.complain(n.at, member, "%s %s", member, check(n.text))
	}
}

// choice is a text that must be one of a few words.
func choice[T ~string](v *visit, member string, p *T, need need, choices ...T) {
	if v.writes(member) {
		v.put(member, &node{kind: str, text: string(*p)}, bool(need) || *p != "")
		return
	}
	n := v.take(member, str, need)
	if n == nil {
		return
	}
	*p = T(n.text)
	if !slices.Contains(choices, *p) {
		v.complain(n.at, member, "%s %s is not one of %s%s", member, quote(clip(n.text)), alternatives(choices), didYouMean(n.text, choices))
		if v.read.strict {
			v.read.mend(FixSet, joinPath(v.at.path(), member), meantChoice(n.text, choices))
		}
	}
}

// meantChoice is the word that must be meant, a scoring mode in its one spelling:
// what means the same as the nearest word is no other one.
func meantChoice[T ~string](word string, choices []T) string {
	words := make([]string, len(choices))
	for i, c := range choices {
		words[i] = string(c)
	}
	best := Nearest(word, words)
	words = slices.DeleteFunc(words, func(w string) bool { return w != best && ScoringMode(w).normal() == ScoringMode(best).normal() })
	return string(ScoringMode(OnlyNear(word, words)).normal())
}

func (v *visit) flag(member string, p *bool) {
	if v.writes(member) {
		v.put(member, &node{kind: boolean, text: "true"}, *p)
	} else if n := v.take(member, boolean, optional); n != nil {
		*p = n.text == "true"
	}
}

func (v *visit) integer(member string, p *int, need need) {
	if v.writes(member) {
		v.put(member, &node{kind: number, text: fmt.Sprint(*p)}, bool(need) || *p != 0)
		return
	}
	if n := v.take(member, number, need); n != nil {
		*p = v.whole(member, n)
	}
}

// number is an integer whose absence differs from 0.
func (v *visit) number(member string, p **int) {
	if v.writes(member) {
		if *p != nil {
			v.put(member, &node{kind: number, text: fmt.Sprint(**p)}, true)
		}
		return
	}
	if n := v.take(member, number, optional); n != nil {
		i := v.whole(member, n)
		*p = &i
	}
}

func (v *visit) whole(member string, n *node) int {
	i, ok := n.integer()
	if !ok {
		v.fault(n.at, member, "%s must be a whole number from -%d to %d, but it is %s", member, MaxInteger, MaxInteger, n.text)
	}
	return i
}

func (v *visit) texts(member string, p *[]string) {
	if v.writes(member) {
		l := &node{kind: list}
		for _, s := range *p {
			l.items = append(l.items, &node{kind: str, text: s})
		}
		v.put(member, l, len(*p) > 0)
		return
	}
	n := v.take(member, list, optional)
	if n == nil {
		v.wrap(member)
		return
	}
	for i, item := range n.items {
		*p = append(*p, v.read.item(&place{&place{v.at, member, -1}, "", i}, item))
	}
}

// wrap gives the fault of a text where a list of texts belongs its fix.
func (v *visit) wrap(member string) {
	if i := v.n.member(member); i >= 0 && v.n.items[i].kind == str {
		v.read.mend(FixWrap, joinPath(v.at.path(), member), "")
	}
}

// nested is an object that is not written when it has no members.
func nested[T any, P walker[T]](v *visit, member string, p *T) {
	if v.writes(member) {
		n := v.writeRecord(&place{v.at, member, -1}, P(p).walk)
		v.put(member, n, len(n.items) > 0)
	} else if n := v.take(member, object, optional); n != nil {
		v.read.record(n, &place{v.at, member, -1}, P(p).walk)
	}
}

// pointer is an object whose absence differs from emptiness.
func pointer[T any, P walker[T]](v *visit, member string, p **T) {
	at := &place{v.at, member, -1}
	if v.writes(member) {
		if *p != nil {
			v.put(member, v.writeRecord(at, P(*p).walk), true)
		}
	} else if n := v.take(member, object, optional); n != nil {
		*p = new(T)
		v.read.record(n, at, P(*p).walk)
	}
}

func records[T any, P walker[T]](v *visit, member string, p *[]T, need need) {
	at := &place{v.at, member, -1}
	if v.writes(member) {
		l := &node{kind: list}
		for i := range *p {
			l.items = append(l.items, v.writeRecord(&place{at, "", i}, P(&(*p)[i]).walk))
		}
		v.put(member, l, bool(need) || len(*p) > 0)
		return
	}
	n := v.take(member, list, need)
	if n == nil || len(n.items) == 0 {
		return
	}
	*p = make([]T, len(n.items))
	for i, item := range n.items {
		v.read.record(item, &place{at, "", i}, P(&(*p)[i]).walk)
	}
}

func (v *visit) writeRecord(at *place, walk func(*visit)) *node {
	n := &node{kind: object}
	walk(&visit{n: n, at: at, collect: v.collect})
	return n
}

// rest reads or writes the members that the document does not know; it comes last.
func (v *visit) rest(p *Members) {
	if v.read != nil {
		*p = v.read.unknown(v)
		return
	}
	for _, m := range *p {
		if v.collect != nil {
			v.collect(Unknown{Path: joinPath(v.at.path(), m.Name), Name: m.Name, Known: v.known})
		}
		v.n.add(m.Name, rawNode(m.Value))
	}
}

// rawNode reads the value of an unknown member; one that is not JSON is null.
func rawNode(raw []byte) *node {
	n, fault := readJSON(newText(strings.ToValidUTF8(string(raw), "\ufffd")))
	if fault != nil {
		return &node{}
	}
	return n
}
