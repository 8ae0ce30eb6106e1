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
	switch {
	case in.drawn != nil:
	case in.Text() != "":
		in.drawn = in.edit.drawRows(in.st)
	default:
		first, rest := in.st.Text.Reverse(true).Render(placeholder[:1]), in.st.Faint.Render(placeholder[1:])
		in.drawn = []string{in.st.Player.Render(firstMargin) + terminal.CaretMark + first + rest}
	}
	return slices.Clone(in.drawn)
}

// ApplyStyles draws it again in other colours.
func (in *Input) ApplyStyles(st *Styles) { in.st, in.drawn = st, nil }

// ClickAt moves the cursor to a cell of a shown row.
func (in *Input) ClickAt(row, cell int) {
	e, s := in.edit, in.edit.top
	for ; row > 0; row-- {
		if s.row++; s.row == len(e.lines[s.line].rows) {
			s = rowPlace{s.line + 1, 0}
		}
		if s.line == len(e.lines) {
			return
		}
	}
	e.line, e.want = s.line, -1
	e.landInRow(s.row, max(cell-ansi.StringWidth(firstMargin), 0))
	in.growRows()
}

// History is the player's earlier messages, for Up and Down in the input. at is the shown one;
// len(said) is the text being written.
type History struct {
	Said  []string
	At    int
	draft string
}

// addText keeps a message as the newest one.
func (h *History) addText(text string) {
	if n := len(h.Said); text != "" && (n == 0 || h.Said[n-1] != text) {
		h.Said = append(h.Said, text)
	}
	h.Said = h.Said[max(len(h.Said)-MaxHistory, 0):]
	h.At = len(h.Said)
}

// walkHistory goes back (-1) or forth (+1); now is the present content of the input.
func (h *History) walkHistory(by int, now string) (text string, ok bool) {
	to := h.At + by
	if to < 0 || to > len(h.Said) {
		return "", false
	}
	if h.At == len(h.Said) {
		h.draft = now
	}
	if h.At = to; to == len(h.Said) {
		return h.draft, true
	}
	return h.Said[to], true
}

// showsText reports whether the text is the one that walk gave last.
func (h *History) showsText(text string) bool { return h.At < len(h.Said) && h.Said[h.At] == text }

// MaxHistory is how many messages Up reaches back.
const MaxHistory = 200

// browseHistory handles Up and Down when they select earlier messages: in a text of one row, and at
// the edges of a recalled, unchanged text.
func (in *Input) browseHistory(msg tea.KeyMsg) bool {
	up, down := key.Matches(msg, in.keys.Up), key.Matches(msg, in.keys.Down)
	if !up && !down || in.edit.countRows(2) > 1 && !in.History.showsText(in.Text()) {
		return false
	}
	if up && !in.edit.atTop() || down && !in.edit.atBottom() {
		return false
	}
	by := 1
	if up {
		by = -1
	}
	text, ok := in.History.walkHistory(by, in.Text())
	if ok {
		in.edit.SetText(terminal.CleanInput(text))
	}
	return true
}

// TakeText empties the input because its text is being sent, and adds the text to the history. Undo
// does not restore a sent text.
func (in *Input) TakeText() {
	in.Clear()
	in.changes = changes{}
}

// Clear empties the input and keeps its text for Up.
func (in *Input) Clear() {
	in.History.addText(in.Text())
	in.SetText("")
}

// EscapeSlash returns a message as typed: a leading slash is doubled.
func EscapeSlash(text string) string {
	if strings.HasPrefix(text, "/") {
		text = "/" + text
	}
	return text
}

// TakeOut removes a text that forms the first lines, and keeps the lines below it.
func (in *Input) TakeOut(text string) {
	rest, found := strings.CutPrefix(strings.TrimSpace(in.Text()), EscapeSlash(text))
	if found && (rest == "" || rest[0] == '\n') {
		in.SetText(strings.TrimPrefix(rest, "\n"))
	}
}
