package personas

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// memberWalker decodes the members of one object from a node or encodes them to a node. Each type
// has one walkMembers method for both directions.
type memberWalker struct {
	n       *node
	place   *place
	noun    string
	decoder *decoder // nil when encoding
	taken   []bool   // decoding: known members of n
	order   []int    // decoding: indexes of known members in document order

	collect     func(Unknown) // encoding: called for every unknown member
	memberNames []string      // encoding with collect: names of known members
}

type walkable[T any] interface {
	*T
	walkMembers(w *memberWalker)
}

type presence bool

const (
	required presence = true
	optional presence = false
)

func (w *memberWalker) startWrite(member string) bool {
	if w.decoder == nil && w.collect != nil {
		w.memberNames = append(w.memberNames, member)
	}
	return w.decoder == nil
}

func (w *memberWalker) putMember(member string, n *node, keep bool) {
	if keep && w.collect == nil {
		w.n.addMember(member, n)
	}
}

func (w *memberWalker) putText(member string, k kind, text string, keep bool) {
	if keep && w.collect == nil {
		w.n.addMember(member, &node{kind: k, text: text})
	}
}

func (w *memberWalker) walkText(member string, value *string, need presence) {
	if w.startWrite(member) {
		w.putText(member, str, *value, bool(need) || *value != "")
	} else if n := w.takeMember(member, str, need); n != nil {
		*value = n.text
	}
}

func (w *memberWalker) walkKey(member string, value *string, check func(string) string) {
	w.walkText(member, value, required)
	if w.decoder == nil || w.n.findMember(member) < 0 {
		return
	}
	if n := w.n.items[w.n.findMember(member)]; n.kind == str && check(n.text) != "" {
		w.addStrictFault(n.span, member, "%s %s", member, check(n.text))
	}
}

func walkChoice[T ~string](w *memberWalker, member string, value *T, need presence, choices ...T) {
	if w.startWrite(member) {
		w.putText(member, str, string(*value), bool(need) || *value != "")
		return
	}
	if i := w.n.findMember(member); i >= 0 && w.n.items[i].kind != str && w.n.items[i].kind != null {
		item := w.n.items[i]
		w.markTaken(member)
		w.addFault(item.span, member, "%s must be %s, but it is %s",
			member, joinChoices(toStrings(choices)), item.describe())
		return
	}
	n := w.takeMember(member, str, need)
	if n == nil {
		return
	}
	*value = T(n.text)
	if slices.Contains(choices, T(ScoringMode(n.text).normalize())) {
		return
	}
	words, hint := toStrings(choices), ""
	if nearest := Nearest(n.text, words); nearest != "" {
		hint = "; did you mean " + quote(nearest) + "?"
	}
	w.addStrictFault(n.span, member, "%s %s is not one of %s%s", member, quote(clip(n.text)), joinChoices(words), hint)
	if w.decoder.strict {
		w.decoder.offerFix(FixSet, JoinPath(w.place.pathOf(), member), OnlyNear(n.text, words))
	}
}

func (w *memberWalker) walkBool(member string, value *bool) {
	if w.startWrite(member) {
		w.putText(member, boolean, "true", *value)
	} else if n := w.takeMember(member, boolean, optional); n != nil {
		*value = n.text == "true"
	}
}

func (w *memberWalker) walkInteger(member string, value *int, need presence) {
	if w.startWrite(member) {
		w.putText(member, number, strconv.Itoa(*value), bool(need) || *value != 0)
		return
	}
	if n := w.takeMember(member, number, need); n != nil {
		*value = w.readInteger(member, n)
	}
}

func (w *memberWalker) walkOptionalInteger(member string, value **int) {
	if w.startWrite(member) {
		if *value != nil {
			w.putText(member, number, strconv.Itoa(**value), true)
		}
		return
	}
	if n := w.takeMember(member, number, optional); n != nil {
		i := w.readInteger(member, n)
		*value = &i
	}
}

