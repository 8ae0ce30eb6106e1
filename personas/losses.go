package personas

import (
	"slices"
	"strings"
	"unicode"
)

// Checks for strings that YAML reads differently than intended.
const (
	TextSplit   = "text-split"   // commas in brackets split a string
	TextCut     = "text-cut"     // a string ends at a comma in braces, or at a #
	LinesJoined = "lines-joined" // a list inside a string becomes one line
	CurlyQuotes = "curly-quotes" // typographic quotes are part of a string
)

const maxLosses = 100

// Losses returns, in source order, the strings that YAML shortens or splits. For JSON the result is
// nil. Members of a diagnostic are paths of members made from the lost text. Fix of a diagnostic is
// nil if the author may have intended the result.
func (m SourceMap) Losses() []Diagnostic {
	if m.t == nil || m.root == nil || isJSON("", m.t.src) {
		return nil
	}
	f := &lossFinder{t: m.t}
	f.visitNode(m.root, nil, false)
	return f.losses
}

type lossFinder struct {
	t      *sourceText
	losses []Diagnostic
	seen   int // offset after the last scalar, to skip nodes reached again through an alias
}

func (f *lossFinder) add(l Diagnostic, span, changed span, right string) {
	if len(f.losses) >= maxLosses {
		return
	}
	c := textChange{changed, right}
	l.Position = f.t.positionOf(span)
	l.Message += writeAs(c.line(f.t.src))
	l.Fix = c.fix(f.t.src, l.Path)
	f.losses = append(f.losses, l)
}

func (f *lossFinder) visitNode(n *node, parent *place, inFlow bool) {
	src, start := f.t.src, n.span.start
	if start >= n.span.end && n.kind != null || len(f.losses) >= maxLosses {
		return
	}
	if start < f.seen || start >= len(src) || src[start] == '*' {
		return
	}
	switch n.kind {
	case str:
		f.seen = n.span.end
		f.checkText(n, parent, inFlow)
	case null:
		f.checkEmpty(n, parent, inFlow)
	case list:
		if f.checkSentence(n, parent) {
			return
		}
		for i, item := range n.items {
			f.visitNode(item, &place{parent, "", i}, inFlow || isFlow(src, n))
		}
	case object:
		f.checkNames(n, parent)
		f.checkMembers(n, parent)
		for i, item := range n.items {
			f.visitNode(item, &place{parent, n.names[i].text, -1}, inFlow || isFlow(src, n))
		}
	}
}

func (f *lossFinder) isPlainScalar(n *node) bool {
	return !isCollection(n) && n.span.end > n.span.start && strings.IndexByte("\"'|>*&!", f.t.src[n.span.start]) < 0
}

var textLists = []string{"pass", "redirect", "reject", "kick_out", "follow_up", "opening", "enter", "unknown", "ask", "say", "examples"}

func (f *lossFinder) checkSentence(n *node, place *place) bool {
	if place == nil || place.index >= 0 || !slices.Contains(textLists, place.member) {
		return false
	}
	if !isFlow(f.t.src, n) || len(n.items) < 2 {
		return false
	}
	for _, item := range n.items {
		if item.kind != str || !f.isPlainScalar(item) {
			return false
		}
	}
	inside := strings.TrimSpace(f.t.src[n.span.start+1 : max(n.span.end-1, n.span.start+1)])
	if strings.ContainsAny(inside, "\r\n") {
		return false
	}
	if !isSentence(n.items) {
		return false
	}
	f.add(Diagnostic{
		Check: TextSplit, Path: place.pathOf(),
		Message: "the commas split this sentence into several texts; put quotes around it",
	}, n.span, n.span, "["+quoteEither(inside)+"]")
	return true
}

func isSentence(items []*node) bool {
	capital, end := unicode.IsUpper(firstLetter(items[0].text)), len(items)-1
	isStart := func(item *node) bool { return !beginsSmall(item.text) }
	isEnd := func(item *node) bool { return endsSentence(item.text) }
	if slices.ContainsFunc(items[1:], isStart) {
		return false
	}
	return capital || isEnd(items[end]) && !slices.ContainsFunc(items[:end], isEnd)
}

func beginsSmall(text string) bool {
	return unicode.IsLower(firstLetter(text)) || strings.HasPrefix(text, "I ") || strings.HasPrefix(text, "I'")
}

func endsSentence(text string) bool {
	return text != "" && strings.ContainsAny(text[len(text)-1:], ".!?")
}

