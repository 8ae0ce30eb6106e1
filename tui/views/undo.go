package views

import (
	tea "github.com/charmbracelet/bubbletea"
)

const maxChanges = 100

type snapshot struct {
	text string
	at   int
}

// changeKind is the kind of a change. Undo undoes consecutive changes of the same kind together,
// except changes of the kind changeAlone.
type changeKind int

const (
	changeAlone    changeKind = iota
	changeTyping              // letters up to the next word
	changeErasing             // Backspace
	changeDeleting            // Delete
)

type changes struct {
	before, undone []snapshot
	kind           changeKind // kind is the kind of the last change, or changeAlone after a key that changes nothing
}

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

func (e *textArea) beginsWord(press tea.KeyMsg) bool {
	return press.Type == tea.KeyRunes && e.isAt(e.at-1, " ")
}

func (e *textArea) takeSnapshot() snapshot { return snapshot{e.text, e.at} }

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
	last := len(*from) - 1
	if last < 0 {
		return none
	}
	e, s := in.edit, (*from)[last]
	*from, *to = (*from)[:last], append(*to, e.takeSnapshot())
	in.changes.kind = changeAlone
	e.SetText(s.text)
	e.moveTo(s.at)
	in.growRows()
	return ""
}
