package personas

import "strings"

// foldWidth is how wide the lines of a folded text become.
const foldWidth = 100

// partWriter writes one member or item of a changed document.
type partWriter struct {
	*rewriter
	part   *part // nil for a new one
	indent int
	name   string // of a member
	in     kind   // of the collection: object or list
}

// head returns the comments and blank lines above the part.
func (p *partWriter) head() []string {
	if p.part == nil {
		return nil
	}
	return p.lines[p.part.head:p.part.line:p.part.line]
}

// written returns the original lines of the part.
func (p *partWriter) written() []string {
	return p.lines[p.part.line:p.part.end:p.part.end]
}

// change returns the lines of the part with a new value; nil removes it.
func (p *partWriter) change(s versions, value *node) []string {
	switch {
	case value == nil:
		return nil
	case p.part == nil:
		return p.encode(value)
	case p.hashes.same(s.old, value):
		return p.written()
	}
	if lines := p.descend(versions{s.raw, s.old, value, value}); lines != nil {
		return lines
	}
	if lines := p.splice(s.raw, s.old, value); lines != nil {
		return lines
	}
	return append(p.trailingComment(s.raw), p.encode(value)...)
}

// encode writes the part again.
func (p *partWriter) encode(value *node) []string {
	b := appendIndent(nil, p.indent)
	if p.in == object {
		b = appendName(b, p.name, p.indent)
	} else {
		b = append(b, '-')
	}
	if folded := p.fold(value); folded != "" {
		return strings.Split(string(b)+folded, "\n")
	}
	b = appendItem(b, value, p.in, p.indent)
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
}

// fold writes a text of one long line in folded style if the old one was folded.
func (p *partWriter) fold(value *node) string {
	if p.part == nil || value.kind != str || !strings.HasPrefix(p.t.src[p.part.n.at.start:], ">") {
		return ""
	}
	words := strings.Split(strings.TrimSuffix(value.text, "\n"), " ")
	header := " >"
	if !strings.HasSuffix(value.text, "\n") {
		header = " >-"
	}
	var out strings.Builder
	out.WriteString(header)
	width := foldWidth
	for _, word := range words {
		if word == "" || strings.ContainsAny(word, "\n\t\r") {
			return ""
		}
		if width += len(word) + 1; width > foldWidth {
			out.WriteString("\n" + strings.Repeat(" ", p.indent+2) + word)
			width = p.indent + 2 + len(word)
			continue
		}
		out.WriteString(" " + word)
	}
	return out.String()
}

// trailingComment returns the comment behind a value that is written again, to be above.
func (p *partWriter) trailingComment(raw *node) []string {
	line := p.lineOf(raw.at.start)
	rest := p.t.src[min(raw.at.end, lineEnd(p.t.src, raw.at.start)):lineEnd(p.t.src, raw.at.start)]
	if rest = strings.TrimSpace(rest); line != p.part.line || !strings.HasPrefix(rest, "#") {
		return nil
	}
	return []string{strings.Repeat(" ", p.indent) + rest}
}

// descend changes the content of the part member by member, or item by item. It returns nil if that
// is not possible.
func (p *partWriter) descend(s versions) []string {
	if p.part == nil || !p.isBlock(s.raw) || s.old == nil || !isFilled(s.mine, s.raw.kind) || !isFilled(s.theirs, s.raw.kind) {
		return nil
	}
	if s.raw.kind == list && (s.old.kind != list || len(s.old.items) != len(s.raw.items)) {
		return nil
	}
	first, from := p.firstLine(s.raw), p.part.line+1
	switch {
	case first > p.part.line && s.raw.kind == object:
		return append(p.written()[:1:1], p.rewriteMapping(s, from, p.part.end)...)
	case first > p.part.line:
		return append(p.written()[:1:1], p.rewriteSequence(s, from, p.part.end)...)
	case p.in == list && s.raw.kind == object:
		return p.rewriteBehindDash(s)
	}
	return nil
}

func isFilled(n *node, k kind) bool { return n != nil && n.kind == k && len(n.items) > 0 }

