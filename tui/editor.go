package tui

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// editor is a text of several lines with a cursor. It takes its text apart into
// what is drawn as one character, so that no key stops inside of an emoji or
// between a letter and its mark, and it knows for each line where its rows begin,
// so that a key costs as much as the line it changes.
type editor struct {
	lines []textLine // at least one
	line  int        // the cursor's line
	at    int        // the cursor's place in it: before this character
	want  int        // the cell that going up and down aims at, -1 for the cursor's own

	width  int // cells of a row; one more is the cursor's, behind a full row
	height int // rows that are shown
	top    spot

	text  string // the whole, while known
	known bool
}

// textLine is a line and where its rows begin.
type textLine struct {
	parts []part
	rows  []int // the first part of each row; there is always a first row
}

// part is what is drawn as one character.
type part struct {
	text  string
	cells int
}

func newEditor() *editor {
	return &editor{lines: []textLine{{rows: []int{0}}}, want: -1, width: 1, height: 1, known: true}
}

// parts takes a text apart.
func parts(text string) []part {
	list := make([]part, 0, len(text))
	for text != "" {
		if text[0] < 0x80 && (len(text) == 1 || text[1] < 0x80) {
			list, text = append(list, part{text[:1], 1}), text[1:]
			continue
		}
		character, _ := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
		list, text = append(list, part{character, ansi.StringWidth(character)}), text[len(character):]
	}
	return list
}

func joinedParts(list []part) string {
	var b strings.Builder
	for _, p := range list {
		b.WriteString(p.text)
	}
	return b.String()
}

// value is the whole text.
func (e *editor) value() string {
	if e.known {
		return e.text
	}
	var b strings.Builder
	b.Grow(len(e.text) + 64) // Much the same length as before.
	for i := range e.lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		for _, p := range e.lines[i].parts {
			b.WriteString(p.text)
		}
	}
	e.text, e.known = b.String(), true
	return e.text
}

// set takes another text, which is clean, and puts the cursor behind it.
func (e *editor) set(text string) {
	e.lines = e.lines[:0]
	for line := range strings.SplitSeq(text, "\n") {
		e.lines = append(e.lines, e.wrapped(parts(line)))
	}
	e.line = len(e.lines) - 1
	e.at, e.want, e.top = len(e.here().parts), -1, spot{}
	e.text, e.known = text, true
}

func (e *editor) here() *textLine { return &e.lines[e.line] }

// maxJoined is how far from the cursor a character can be joined with what is
// written there.
const maxJoined = 32

// write puts a clean text at the cursor.
func (e *editor) write(text string) {
	first, rest, several := strings.Cut(text, "\n")
	if !several {
		e.splice(e.at, e.at, text)
		return
	}
	tail := slices.Clone(e.here().parts[e.at:])
	e.splice(e.at, len(e.here().parts), first)
	var more []textLine
	for line := range strings.SplitSeq(rest, "\n") {
		more = append(more, e.wrapped(parts(line)))
	}
	e.lines = slices.Insert(e.lines, e.line+1, more...)
	e.line += len(more)
	e.attach(tail)
}

// attach puts parts behind the cursor's line, and the cursor where they meet.
func (e *editor) attach(tail []part) {
	l := e.here()
	at := len(l.parts)
	l.parts = append(l.parts, tail...)
	e.splice(at, at, "")
}

// splice puts a text in the place of some parts of the cursor's line, and the
// cursor behind it. Where it meets the others a mark may join the letter before
// it.
func (e *editor) splice(from, to int, text string) {
	l := e.here()
	first, last := max(from-maxJoined, 0), min(to+maxJoined, len(l.parts))
	before := joinedParts(l.parts[first:from]) + text
	fresh := parts(before + joinedParts(l.parts[to:last]))
	e.at = first
	for bytes := 0; bytes < len(before); e.at++ {
		bytes += len(fresh[e.at-first].text)
	}
	l.parts = slices.Replace(l.parts, first, last, fresh...)
	l.rows = rowsOf(l.parts, e.width)
	e.known, e.want = false, -1
}

