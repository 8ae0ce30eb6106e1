package views

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

// Input is the field for the player's message. The field grows with the text, up to wire.MaxMessage
// characters.
type Input struct {
	edit    *textArea
	st      *Styles
	keys    KeyMap
	History *History
	width   int
	maxRows int
	changes changes
}

const placeholder = "Say something"

// NewInput returns an empty input.
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

// Update handles a key. Text over the limit is dropped, and refused contains the reason.
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

// InsertText inserts text at the cursor. Text over the limit is dropped, and refused contains the
// reason.
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
	return fmt.Sprintf("a message can have at most %s characters", terminal.GroupThousands(wire.MaxMessage))
}

// TooMuchPasted returns an error text about a paste of n characters.
func TooMuchPasted(n int) string {
	return fmt.Sprintf("pasted text of %s characters left out: a message can have at most %s",
		terminal.GroupThousands(n), terminal.GroupThousands(wire.MaxMessage))
}

func (in *Input) growRows() {
	in.edit.showRows(min(len(in.edit.rows), in.maxRows))
}

// Text returns the text of the input.
func (in *Input) Text() string { return in.edit.text }

// SetText replaces the text of the input.
func (in *Input) SetText(text string) {
	in.change(func() { in.edit.SetText(terminal.CleanInput(text)) })
}

// GiveBack inserts an unsent message before the present text.
func (in *Input) GiveBack(text string) {
	text = EscapeSlash(text)
	if now := in.Text(); strings.TrimSpace(now) != "" {
		text += "\n" + now
	}
	in.SetText(text)
}

// DrawLines returns the visible rows with the cursor.
func (in *Input) DrawLines() []string {
	if in.Text() != "" {
		return in.edit.drawRows(in.st)
	}
	first, rest := in.st.Text.Reverse(true).Render(placeholder[:1]), in.st.Faint.Render(placeholder[1:])
	return []string{in.st.Player.Render(firstMargin) + terminal.CaretMark + first + rest}
}

// ApplyStyles sets the styles.
func (in *Input) ApplyStyles(st *Styles) { in.st = st }

// History contains earlier messages for Up and Down. At is an index in Said, or len(Said) for a new
// text.
type History struct {
	Said  []string
	At    int
	draft string
}

func (h *History) addText(text string) {
	if n := len(h.Said); text != "" && (n == 0 || h.Said[n-1] != text) {
		h.Said = append(h.Said, text)
	}
	h.Said = h.Said[max(len(h.Said)-MaxHistory, 0):]
	h.At = len(h.Said)
}

func (h *History) walkHistory(step int, current string) (text string, ok bool) {
	to := h.At + step
	if to < 0 || to > len(h.Said) {
		return "", false
	}
	if h.At == len(h.Said) {
		h.draft = current
	}
	h.At = to
	if to == len(h.Said) {
		return h.draft, true
	}
	return h.Said[to], true
}

// MaxHistory is the maximum number of messages in a History.
const MaxHistory = 200

// browseHistory handles Up in the first row and Down in the last row. A changed text with several
// rows is kept.
func (in *Input) browseHistory(msg tea.KeyMsg) bool {
	up, down := key.Matches(msg, in.keys.Up), key.Matches(msg, in.keys.Down)
	history := in.History
	unchanged := history.At < len(history.Said) && history.Said[history.At] == in.Text()
	if len(in.edit.rows) > 1 && !unchanged {
		return false
	}
	atEdge := up && in.edit.atTop() || down && in.edit.atBottom()
	if !atEdge {
		return false
	}
	by := 1
	if up {
		by = -1
	}
	if text, ok := history.walkHistory(by, in.Text()); ok {
		in.edit.SetText(terminal.CleanInput(text))
	}
	return true
}

// TakeText empties the input before a send. Undo does not restore sent text.
func (in *Input) TakeText() {
	in.Clear()
	in.changes = changes{}
}

// Clear adds the text to the history and empties the input.
func (in *Input) Clear() {
	in.History.addText(in.Text())
	in.SetText("")
}

// EscapeSlash doubles a leading slash, because a single slash begins a command.
func EscapeSlash(text string) string {
	if strings.HasPrefix(text, "/") {
		text = "/" + text
	}
	return text
}

// TakeOut removes a message from the first lines of the input. Other text stays unchanged.
func (in *Input) TakeOut(text string) {
	rest, found := strings.CutPrefix(strings.TrimSpace(in.Text()), EscapeSlash(text))
	if found && (rest == "" || rest[0] == '\n') {
		in.SetText(strings.TrimPrefix(rest, "\n"))
	}
}
