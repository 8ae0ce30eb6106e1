package personas

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas/plaintext"
)

// decoder decodes a tree to a document. If strict is false, only values of the wrong type are
// faults. JSON from other programs is decoded without strict.
type decoder struct {
	t        *sourceText
	strict   bool
	faults   []Diagnostic
	unknown  int                          // unknown members without the prefix x-
	doc      *Persona                     // nil if the text is not a persona
	onObject func(n *node, indexes []int) // called with the indexes of the known members in document order
}

func (d *decoder) readDocument(root *node, p *Persona) {
	d.doc = p
	d.readObject(root, nil, p.walkMembers)
}

func (d *decoder) addFault(span span, path, format string, args ...any) {
	if d.hasEnough() {
		return
	}
	message := "there are more errors; fix these first"
	if len(d.faults) < maxFaults {
		message = fmt.Sprintf(format, args...)
	}
	d.faults = append(d.faults, Diagnostic{Path: path, Position: d.t.positionOf(span), Message: message})
}

func (d *decoder) hasEnough() bool { return len(d.faults) > maxFaults }

func (d *decoder) offerFix(kind FixKind, path, value string) {
	hasValue := value != "" || kind == FixWrap || kind == FixRemove
	if n := len(d.faults); n > 0 && n <= maxFaults && hasValue {
		d.faults[n-1].Fix = &Fix{Kind: kind, Path: path, Value: value}
	}
}

func (d *decoder) readObject(n *node, place *place, walk func(*memberWalker)) {
	if n.kind != object {
		path := place.pathOf()
		d.addFault(n.span, path, "%s must be an object with members, but it is %s", d.doc.NamePath(path), n.describe())
		return
	}
	n.indexMembers()
	d.checkUnique(n, place)
	w := &memberWalker{n: n, place: place, decoder: d, taken: make([]bool, len(n.items))}
	before := len(d.faults)
	walk(w)
	d.refuseForeign(w, before)
	if d.onObject != nil {
		d.onObject(n, w.order)
	}
}

func (d *decoder) checkUnique(n *node, place *place) {
	if !d.strict || d.hasEnough() {
		return
	}
	n.indexMembers()
	for i, member := range n.names {
		first := n.findMember(member.text)
		if first == i {
			continue
		}
		if d.hasEnough() {
			return
		}
		path := JoinPath(place.pathOf(), member.text)
		line := d.t.positionOf(n.names[first].span).Line
		d.addFault(member.span, path, "%s occurs twice, first on line %d; remove one", clip(member.text), line)
		if bytes.Equal(n.items[i].appendJSON(nil), n.items[first].appendJSON(nil)) {
			d.offerFix(FixRemove, path, "")
		}
	}
}

func (d *decoder) readString(place *place, n *node) string {
	if n.kind != str {
		path := place.pathOf()
		name, hint := d.doc.NamePath(path), n.quoteHint()
		d.addFault(n.span, path, "%s must be a string, but it is %s%s", name, n.describe(), hint)
		d.offerRetype(n, str, path)
		d.offerQuotes(n)
	}
	d.refuseNUL(n, place.pathOf)
	return n.text
}

func (d *decoder) refuseNUL(n *node, path func() string) {
	if d.strict && n.kind == str && strings.Contains(n.text, "\x00") {
		d.addFault(n.span, path(), hasNULMessage)
	}
}

const hasNULMessage = "the text has a NUL character; remove it"