// backspace takes the character before the cursor away, or the line's beginning.
func (e *editor) backspace() {
	switch {
	case e.at > 0:
		e.splice(e.at-1, e.at, "")
	case e.line > 0:
		e.line--
		e.at = len(e.here().parts)
		e.mergeNext()
	}
}

// remove takes the character behind the cursor away, or the line's end.
func (e *editor) remove() {
	switch {
	case e.at < len(e.here().parts):
		e.splice(e.at, e.at+1, "")
	case e.line < len(e.lines)-1:
		e.mergeNext()
	}
}

// mergeNext puts the next line behind the cursor's.
func (e *editor) mergeNext() {
	tail := e.lines[e.line+1].parts
	e.lines = slices.Delete(e.lines, e.line+1, e.line+2)
	e.attach(tail)
}

// left and right walk through the text, over the ends of lines.
func (e *editor) left() {
	e.want = -1
	switch {
	case e.at > 0:
		e.at--
	case e.line > 0:
		e.line--
		e.at = len(e.here().parts)
	}
}

func (e *editor) right() {
	e.want = -1
	switch {
	case e.at < len(e.here().parts):
		e.at++
	case e.line < len(e.lines)-1:
		e.line, e.at = e.line+1, 0
	}
}

// wordLeft is where the word before the cursor begins, wordRight where the one
// behind it ends; both in the cursor's line.
func (e *editor) wordLeft() int {
	list, at := e.here().parts, e.at
	for at > 0 && list[at-1].text == " " {
		at--
	}
	for at > 0 && list[at-1].text != " " {
		at--
	}
	return at
}

func (e *editor) wordRight() int {
	list, at := e.here().parts, e.at
	for at < len(list) && list[at].text == " " {
		at++
	}
	for at < len(list) && list[at].text != " " {
		at++
	}
	return at
}

// editorKeys are the keys that change the text or move the cursor in it.
var editorKeys = map[string]func(*editor){
	"left": (*editor).left, "ctrl+b": (*editor).left,
	"right": (*editor).right, "ctrl+f": (*editor).right,
	"home": (*editor).toStart, "ctrl+a": (*editor).toStart,
	"end": (*editor).toEnd, "ctrl+e": (*editor).toEnd,
	"alt+left": (*editor).goWordLeft, "alt+b": (*editor).goWordLeft, "ctrl+left": (*editor).goWordLeft,
	"alt+right": (*editor).goWordRight, "alt+f": (*editor).goWordRight, "ctrl+right": (*editor).goWordRight,
	"backspace": (*editor).backspace, "ctrl+h": (*editor).backspace,
	"delete": (*editor).remove,
	"ctrl+w": (*editor).eraseWord, "alt+backspace": (*editor).eraseWord,
	"alt+d": (*editor).eraseNextWord, "alt+delete": (*editor).eraseNextWord,
	"ctrl+u": (*editor).eraseToStart, "ctrl+k": (*editor).eraseToEnd,
}

func (e *editor) toStart() { e.at, e.want = 0, -1 }
func (e *editor) toEnd()   { e.at, e.want = len(e.here().parts), -1 }

func (e *editor) goWordLeft() {
	if e.at == 0 {
		e.left()
	}
	e.at, e.want = e.wordLeft(), -1
}

func (e *editor) goWordRight() {
	if e.at == len(e.here().parts) {
		e.right()
	}
	e.at, e.want = e.wordRight(), -1
}

func (e *editor) eraseWord() {
	if e.at == 0 {
		e.backspace()
		return
	}
	e.splice(e.wordLeft(), e.at, "")
}

func (e *editor) eraseNextWord() {
	if e.at == len(e.here().parts) {
		e.remove()
		return
	}
	e.splice(e.at, e.wordRight(), "")
}

func (e *editor) eraseToStart() {
	if e.at == 0 {
		e.backspace()
		return
	}
	e.splice(0, e.at, "")
}

func (e *editor) eraseToEnd() {
	if e.at == len(e.here().parts) {
		e.remove()
		return
	}
	e.splice(e.at, len(e.here().parts), "")
}
