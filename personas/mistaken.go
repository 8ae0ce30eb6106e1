package personas

import (
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas/repair"
)

// joinedName is a member whose value stands in its name, since the colon or the space
// behind it is missing.
type joinedName struct {
	member string // that is meant
	at     span   // of that word
	right  string // what is missing behind it
}

// splitJoinedName finds in a name as it is written that of a member, behind which a colon
// or a space is missing.
func splitJoinedName(src string, n *node, i int) (found joinedName, ok bool) {
	name := n.names[i]
	written := src[min(name.at.start, name.at.end):name.at.end]
	end := strings.IndexAny(written, ": ")
	if end <= 0 || end+1 >= len(written) || !isKnownMember(written[:end]) {
		return found, false
	}
	found = joinedName{member: written[:end], at: span{name.at.start, name.at.start + end}, right: ":"}
	if written[end] == ':' {
		found.at.end++
		found.right = " "
		return found, written[end+1] != ' ' && !strings.HasPrefix(written[end:], "://")
	}
	return found, isFlow(src, n) && n.items[i].kind == null
}

// isKnownMember tells whether a word is the name of a member of the document.
func isKnownMember(word string) bool {
	return slices.ContainsFunc(objectKinds(), func(kind objectKind) bool { return slices.Contains(kind.members, word) })
}

// describeMissing says which sign is missing, and the line as it should be.
func (j joinedName) describeMissing(src string) string {
	m := repair.Mistake{Start: j.at.end, End: j.at.end, Right: j.right}
	if j.right == " " {
		return `a space is missing behind the ":" of ` + quote(j.member) + writeAs(m.Line(src))
	}
	return `a ":" is missing behind ` + quote(j.member) + writeAs(m.Line(src))
}

// fixIn gives the fix that puts the sign there; nil when the text could not be read then.
func (j joinedName) fixIn(t *sourceText, path string) *Fix {
	if len(t.src) <= maxRereading/8 {
		if at, _ := readAgain(t.src[:j.at.end] + j.right + t.src[j.at.end:]); at >= 0 {
			return nil
		}
	}
	return &Fix{Kind: FixText, Path: path, Value: j.right, Start: j.at.end, End: j.at.end}
}

// checkNames finds the members of an object whose value stands in their name.
func (f *lossFinder) checkNames(n *node, at *place) {
	for i := range n.names {
		j, ok := splitJoinedName(f.t.src, n, i)
		if !ok || len(f.losses) >= maxLosses {
			continue
		}
		path := (&place{at, n.names[i].text, -1}).pathOf()
		f.losses = append(f.losses, Loss{Kind: TextCut, Path: path, Members: []string{path}, Pos: f.t.positionOf(j.at), Message: j.describeMissing(f.t.src), Fix: j.fixIn(f.t, path)})
	}
}

// reportJoined adds the fault of a missing member that stands in its object with its value
// in its name, and tells whether it does.
func (w *memberWalker) reportJoined(member string) bool {
	d := w.decoder
	if !d.strict || isJSON("", d.t.src) {
		return false
	}
	for i := range w.n.names {
		if !strings.HasPrefix(w.n.names[i].text, member) || w.taken[i] {
			continue
		}
		if j, ok := splitJoinedName(d.t.src, w.n, i); ok && j.member == member {
			w.addFault(j.at, w.n.names[i].text, "%s", j.describeMissing(d.t.src))
			if n := len(d.faults); n > 0 && n <= maxFaults {
				d.faults[n-1].Fix = j.fixIn(d.t, d.faults[n-1].Path)
			}
			return true
		}
	}
	return false
}

// reportPair adds the fault of a variable that is written as its key and its value, with a
// colon between them.
func (w *memberWalker) reportPair(member string) bool {
	d, n := w.decoder, w.n
	if w.noun != "variable" || member != "key" || !d.strict || len(n.names) != 1 || isKnownMember(n.names[0].text) || isJSON("", d.t.src) {
		return false
	}
	pairs, ok := writePairs(d.t.src, n, "")
	if !ok || isFlow(d.t.src, n) {
		return false
	}
	w.addFault(n.at, n.names[0].text, "a variable has a key and a value%s", writeAs("- "+pairs))
	d.offerText(n.at, pairs)
	return true
}

// offerText gives the last fault the fix that replaces a piece of the text.
func (d *decoder) offerText(at span, right string) {
	if n := len(d.faults); n > 0 && n <= maxFaults {
		d.faults[n-1].Fix = &Fix{Kind: FixText, Path: d.faults[n-1].Path, Value: right, Start: at.start, End: at.end, Old: d.t.src[at.start:at.end]}
	}
}

// writePairs writes the members of an object as variables, each behind a mark, with all
// that stands between them. It fails where a value is none of one line.
func writePairs(src string, n *node, mark string) (right string, ok bool) {
	var out strings.Builder
	done := n.at.start
	for i, name := range n.names {
		value := n.items[i]
		if name.at.start < done || name.at.end <= name.at.start || value.at.start < name.at.end || value.at.end <= value.at.start || value.kind == object || value.kind == list || value.kind == null {
			return "", false
		}
		written := src[value.at.start:value.at.end]
		if strings.IndexByte("*&!|>", written[0]) >= 0 || strings.ContainsAny(written, "\r\n") || strings.TrimLeft(src[name.at.end:value.at.start], " ") != "" && strings.TrimSpace(src[name.at.end:value.at.start]) != ":" {
			return "", false
		}
		if value.kind != str || strings.IndexByte("\"'", written[0]) < 0 && strings.ContainsAny(written, ",[]{}:#") {
			written = quote(value.text)
		}
		out.WriteString(src[done:name.at.start] + mark + "{key: " + src[name.at.start:name.at.end] + ", value: " + written + "}")
		done = value.at.end
	}
	return out.String(), true
}

// offerPairs gives the last fault the fix that makes variables of an object of keys and
// values.
func (d *decoder) offerPairs(n *node) bool {
	if !d.strict || len(n.items) == 0 || isFlow(d.t.src, n) || n.at.end-n.at.start > mostMoved || slices.ContainsFunc(n.names, func(name memberName) bool { return isKnownMember(name.text) }) {
		return false
	}
	right, ok := writePairs(d.t.src, n, "- ")
	if !ok || len(d.faults) == 0 || len(d.faults) > maxFaults {
		return false
	}
	first, _, _ := strings.Cut(right, "\n")
	d.faults[len(d.faults)-1].Message += writeAs(strings.TrimSpace(first))
	d.offerText(n.at, right)
	return true
}
