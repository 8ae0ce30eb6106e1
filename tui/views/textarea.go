package views

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// textArea is a text of several lines with a cursor. It stores grapheme clusters, so that the
// cursor never stops inside an emoji, and the rows of each line, so that a key wraps a single line.
type textArea struct {
	lines []textLine // at least one
	line  int        // the cursor's line
	at    int        // the index of the part at the cursor
	want  int        // the cell at which moveUp and moveDown aim, or -1 for the cursor's cell

	width  int      // cells of a row, without an extra cell for the cursor after a full row
	height int      // number of shown rows
	top    rowPlace // the first shown row

	text  string // the whole text, valid if known is true
	known bool
}

type textLine struct {
	parts []part
	rows  []int // the index of the first part of each row; at least one
}

// part is a grapheme cluster, which the terminal draws as one character.
type part struct {
	text  string
	cells int
}

func newTextArea() *textArea {
	return &textArea{lines: []textLine{{rows: []int{0}}}, want: -1, width: 1, height: 1, known: true}
}

func splitParts(text string) []part {
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

func (e *textArea) wholeText() string {
	if e.known {
		return e.text
	}
	var b strings.Builder
	b.Grow(len(e.text) + 64) // The length has changed little.
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

// SetText replaces the text with a clean text and moves the cursor to its end.
func (e *textArea) SetText(text string) {
	e.lines = e.lines[:0]
	for line := range strings.SplitSeq(text, "\n") {
		e.lines = append(e.lines, e.wrapLine(splitParts(line)))
	}
	e.line = len(e.lines) - 1
	e.at, e.want, e.top = len(e.currentLine().parts), -1, rowPlace{}
	e.text, e.known = text, true
}

func (e *textArea) currentLine() *textLine { return &e.lines[e.line] }

// maxJoined is how many parts before and after an inserted text are split again, because the
// characters may combine.
const maxJoined = 32

// InsertText inserts a clean text at the cursor.
func (e *textArea) InsertText(text string) {
	first, rest, several := strings.Cut(text, "\n")
	if !several {
		e.spliceLine(e.at, e.at, text)
		return
	}
	tail := slices.Clone(e.currentLine().parts[e.at:])
	e.spliceLine(e.at, len(e.currentLine().parts), first)
	var more []textLine
	for line := range strings.SplitSeq(rest, "\n") {
		more = append(more, e.wrapLine(splitParts(line)))
	}
	e.lines = slices.Insert(e.lines, e.line+1, more...)
	e.line += len(more)
	e.attachParts(tail)
}

func (e *textArea) attachParts(tail []part) {
	l := e.currentLine()
	at := len(l.parts)
	l.parts = append(l.parts, tail...)
	e.spliceLine(at, at, "")
}

// spliceLine replaces parts of the cursor's line with a text, and moves the cursor after the text.
// Characters at the boundaries may join to one grapheme cluster.
func (e *textArea) spliceLine(from, to int, text string) {
	l := e.currentLine()
	first, last := max(from-maxJoined, 0), min(to+maxJoined, len(l.parts))
	before := joinedParts(l.parts[first:from]) + text
	fresh := splitParts(before + joinedParts(l.parts[to:last]))
	e.at = first
	for bytes := 0; bytes < len(before); e.at++ {
		bytes += len(fresh[e.at-first].text)
	}
	l.parts = slices.Replace(l.parts, first, last, fresh...)
	l.rows = rowsOf(l.parts, e.width)
	e.known, e.want = false, -1
}

func (e *textArea) eraseBefore() {
	switch {
	case e.at > 0:
		e.spliceLine(e.at-1, e.at, "")
	case e.line > 0:
		e.line--
		e.at = len(e.currentLine().parts)
		e.mergeNext()
	}
}

func (e *textArea) eraseBehind() {
	switch {
	case e.at < len(e.currentLine().parts):
		e.spliceLine(e.at, e.at+1, "")
	case e.line < len(e.lines)-1:
		e.mergeNext()
	}
}

func (e *textArea) mergeNext() {
	tail := e.lines[e.line+1].parts
	e.lines = slices.Delete(e.lines, e.line+1, e.line+2)
	e.attachParts(tail)
}

func (e *textArea) moveLeft() {
	e.want = -1
	switch {
	case e.at > 0:
		e.at--
	case e.line > 0:
		e.line--
		e.at = len(e.currentLine().parts)
	}
}

func (e *textArea) moveRight() {
	e.want = -1
	switch {
	case e.at < len(e.currentLine().parts):
		e.at++
	case e.line < len(e.lines)-1:
		e.line, e.at = e.line+1, 0
	}
}

func (e *textArea) wordLeft() int {
	list, at := e.currentLine().parts, e.at
	for at > 0 && list[at-1].text == " " {
		at--
	}
	for at > 0 && list[at-1].text != " " {
		at--
	}
	return at
}

func (e *textArea) wordRight() int {
	list, at := e.currentLine().parts, e.at
	for at < len(list) && list[at].text == " " {
		at++
	}
	for at < len(list) && list[at].text != " " {
		at++
	}
	return at
}

var editorKeys = map[string]func(*textArea){
	"left": (*textArea).moveLeft, "ctrl+b": (*textArea).moveLeft,
	"right": (*textArea).moveRight, "ctrl+f": (*textArea).moveRight,
	"home": (*textArea).toStart, "ctrl+a": (*textArea).toStart,
	"end": (*textArea).toEnd, "ctrl+e": (*textArea).toEnd,
	"alt+left": (*textArea).goWordLeft, "alt+b": (*textArea).goWordLeft, "ctrl+left": (*textArea).goWordLeft,
	"alt+right": (*textArea).goWordRight, "alt+f": (*textArea).goWordRight, "ctrl+right": (*textArea).goWordRight,
	"backspace": (*textArea).eraseBefore, "ctrl+h": (*textArea).eraseBefore,
	"delete": (*textArea).eraseBehind,
	"ctrl+w": (*textArea).eraseWord, "alt+backspace": (*textArea).eraseWord,
	"alt+d": (*textArea).eraseNextWord, "alt+delete": (*textArea).eraseNextWord,
	"ctrl+u": (*textArea).eraseAll, "ctrl+k": (*textArea).eraseToEnd,
}

func (e *textArea) toStart() { e.at, e.want = 0, -1 }
func (e *textArea) toEnd()   { e.at, e.want = len(e.currentLine().parts), -1 }

func (e *textArea) goWordLeft() {
	if e.at == 0 {
		e.moveLeft()
	}
	e.at, e.want = e.wordLeft(), -1
}

func (e *textArea) goWordRight() {
	if e.at == len(e.currentLine().parts) {
		e.moveRight()
	}
	e.at, e.want = e.wordRight(), -1
}

func (e *textArea) eraseWord() {
	if e.at == 0 {
		e.eraseBefore()
		return
	}
	e.spliceLine(e.wordLeft(), e.at, "")
}

func (e *textArea) eraseNextWord() {
	if e.at == len(e.currentLine().parts) {
		e.eraseBehind()
		return
	}
	e.spliceLine(e.at, e.wordRight(), "")
}

func (e *textArea) eraseAll() { e.SetText("") }

func (e *textArea) eraseToEnd() {
	if e.at == len(e.currentLine().parts) {
		e.eraseBehind()
		return
	}
	e.spliceLine(e.at, len(e.currentLine().parts), "")
}
