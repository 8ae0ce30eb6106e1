package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/personas/wire"
)

// input is where the player writes: a text of several lines that grows with what
// is in it, up to the longest message that the service takes.
type input struct {
	edit    *textArea
	st      *styles
	keys    keyMap
	history *inputHistory
	width   int
	maxRows int
	drawn   []string // nil when the rows are to be drawn anew
}

// placeholder stands in an empty input; the cursor is on its first letter.
const placeholder = "Say something"

func newInput(st *styles, keys keyMap) *input {
	return &input{edit: newTextArea(), st: st, keys: keys, history: &inputHistory{}, maxRows: 1}
}

func (in *input) resize(width, maxRows int) {
	if width == in.width && maxRows == in.maxRows {
		return
	}
	in.width, in.maxRows = width, maxRows
	in.edit.resize(width - ansi.StringWidth(firstMargin) - 1)
	in.growRows()
}

// Update takes a key. What does not fit into one message is refused as a whole,
// with the reason as the answer.
func (in *input) Update(press tea.KeyMsg) (refused string) {
	switch does := editorKeys[press.String()]; {
	case in.browseHistory(press):
	case press.Type == tea.KeyRunes && !press.Alt:
		return in.insertText(string(press.Runes), press.Paste)
	case press.Type == tea.KeySpace && !press.Alt:
		return in.insertText(" ", false)
	case key.Matches(press, in.keys.NewLine):
		return in.insertText("\n", false)
	case key.Matches(press, in.keys.Up):
		in.edit.moveUp()
	case key.Matches(press, in.keys.Down):
		in.edit.moveDown()
	case does != nil:
		does(in.edit)
	}
	in.growRows()
	return ""
}

// insertText puts what was typed or pasted at the cursor.
func (in *input) insertText(text string, pasted bool) (refused string) {
	defer in.growRows()
	text = cleanInput(text)
	room := wire.MaxMessage - countCharacters(in.text())
	switch n := countCharacters(text); {
	case n <= room:
		in.edit.insertText(text)
		return ""
	case pasted:
		return tooMuchPasted(n)
	}
	return fmt.Sprintf("a message may have %s characters: there is no room for more", groupThousands(wire.MaxMessage))
}

// takeTurnBack takes away what was written last, if it stands at the end.
func (in *input) takeBack(text string) {
	if rest, there := strings.CutSuffix(in.text(), cleanInput(text)); there && text != "" {
		in.setText(rest)
	}
}

// tooMuchPasted refuses a paste of so many characters.
func tooMuchPasted(n int) string {
	return fmt.Sprintf("pasted text of %s characters left out: a message may have %s", groupThousands(n), groupThousands(wire.MaxMessage))
}

// growRows makes the window as high as the text, at most maxRows.
func (in *input) growRows() {
	in.drawn = nil
	in.edit.showRows(in.edit.countRows(in.maxRows))
}

func (in *input) text() string { return in.edit.wholeText() }

func (in *input) setText(text string) {
	in.edit.setText(cleanInput(text))
	in.growRows()
}

// giveBack puts an unsent text before what has been written since.
func (in *input) giveBack(text string) {
	text = escapeSlash(text)
	if now := in.text(); strings.TrimSpace(now) != "" {
		text += "\n" + now
	}
	in.setText(text)
}

func (in *input) drawLines() []string {
	if in.drawn == nil {
		in.drawn = in.drawText()
	}
	return slices.Clone(in.drawn)
}

func (in *input) drawText() []string {
	if in.text() != "" {
		return in.edit.drawRows(in.st)
	}
	return []string{in.st.player.Render(firstMargin) + in.st.text.Reverse(true).Render(placeholder[:1]) + in.st.faint.Render(placeholder[1:])}
}

func (in *input) applyStyles(st *styles) { in.st, in.drawn = st, nil }