// checkMembers reports members without a value in braces. A member without a value is usually the
// second half of a string with a comma.
func (f *lossFinder) checkMembers(n *node, parent *place) {
	if !isFlow(f.t.src, n) {
		return
	}
	for i := 1; i < len(n.items); i++ {
		before := n.items[i-1]
		if n.items[i].kind != null || !f.isLoose(n.names[i]) || !f.isPlainScalar(before) {
			continue
		}
		if _, joined := f.t.splitJoinedName(n, i); joined {
			continue
		}
		first, end := n.names[i].text, n.names[i].span.end
		members := []string{(&place{parent, first, -1}).pathOf()}
		for i+1 < len(n.items) && n.items[i+1].kind == null && f.isLoose(n.names[i+1]) {
			i++
			end = n.names[i].span.end
			members = append(members, (&place{parent, n.names[i].text, -1}).pathOf())
		}
		joined := span{before.span.start, end}
		path := (&place{parent, n.names[i-1].text, -1}).pathOf()
		text := f.t.src[joined.start:joined.end]
		if strings.ContainsAny(text, "\r\n") {
			continue
		}
		f.add(Diagnostic{
			Check: TextCut, Path: path, Members: members,
			Message: "the text ends at its comma, and " + quote(clip(first)) + " is read as a member; put quotes around the text",
		}, joined, joined, quoteEither(text))
	}
}

func (f *lossFinder) isLoose(name memberName) bool {
	src := f.t.src
	if name.span.start >= name.span.end || strings.IndexByte("\"'*&!?", src[name.span.start]) >= 0 {
		return false
	}
	next := skipSpace(src, name.span.end, "")
	return next < len(src) && src[next] != ':'
}

func (f *lossFinder) checkText(n *node, place *place, inFlow bool) {
	src := f.t.src
	if strings.Contains(src[n.span.start:n.span.end], "\n") {
		f.checkLines(n, place, inFlow)
		return
	}
	if !f.isPlainScalar(n) {
		return
	}
	if inside, ok := stripCurly(n.text); ok {
		f.add(Diagnostic{
			Check: CurlyQuotes, Path: place.pathOf(),
			Message: "the curly quotes are part of this text; YAML recognizes only straight ones",
		}, n.span, n.span, quoteEither(inside))
		return
	}
	if !inFlow {
		f.checkHash(n.span, place)
	}
}

func (f *lossFinder) checkEmpty(n *node, place *place, inFlow bool) {
	if place == nil || n.span.start != n.span.end || inFlow {
		return
	}
	line := f.t.src[n.span.start:lineEnd(f.t.src, n.span.start)]
	start := n.span.start + len(line) - len(strings.TrimLeft(line, " \t:"))
	f.checkHash(span{start, start}, place)
}

func (f *lossFinder) checkHash(text span, place *place) {
	src := f.t.src
	line := src[text.end:lineEnd(src, text.end)]
	comment := strings.TrimLeft(line, " \t")
	if !strings.HasPrefix(comment, "#") || text.start < text.end && comment == line {
		return
	}
	rest := strings.TrimRight(comment[1:], " \t")
	first, word := firstLetter(rest), strings.TrimSpace(rest)
	isNumber := word != "" && strings.Trim(word, "0123456789.") == ""
	isAttached := unicode.IsDigit(first) || unicode.IsLetter(first) && !strings.HasPrefix(rest, "parley:")
	if !isNumber && !isAttached {
		return
	}
	quoted := span{text.start, text.end + len(strings.TrimRight(line, " \t"))}
	hash := text.end + len(line) - len(comment)
	f.add(Diagnostic{
		Check: TextCut, Path: place.pathOf(),
		Message: "the text ends before its #, which begins a comment; put quotes around the text",
	}, span{hash, quoted.end}, quoted, quoteEither(src[quoted.start:quoted.end]))
	if !isNumber && !unicode.IsDigit(first) && len(f.losses) > 0 {
		f.losses[len(f.losses)-1].Fix = nil
	}
}

func (f *lossFinder) checkLines(n *node, place *place, inFlow bool) {
	src := f.t.src
	written := src[n.span.start:n.span.end]
	if written[0] == '|' || inFlow {
		return
	}
	lines := strings.Split(strings.ReplaceAll(written, "\r\n", "\n"), "\n")
	i := slices.IndexFunc(lines[1:], isListLine)
	if i < 0 || strings.Count(n.text, "\n") >= len(lines)-1 {
		return
	}
	f.losses = append(f.losses, Diagnostic{
		Check: LinesJoined, Path: place.pathOf(), Position: f.t.positionOf(n.span),
		Message: "the lines of this text, including the list in it, are joined to one line; put | after the member's name, and the text below it",
	})
}

func isListLine(line string) bool {
	line = strings.TrimSpace(line)
	for _, mark := range []string{"- ", "* ", "• ", "– "} {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
	rest := line[digits:]
	return digits > 0 && digits < 3 && (strings.HasPrefix(rest, ". ") || strings.HasPrefix(rest, ") "))
}

func (f *lossFinder) checkNames(n *node, parent *place) {
	for i := range n.names {
		j, ok := f.t.splitJoinedName(n, i)
		if !ok || len(f.losses) >= maxLosses {
			continue
		}
		path := (&place{parent, n.names[i].text, -1}).pathOf()
		f.losses = append(f.losses, Diagnostic{
			Check: TextCut, Path: path, Members: []string{path}, Position: f.t.positionOf(j.span),
			Message: j.describeMissing(f.t.src), Fix: j.change().fix(f.t.src, path),
		})
	}
}