// readInteger accepts a fraction of zero, such as 3.0.
func (w *memberWalker) readInteger(member string, n *node) int {
	f, err := strconv.ParseFloat(n.text, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > MaxInteger {
		w.addFault(n.span, member, "%s must be a whole number from -%d to %d, but it is %s",
			member, MaxInteger, MaxInteger, n.text)
	}
	return int(f)
}

func (w *memberWalker) walkTexts(member string, value *[]string) {
	if w.startWrite(member) {
		if len(*value) == 0 || w.collect != nil {
			return
		}
		l := &node{kind: list, items: make([]*node, len(*value))}
		for i, s := range *value {
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
	parent := &place{w.place, member, -1}
	*value = slices.Grow(*value, len(n.items))
	for i, item := range n.items {
		*value = append(*value, w.decoder.readString(&place{parent, "", i}, item))
	}
}

// offerWrap skips a string with a leading dash, because the author may have meant several items.
func (w *memberWalker) offerWrap(member string) {
	i := w.n.findMember(member)
	if i < 0 || w.n.items[i].kind != str || strings.HasPrefix(w.n.items[i].text, "-") {
		return
	}
	d := w.decoder
	if n := len(d.faults); n > 0 && n <= maxFaults {
		d.faults[n-1].Message += "; put brackets around it, as lint --fix does"
	}
	d.offerFix(FixWrap, JoinPath(w.place.pathOf(), member), "")
}

func walkObject[T any, P walkable[T]](w *memberWalker, member string, value *T) {
	if w.startWrite(member) {
		n := w.writeRecord(w.placeOf(w.place, member, -1), P(value).walkMembers)
		w.putMember(member, n, len(n.items) > 0)
	} else if n := w.takeMember(member, object, optional); n != nil {
		w.decoder.readObject(n, &place{w.place, member, -1}, P(value).walkMembers)
	}
}

func walkOptionalObject[T any, P walkable[T]](w *memberWalker, member string, value **T) {
	place := w.placeOf(w.place, member, -1)
	if w.startWrite(member) {
		if *value != nil {
			w.putMember(member, w.writeRecord(place, P(*value).walkMembers), true)
		}
	} else if n := w.takeMember(member, object, optional); n != nil {
		*value = new(T)
		w.decoder.readObject(n, place, P(*value).walkMembers)
	}
}

func walkObjects[T any, P walkable[T]](w *memberWalker, member string, value *[]T, need presence) {
	parent := w.placeOf(w.place, member, -1)
	if w.startWrite(member) {
		l := &node{kind: list}
		for i := range *value {
			l.items = append(l.items, w.writeRecord(w.placeOf(parent, "", i), P(&(*value)[i]).walkMembers))
		}
		w.putMember(member, l, bool(need) || len(*value) > 0)
		return
	}
	n := w.takeMember(member, list, need)
	if n == nil || len(n.items) == 0 {
		return
	}
	*value = make([]T, len(n.items))
	for i, item := range n.items {
		w.decoder.readObject(item, &place{parent, "", i}, P(&(*value)[i]).walkMembers)
	}
}

func (w *memberWalker) placeOf(parent *place, member string, item int) *place {
	if w.decoder == nil && w.collect == nil {
		return nil
	}
	return &place{parent, member, item}
}

func (w *memberWalker) writeRecord(place *place, walk func(*memberWalker)) *node {
	n := &node{kind: object}
	walk(&memberWalker{n: n, place: place, collect: w.collect})
	return n
}

// walkUnknown must come after all other members.
func (w *memberWalker) walkUnknown(value *Members) {
	if w.decoder != nil {
		*value = w.decoder.readUnknown(w)
		return
	}
	for _, m := range *value {
		if w.collect != nil {
			w.collect(Unknown{Path: JoinPath(w.place.pathOf(), m.Name), Name: m.Name, Known: w.memberNames, Value: m.Value})
			continue
		}
		n, fault := readJSON(newText(strings.ToValidUTF8(string(m.Value), "\ufffd")))
		if fault != nil {
			n = &node{} // null
		}
		w.n.addMember(m.Name, n)
	}
}

// joinedName is a member name glued to a value, because the colon or the space is missing.
type joinedName struct {
	member string // intended member
	span   span   // span of the intended name
	right  string // missing text after the name
}

func (t *sourceText) splitJoinedName(n *node, i int) (joined joinedName, ok bool) {
	name := n.names[i]
	written := t.src[min(name.span.start, name.span.end):name.span.end]
	end := strings.IndexAny(written, ": ")
	if end <= 0 || end+1 >= len(written) || homesOf(written[:end]) == nil {
		return joined, false
	}
	joined = joinedName{member: written[:end], span: span{name.span.start, name.span.start + end}, right: ":"}
	if written[end] == ':' {
		joined.span.end++
		joined.right = " "
		return joined, written[end+1] != ' ' && !strings.HasPrefix(written[end:], "://")
	}
	return joined, isFlow(t.src, n) && n.items[i].kind == null
}

func (j joinedName) change() textChange { return textChange{span{j.span.end, j.span.end}, j.right} }

func (j joinedName) describeMissing(src string) string {
	if j.right == " " {
		return `a space is missing after the ":" of ` + quote(j.member) + writeAs(j.change().line(src))
	}
	return `a ":" is missing after ` + quote(j.member) + writeAs(j.change().line(src))
}