// rewriteBehindDash changes an object that begins behind the dash of its item.
func (p *partWriter) rewriteBehindDash(s versions) []string {
	line := p.lines[p.part.line]
	p.lines[p.part.line] = line[:p.indent] + " " + line[p.indent+1:]
	inner := p.rewriteMapping(s, p.part.line, p.part.end)
	p.lines[p.part.line] = line
	for i := range inner {
		switch {
		case isBlank(inner[i]) || isComment(inner[i]):
		case len(inner[i]) <= p.indent || inner[i][p.indent] != ' ': // a mark
			return inner
		default:
			inner[i] = inner[i][:p.indent] + "-" + inner[i][p.indent+1:]
			return inner
		}
	}
	return inner
}

// splice replaces the old value in its lines by the new one, or the old scalars in brackets by the
// new ones. It returns nil if the shape differs.
func (p *partWriter) splice(raw, old, value *node) []string {
	text, ok := p.spell(raw, old, value, false)
	if !ok {
		return nil
	}
	start, end := p.t.lines[p.part.line], len(p.t.src)
	if p.part.end < len(p.t.lines) {
		end = p.t.lines[p.part.end]
	}
	if raw.at.start < start || raw.at.end > end {
		return nil // an alias
	}
	changed := strings.TrimRight(p.t.src[start:raw.at.start]+text+p.t.src[raw.at.end:end], "\r\n")
	return strings.Split(strings.ReplaceAll(changed, "\r\n", "\n"), "\n")
}

// spell returns the text of a value, adapted from the written one if both have the same shape.
func (p *partWriter) spell(raw, old, value *node, inFlow bool) (string, bool) {
	written := p.t.src[raw.at.start:raw.at.end]
	switch {
	case value == nil || old == nil:
		return written, value == old
	case p.hashes.same(old, value):
		return written, true
	case raw.kind == object && value.kind == object && isFlow(p.t.src, raw):
		return p.spellObject(raw, old, value)
	case raw.kind == list && value.kind == list && isFlow(p.t.src, raw) && len(raw.items) == len(value.items) && len(old.items) == len(value.items):
		return p.spellItems(raw, old.items, value.items)
	case raw.kind == list, raw.kind == object, value.kind == list, value.kind == object:
		return "", false
	}
	return spellScalar(written, value, inFlow)
}

// spellObject spells the members of an object in brackets, which are the same by name.
func (p *partWriter) spellObject(raw, old, value *node) (string, bool) {
	olds, values := make([]*node, len(raw.items)), make([]*node, len(raw.items))
	found := 0
	for i := range raw.names {
		olds[i], values[i] = memberOf(old, raw.names[i].text), memberOf(value, raw.names[i].text)
		if values[i] != nil {
			found++
		}
	}
	if found != len(value.names) {
		return "", false
	}
	return p.spellItems(raw, olds, values)
}

// spellItems spells the items of a collection in brackets, and keeps what is between.
func (p *partWriter) spellItems(raw *node, olds, values []*node) (string, bool) {
	var out strings.Builder
	at := raw.at.start
	for i, item := range raw.items {
		text, ok := p.spell(item, olds[i], values[i], true)
		if !ok || item.at.start < at {
			return "", false
		}
		out.WriteString(p.t.src[at:item.at.start] + text)
		at = item.at.end
	}
	return out.String() + p.t.src[at:raw.at.end], true
}

// spellScalar writes a scalar on one line, in the way of the one that was there.
func spellScalar(written string, value *node, inFlow bool) (string, bool) {
	switch {
	case strings.Contains(written, "\n") || written == "" || isBlock(value.text) || strings.ContainsAny(value.text, "\n\r"):
		return "", false
	case value.kind == number:
		return numberYAML(value.text), true
	case value.kind != str:
		return string(value.appendJSON(nil)), true
	}
	plain := scalarYAML(value.text)
	if strings.HasPrefix(written, `"`) || value.text == "" || isReadOtherwise(plain, inFlow) || inFlow && strings.ContainsAny(plain, ",[]{}") {
		return quote(value.text), true
	}
	return plain, true
}
