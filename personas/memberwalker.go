package personas

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// memberWalker visits the members of one object of the document. It either decodes them from a node
// or encodes them to a node, so decoding and encoding always agree.
type memberWalker struct {
	n       *node
	at      *place
	noun    string
	decoder *decoder // nil when writing
	taken   []bool   // decoding: whether each member of n is known
	order   []int    // decoding: the indexes of the known members, in document order

	collect func(Unknown) // encoding: called for every unknown member
	known   []string      // encoding with collect: the names of the known members
}

type walkable[T any] interface {
	*T
	walkMembers(v *memberWalker)
}

type presence bool

const (
	required presence = true
	optional presence = false
)

// startWrite reports whether the walker encodes. If unknown members are collected, it also records
// the member's name as known.
func (w *memberWalker) startWrite(member string) bool {
	if w.decoder == nil && w.collect != nil {
		w.known = append(w.known, member)
	}
	return w.decoder == nil
}

func (w *memberWalker) putMember(member string, n *node, keep bool) {
	if keep && w.collect == nil {
		w.n.addMember(member, n)
	}
}

// putText is putMember for a scalar. It allocates nothing if keep is false.
func (w *memberWalker) putText(member string, k kind, text string, keep bool) {
	if keep && w.collect == nil {
		w.n.addMember(member, &node{kind: k, text: text})
	}
}

func (w *memberWalker) walkText(member string, p *string, need presence) {
	if w.startWrite(member) {
		w.putText(member, str, *p, bool(need) || *p != "")
	} else if n := w.takeMember(member, str, need); n != nil {
		*p = n.text
	}
}

func (w *memberWalker) walkKey(member string, p *string, check func(string) string) {
	w.walkText(member, p, required)
	if w.decoder == nil || w.n.findMember(member) < 0 {
		return
	}
	if n := w.n.items[w.n.findMember(member)]; n.kind == str && check(n.text) != "" {
		w.addStrictFault(n.at, member, "%s %s", member, check(n.text))
	}
}

func walkChoice[T ~string](v *memberWalker, member string, p *T, need presence, choices ...T) {
	if v.startWrite(member) {
		v.putText(member, str, string(*p), bool(need) || *p != "")
		return
	}
	if i := v.n.findMember(member); i >= 0 && v.n.items[i].kind != str && v.n.items[i].kind != null {
		v.markTaken(member)
		v.addFault(v.n.items[i].at, member, "%s must be %s, but it is %s", member, joinChoices(toStrings(choices)), v.n.items[i].describe())
		return
	}
	n := v.takeMember(member, str, need)
	if n == nil {
		return
	}
	*p = T(n.text)
	if slices.Contains(choices, T(ScoringMode(n.text).normalize())) {
		return
	}
	words, hint := toStrings(choices), ""
	if near := Nearest(n.text, words); near != "" {
		hint = "; did you mean " + quote(near) + "?"
	}
	v.addStrictFault(n.at, member, "%s %s is not one of %s%s", member, quote(clip(n.text)), joinChoices(words), hint)
	if v.decoder.strict {
		v.decoder.offerFix(FixSet, JoinPath(v.at.pathOf(), member), OnlyNear(n.text, words))
	}
}

func (w *memberWalker) walkBool(member string, p *bool) {
	if w.startWrite(member) {
		w.putText(member, boolean, "true", *p)
	} else if n := w.takeMember(member, boolean, optional); n != nil {
		*p = n.text == "true"
	}
}

func (w *memberWalker) walkInteger(member string, p *int, need presence) {
	if w.startWrite(member) {
		w.putText(member, number, strconv.Itoa(*p), bool(need) || *p != 0)
		return
	}
	if n := w.takeMember(member, number, need); n != nil {
		*p = w.readInteger(member, n)
	}
}

func (w *memberWalker) walkOptionalInteger(member string, p **int) {
	if w.startWrite(member) {
		if *p != nil {
			w.putText(member, number, strconv.Itoa(**p), true)
		}
		return
	}
	if n := w.takeMember(member, number, optional); n != nil {
		i := w.readInteger(member, n)
		*p = &i
	}
}

