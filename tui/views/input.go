package views

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

// Input is the player's input: a text of several lines whose height follows its content, up to the
// service's maximum length of a message.
type Input struct {
	edit    *textArea
	st      *Styles
	keys    KeyMap
	History *History
	width   int
	maxRows int
	drawn   []string // nil when the rows are to be drawn anew
	changes changes
}

// placeholder is in an empty input; the cursor is on its first letter.
const placeholder = "Say something"

// NewInput is an empty input.
func NewInput(st *Styles, keys KeyMap) *Input {
	return &Input{edit: newTextArea(), st: st, keys: keys, History: &History{}, maxRows: 1}
}

// Resize sets the width in cells and the maximum number of rows.
func (in *Input) Resize(width, maxRows int) {
	if width == in.width && maxRows == in.maxRows {
		return
	}
	in.width, in.maxRows = width, maxRows
	in.edit.Resize(width - ansi.StringWidth(firstMargin) - 1)
	in.growRows()
}

// Update handles a key. If its text does not fit into one message, it refuses all of it and returns
// the reason.
func (in *Input) Update(press tea.KeyMsg) (refused string) {
	switch {
	case key.Matches(press, in.keys.Undo):
		return in.Undo()
	case key.Matches(press, in.keys.Redo):
		return in.Redo()
	}
	before, begins := in.edit.takeSnapshot(), in.edit.beginsWord(press)
	refused = in.takeKey(press)
	in.changes.note(before, in.edit.takeSnapshot(), kindOf(press), begins)
	in.growRows()
	return refused
}

func (in *Input) takeKey(press tea.KeyMsg) (refused string) {
	switch does := editorKeys[press.String()]; {
	case in.browseHistory(press):
	case press.Type == tea.KeyRunes && !press.Alt:
		return in.insert(string(press.Runes), press.Paste)
	case press.Type == tea.KeySpace && !press.Alt:
		return in.insert(" ", false)
	case key.Matches(press, in.keys.NewLine):
		return in.insert("\n", false)
	case key.Matches(press, in.keys.Up):
		in.edit.moveUp()
	case key.Matches(press, in.keys.Down):
		in.edit.moveDown()
	case does != nil:
		does(in.edit)
	}
	return ""
}

// InsertText puts what was typed or pasted at the cursor.
func (in *Input) InsertText(text string, pasted bool) (refused string) {
	in.change(func() { refused = in.insert(text, pasted) })
	return refused
}

func (in *Input) insert(text string, pasted bool) (refused string) {
	text = terminal.CleanInput(text)
	room := wire.MaxMessage - terminal.CountCharacters(in.Text())
	switch n := terminal.CountCharacters(text); {
	case n <= room:
		in.edit.InsertText(text)
		return ""
	case pasted:
		return TooMuchPasted(n)
	}
	return fmt.Sprintf("a message may have %s characters: there is no room for more", terminal.GroupThousands(wire.MaxMessage))
}

// TakeBack takes away what was written last, if it is at the end.
func (in *Input) TakeBack(text string) {
	if rest, there := strings.CutSuffix(in.Text(), terminal.CleanInput(text)); there && text != "" {
		in.SetText(rest)
	}
}

// TooMuchPasted refuses a paste of so many characters.
func TooMuchPasted(n int) string {
	return fmt.Sprintf("pasted text of %s characters left out: a message may have %s", terminal.GroupThousands(n), terminal.GroupThousands(wire.MaxMessage))
}

// growRows makes the window as high as the text, at most maxRows.
func (in *Input) growRows() {
	in.drawn = nil
	in.edit.showRows(in.edit.countRows(in.maxRows))
}

// Text is what is in it.
func (in *Input) Text() string { return in.edit.wholeText() }

// SetText puts a text in the place of what is there.
func (in *Input) SetText(text string) {
	in.change(func() { in.edit.SetText(terminal.CleanInput(text)) })
}

// GiveBack puts an unsent text before what has been written since.
func (in *Input) GiveBack(text string) {
	text = EscapeSlash(text)
	if now := in.Text(); strings.TrimSpace(now) != "" {
		text += "\n" + now
	}
	in.SetText(text)
}

// DrawLines are its rows, with the cursor.
func (in *Input) DrawLines() []string {
	if in.drawn == nil {
		in.drawn = in.drawText()
	}
	return slices.Clone(in.drawn)
}

func (in *Input) drawText() []string {
	if in.Text() != "" {
		return in.edit.drawRows(in.st)
	}
	return []string{in.st.Player.Render(firstMargin) + terminal.CaretMark + in.st.Text.Reverse(true).Render(placeholder[:1]) + in.st.Faint.Render(placeholder[1:])}
}

// ApplyStyles draws it again in other colours.
func (in *Input) ApplyStyles(st *Styles) { in.st, in.drawn = st, nil }
