package views

import (
	tea "github.com/charmbracelet/bubbletea"
)

// maxChanges is the maximum number of changes that can be undone.
const maxChanges = 100

type snapshot struct {
	text     string
	line, at int
}

// changeKind is the kind of a change. Consecutive changes of one kind, except changeAlone, are
// undone together.
type changeKind int

const (
	changeAlone    changeKind = iota
	changeTyping              // letters up to the next word
	changeErasing             // Backspace
	changeDeleting            // Delete
)

// changes contains the texts that Undo and Redo restore.
type changes struct {
	before, undone []snapshot
	kind           changeKind // of the last change; changeAlone after a key that changes nothing
}

// note records a change of the text, unless it belongs to the previous change. The beginning of a
// word is a new change.
func (c *changes) note(before, after snapshot, kind changeKind, beginsWord bool) {
	if before.text == after.text {
		c.kind = changeAlone
		return
	}
	if kind == changeAlone || kind != c.kind || beginsWord {
		c.before = append(c.before, before)
		c.before = c.before[max(len(c.before)-maxChanges, 0):]
	}
	c.undone, c.kind = nil, kind
}

// move removes and returns the newest text of one list, and adds the present text to the other
// list.
func (c *changes) move(now snapshot, from, to *[]snapshot) (snapshot, bool) {
	last := len(*from) - 1
	if last < 0 {
		return snapshot{}, false
	}
	s := (*from)[last]
	*from, *to = (*from)[:last], append(*to, now)
	c.kind = changeAlone
	return s, true
}

func kindOf(press tea.KeyMsg) changeKind {
	switch {
	case press.Paste || press.Alt:
	case press.Type == tea.KeyRunes, press.Type == tea.KeySpace:
		return changeTyping
	case press.Type == tea.KeyBackspace:
		return changeErasing
	case press.Type == tea.KeyDelete:
		return changeDeleting
	}
	return changeAlone
}

// beginsWord reports whether a key writes the first letter after a space.
func (e *textArea) beginsWord(press tea.KeyMsg) bool {
	return press.Type == tea.KeyRunes && e.at > 0 && e.currentLine().parts[e.at-1].text == " "
}

func (e *textArea) takeSnapshot() snapshot { return snapshot{e.wholeText(), e.line, e.at} }

// change calls run, which changes the text, and records the change for Undo.
func (in *Input) change(run func()) {
	before := in.edit.takeSnapshot()
	run()
	in.changes.note(before, in.edit.takeSnapshot(), changeAlone, true)
	in.growRows()
}

// Undo undoes the last change. Without a change it returns a message.
func (in *Input) Undo() (refused string) {
	return in.goTo(&in.changes.before, &in.changes.undone, "there is nothing to undo")
}

// Redo redoes the change that was undone last. Without such a change it returns a message.
func (in *Input) Redo() (refused string) {
	return in.goTo(&in.changes.undone, &in.changes.before, "there is nothing to redo")
}

func (in *Input) goTo(from, to *[]snapshot, none string) (refused string) {
	s, ok := in.changes.move(in.edit.takeSnapshot(), from, to)
	if !ok {
		return none
	}
	e := in.edit
	e.SetText(s.text)
	e.line = min(s.line, len(e.lines)-1)
	e.at = min(s.at, len(e.currentLine().parts))
	in.growRows()
	return ""
}