// readInteger accepts integers with a fraction of zero, such as 3.0.
func (w *memberWalker) readInteger(member string, n *node) int {
	f, err := strconv.ParseFloat(n.text, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > MaxInteger {
		w.addFault(n.at, member, "%s must be a whole number from -%d to %d, but it is %s", member, MaxInteger, MaxInteger, n.text)
	}
	return int(f)
}

func (w *memberWalker) walkTexts(member string, p *[]string) {
	if w.startWrite(member) {
		if len(*p) == 0 || w.collect != nil {
			return
		}
		l := &node{kind: list, items: make([]*node, len(*p))}
		for i, s := range *p {
			l.items[i] = &node{kind: str, text: s}
		}
		w.putMember(member, l, true)
		return
	}
	n := w.takeMember(member, list, optional)
	if n == nil {
		w.offerWrap(member)
		return
	}
	at := &place{w.at, member, -1}
	*p = slices.Grow(*p, len(n.items))
	for i, item := range n.items {
		*p = append(*p, w.decoder.readString(&place{at, "", i}, item))
	}
}

// offerWrap attaches a fix to the last diagnostic if the member is a string instead of a list of
// strings. It skips a string that starts with a dash, because the string may be several items.
func (w *memberWalker) offerWrap(member string) {
	i := w.n.findMember(member)
	if i < 0 || w.n.items[i].kind != str || strings.HasPrefix(w.n.items[i].text, "-") {
		return
	}
	d := w.decoder
	if n := len(d.faults); n > 0 && n <= maxFaults {
		d.faults[n-1].Message += "; put brackets around it, as lint --fix does"
	}
	d.offerFix(FixWrap, JoinPath(w.at.pathOf(), member), "")
}

// walkObject decodes or encodes an object that is omitted if it is empty.
func walkObject[T any, P walkable[T]](v *memberWalker, member string, p *T) {
	if v.startWrite(member) {
		n := v.writeRecord(v.placeOf(v.at, member, -1), P(p).walkMembers)
		v.putMember(member, n, len(n.items) > 0)
	} else if n := v.takeMember(member, object, optional); n != nil {
		v.decoder.readObject(n, &place{v.at, member, -1}, P(p).walkMembers)
	}
}

// walkOptionalObject decodes or encodes an object for which absent differs from empty.
func walkOptionalObject[T any, P walkable[T]](v *memberWalker, member string, p **T) {
	at := v.placeOf(v.at, member, -1)
	if v.startWrite(member) {
		if *p != nil {
			v.putMember(member, v.writeRecord(at, P(*p).walkMembers), true)
		}
	} else if n := v.takeMember(member, object, optional); n != nil {
		*p = new(T)
		v.decoder.readObject(n, at, P(*p).walkMembers)
	}
}

func walkObjects[T any, P walkable[T]](v *memberWalker, member string, p *[]T, need presence) {
	at := v.placeOf(v.at, member, -1)
	if v.startWrite(member) {
		l := &node{kind: list}
		for i := range *p {
			l.items = append(l.items, v.writeRecord(v.placeOf(at, "", i), P(&(*p)[i]).walkMembers))
		}
		v.putMember(member, l, bool(need) || len(*p) > 0)
		return
	}
	n := v.takeMember(member, list, need)
	if n == nil || len(n.items) == 0 {
		return
	}
	*p = make([]T, len(n.items))
	for i, item := range n.items {
		v.decoder.readObject(item, &place{at, "", i}, P(&(*p)[i]).walkMembers)
	}
}

// placeOf returns the place of a member or an item. It returns nil in a walker that encodes,
// because encoding uses no places.
func (w *memberWalker) placeOf(at *place, member string, item int) *place {
	if w.decoder == nil && w.collect == nil {
		return nil
	}
	return &place{at, member, item}
}

func (w *memberWalker) writeRecord(at *place, walk func(*memberWalker)) *node {
	n := &node{kind: object}
	walk(&memberWalker{n: n, at: at, collect: w.collect})
	return n
}

// walkUnknown decodes or encodes the unknown members. It must be called after all other members.
func (w *memberWalker) walkUnknown(p *Members) {
	if w.decoder != nil {
		*p = w.decoder.readUnknown(w)
		return
	}
	for _, m := range *p {
		if w.collect != nil {
			w.collect(Unknown{Path: JoinPath(w.at.pathOf(), m.Name), Name: m.Name, Known: w.known, Value: m.Value})
			continue // Collected members are not encoded.
		}
		n, fault := readJSON(newText(strings.ToValidUTF8(string(m.Value), "\ufffd")))
		if fault != nil {
			n = &node{} // null
		}
		w.n.addMember(m.Name, n)
	}
}

// joinedName is a member name that also contains the intended value, because the colon or the space
// after the name is missing.
type joinedName struct {
	member string // the intended member
	at     span   // the span of the intended name
	right  string // the missing text after the name
}

// splitJoinedName splits a name that starts with the name of a known member: `name:Ada` or, in
// braces, `name Ada`.
func (t *sourceText) splitJoinedName(n *node, i int) (found joinedName, ok bool) {
	name := n.names[i]
	written := t.src[min(name.at.start, name.at.end):name.at.end]
	end := strings.IndexAny(written, ": ")
	if end <= 0 || end+1 >= len(written) || homesOf(written[:end]) == nil {
		return found, false
	}
	found = joinedName{member: written[:end], at: span{name.at.start, name.at.start + end}, right: ":"}
	if written[end] == ':' {
		found.at.end++
		found.right = " "
		return found, written[end+1] != ' ' && !strings.HasPrefix(written[end:], "://")
	}
	return found, isFlow(t.src, n) && n.items[i].kind == null
}

func (j joinedName) change() textChange { return textChange{span{j.at.end, j.at.end}, j.right} }

func (j joinedName) describeMissing(src string) string {
	if j.right == " " {
		return `a space is missing after the ":" of ` + quote(j.member) + writeAs(j.change().line(src))
	}
	return `a ":" is missing after ` + quote(j.member) + writeAs(j.change().line(src))
}