func hasNUL(raw []byte) bool {
	const escaped = `\u0000`
	for i := 0; ; i++ {
		next := bytes.Index(raw[i:], []byte(escaped))
		if next < 0 {
			return false
		}
		i += next
		if before := bytes.TrimRight(raw[:i], `\`); (i-len(before))%2 == 0 {
			return true
		}
	}
}

func (n *node) quoteHint() string {
	if n.kind == number || n.kind == boolean {
		return "; quote it: " + quote(n.source())
	}
	return ""
}

// takeMember treats a null member as absent.
func (w *memberWalker) takeMember(member string, want kind, need presence) *node {
	i := w.n.findMember(member)
	if i < 0 {
		if need {
			w.reportMissing(member)
		}
		return nil
	}
	w.markTaken(member)
	n := w.n.items[i]
	if n.kind == null && (!bool(need) || !w.decoder.strict) {
		return nil
	}
	if n.kind != want {
		w.addFault(n.span, member, "%s must be %s, but it is %s%s", member, want, n.describe(), n.kindHint(want))
		w.decoder.offerRetype(n, want, JoinPath(w.place.pathOf(), member))
		if want == str {
			w.decoder.offerQuotes(n)
		}
		return nil
	}
	w.decoder.refuseNUL(n, func() string { return JoinPath(w.place.pathOf(), member) })
	return n
}

func (w *memberWalker) markTaken(member string) {
	for i := range w.n.names {
		if w.n.names[i].text == member && !w.taken[i] {
			w.taken[i] = true
			w.order = append(w.order, i)
		}
	}
}

func (k kind) String() string {
	return [...]string{"null", "true or false", "a whole number", "a string", "a list", "an object with members"}[k]
}

func (n *node) kindHint(want kind) string {
	switch {
	case want == str:
		return n.quoteHint()
	case want == list && n.kind == object:
		return "; put \"- \" (in JSON: brackets) around it"
	case n.kind == str && want == number:
		if _, ok := numberText(n.text); ok {
			return "; write it without quotes"
		}
	case n.kind == str && want == boolean:
		return booleanHint(n.text)
	}
	return ""
}

func (d *decoder) offerRetype(n *node, want kind, path string) {
	text, isNumber := numberText(n.text)
	isWord := n.kind == number || n.kind == boolean
	switch {
	case !d.strict:
	case want == str && isWord && d.t.src[n.span.start:n.span.end] == n.source():
		d.offerFix(FixRetype, path, quote(n.source()))
	case want == number && n.kind == str && isNumber && text == n.text:
		d.offerFix(FixRetype, path, n.text)
	case want == boolean && n.kind == str:
		for _, word := range []string{"true", "false"} {
			hint := booleanHint(n.text)
			if hint == "; write "+word || hint != "" && strings.EqualFold(n.text, word) {
				d.offerFix(FixRetype, path, word)
			}
		}
	}
}

func booleanHint(s string) string {
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

func (w *memberWalker) addFault(span span, member, format string, args ...any) {
	w.decoder.addFault(span, JoinPath(w.place.pathOf(), member), format, args...)
}

func (w *memberWalker) addStrictFault(span span, member, format string, args ...any) {
	if w.decoder.strict {
		w.addFault(span, member, format, args...)
	}
}

// reportMissing points to the first member, because the object may span many lines.
func (w *memberWalker) reportMissing(member string) {
	if w.decoder.hasEnough() {
		return
	}
	first := w.n.span
	if len(w.n.names) > 0 {
		first = w.n.names[0].span
	}
	var others []string
	for i, n := range w.n.names {
		if !w.taken[i] && !strings.ContainsAny(n.text, ": ") { // Losses reports a name with its value.
			others = append(others, n.text)
		}
	}
	hint, nearest, only := "add it", Nearest(member, others), OnlyNear(member, others)
	for i := 0; i < min(len(others), 200) && nearest == ""; i++ {
		if meant, certain := NearestMember(others[i], membersOf(w.noun)); meant == member {
			nearest = others[i]
			if certain {
				only = nearest
			}
		}
	}
	if nearest != "" {
		hint = "is " + quote(nearest) + " meant to be it?"
	}
	w.addStrictFault(first, member, "%s is missing, and every %s needs it; %s", member, w.noun, hint)
	if only != "" && w.decoder.strict {
		w.decoder.offerFix(FixRename, JoinPath(w.place.pathOf(), only), member)
	}
}

func (w *memberWalker) refuseMember(member, because string) {
	if w.startWrite(member) {
		return
	}
	w.markTaken(member)
	if i := w.n.findMember(member); i >= 0 && w.n.items[i].kind != null && because != "" {
		w.addStrictFault(w.n.items[i].span, member, "%s must be absent: %s", member, because)
	}
}

func (d *decoder) readUnknown(w *memberWalker) Members {
	var members Members
	for i, isTaken := range w.taken {
		if isTaken {
			continue
		}
		member, value := w.n.names[i].text, w.n.items[i]
		d.checkUniqueWithin(value, &place{w.place, member, -1})
		if !strings.HasPrefix(member, "x-") {
			d.unknown++
		}
		if w.n.findMember(member) == i {
			raw := value.appendJSON(nil)
			if d.strict && (strings.Contains(member, "\x00") || hasNUL(raw)) {
				w.addFault(value.span, member, hasNULMessage)
			}
			members = append(members, Member{Name: member, Value: raw})
		}
	}
	return members
}

func (d *decoder) checkUniqueWithin(n *node, parent *place) {
	if n.kind == object {
		d.checkUnique(n, parent)
	}
	for i, item := range n.items {
		inside := &place{parent, "", i}
		if n.kind == object {
			inside = &place{parent, n.names[i].text, -1}
		}
		d.checkUniqueWithin(item, inside)
	}
}

func toStrings[T ~string](choices []T) []string {
	words := make([]string, len(choices))
	for i, c := range choices {
		words[i] = string(c)
	}
	return words
}

func joinChoices(choices []string) string {
	quoted := make([]string, len(choices))
	for i, c := range choices {
		quoted[i] = quote(c)
	}
	return strings.Join(quoted[:len(quoted)-1], ", ") + " or " + quoted[len(quoted)-1]
}

// Nearest returns the most similar word, or "" if more than a third of the letters differ. Only the
// first 200 words of up to 64 bytes are compared.
func Nearest(word string, words []string) string {
	best, _ := nearestWithDistance(word, words)
	return best
}

// NearestWords returns the result of Nearest and all equally similar words.
func NearestWords(word string, words []string) []string {
	best, least := nearestWithDistance(word, words)
	if best == "" {
		return nil
	}
	var nearest []string
	for _, w := range words[:min(len(words), 200)] {
		if plaintext.EditDistance(foldWord(word), foldWord(w)) == least && !slices.Contains(nearest, w) {
			nearest = append(nearest, w)
		}
	}
	return nearest
}

func nearestWithDistance(word string, words []string) (best string, least int) {
	least = len(word)/3 + 1
	for _, w := range words[:min(len(words), 200)] {
		shorter, longer := min(len(w), len(word)), max(len(w), len(word))
		if longer-shorter > least || longer > 64 {
			continue
		}
		if d := plaintext.EditDistance(foldWord(word), foldWord(w)); d < least {
			best, least = w, d
		}
	}
	return best, least
}

// OnlyNear returns the word that is certainly meant, or "". A word that differs only in case or
// separators is certain. Otherwise the distance to the second nearest word must be greater by at
// least two.
func OnlyNear(word string, words []string) string {
	best, letters := nearestWithDistance(word, words)
	if best == "" || best == word {
		return ""
	}
	others := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == best })
	second, more := nearestWithDistance(word, others)
	if foldWord(best) != foldWord(word) && second != "" && more < letters+2 {
		return ""
	}
	return best
}

func foldWord(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == ' ' {
			return '_'
		}
		return r
	}, strings.ToLower(s))
}

func (d *decoder) offerQuotes(n *node) {
	if !d.strict || len(d.faults) == 0 || len(d.faults) > maxFaults {
		return
	}
	if !isCollection(n) || len(n.items) == 0 || n.span.end <= n.span.start {
		return
	}
	written := d.t.src[n.span.start:n.span.end]
	if strings.ContainsAny(written, "\r\n") || strings.HasPrefix(written, "*") {
		return
	}
	isNested := isFlow(d.t.src, n) && slices.ContainsFunc(n.items, isCollection)
	if isNested && !strings.HasPrefix(written, "{{") {
		return
	}
	right := quoteEither(written)
	fault := &d.faults[len(d.faults)-1]
	fault.Message += "; a text with " + signOf(d.t.src, n) + " needs quotes" + writeAs(right)
	fault.Fix = textChange{n.span, right}.fix(d.t.src, fault.Path)
}
