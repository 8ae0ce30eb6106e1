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
func (input *Input) Resize(width, maxRows int) {
	if width == input.width && maxRows == input.maxRows {
		return
	}
	input.width, input.maxRows = width, maxRows
	input.edit.Resize(width - ansi.StringWidth(firstMargin) - 1)
	input.growRows()
}

// Update handles a key. Text over the limit is dropped, and refused contains the reason.
func (input *Input) Update(press tea.KeyMsg) (refused string) {
	switch {
	case key.Matches(press, input.keys.Undo):
		return input.Undo()
	case key.Matches(press, input.keys.Redo):
		return input.Redo()
	}
	before, begins := input.edit.takeSnapshot(), input.edit.beginsWord(press)
	refused = input.takeKey(press)
	input.changes.note(before, input.edit.takeSnapshot(), kindOf(press), begins)
	input.growRows()
	return refused
}

func (input *Input) takeKey(press tea.KeyMsg) (refused string) {
	switch apply := editorKeys[press.String()]; {
	case input.browseHistory(press):
	case press.Type == tea.KeyRunes && !press.Alt:
		return input.insert(string(press.Runes), press.Paste)
	case press.Type == tea.KeySpace && !press.Alt:
		return input.insert(" ", false)
	case key.Matches(press, input.keys.NewLine):
		return input.insert("\n", false)
	case key.Matches(press, input.keys.Up):
		input.edit.moveUp()
	case key.Matches(press, input.keys.Down):
		input.edit.moveDown()
	case apply != nil:
		apply(input.edit)
	}
	return ""
}

// InsertText inserts text at the cursor. Text over the limit is dropped, and refused contains the
// reason.
func (input *Input) InsertText(text string, pasted bool) (refused string) {
	input.change(func() { refused = input.insert(text, pasted) })
	return refused
}

func (input *Input) insert(text string, pasted bool) (refused string) {
	text = terminal.CleanInput(text)
	room := wire.MaxMessage - terminal.CountCharacters(input.Text())
	switch n := terminal.CountCharacters(text); {
	case n <= room:
		input.edit.InsertText(text)
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

func (input *Input) growRows() {
	input.edit.showRows(min(len(input.edit.rows), input.maxRows))
}

// Text returns the text of the input.
func (input *Input) Text() string { return input.edit.text }

// SetText replaces the text of the input.
func (input *Input) SetText(text string) {
	input.change(func() { input.edit.SetText(terminal.CleanInput(text)) })
}

// GiveBack inserts an unsent message before the present text.
func (input *Input) GiveBack(text string) {
	text = EscapeSlash(text)
	if now := input.Text(); strings.TrimSpace(now) != "" {
		text += "\n" + now
	}
	input.SetText(text)
}

// DrawLines returns the visible rows with the cursor.
func (input *Input) DrawLines() []string {
	if input.Text() != "" {
		return input.edit.drawRows(input.st)
	}
	first, rest := input.st.Text.Reverse(true).Render(placeholder[:1]), input.st.Faint.Render(placeholder[1:])
	return []string{input.st.Player.Render(firstMargin) + terminal.CaretMark + first + rest}
}

// ApplyStyles sets the styles.
func (input *Input) ApplyStyles(st *Styles) { input.st = st }

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

func (h *History) walk(step int, current string) (text string, ok bool) {
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
func (input *Input) browseHistory(msg tea.KeyMsg) bool {
	up, down := key.Matches(msg, input.keys.Up), key.Matches(msg, input.keys.Down)
	history := input.History
	unchanged := history.At < len(history.Said) && history.Said[history.At] == input.Text()
	if len(input.edit.rows) > 1 && !unchanged {
		return false
	}
	atEdge := up && input.edit.atTop() || down && input.edit.atBottom()
	if !atEdge {
		return false
	}
	step := 1
	if up {
		step = -1
	}
	if text, ok := history.walk(step, input.Text()); ok {
		input.edit.SetText(terminal.CleanInput(text))
	}
	return true
}

// TakeText empties the input before a send. Undo does not restore sent text.
func (input *Input) TakeText() {
	input.Clear()
	input.changes = changes{}
}

// Clear adds the text to the history and empties the input.
func (input *Input) Clear() {
	input.History.addText(input.Text())
	input.SetText("")
}

// EscapeSlash doubles a leading slash, because a single slash begins a command.
func EscapeSlash(text string) string {
	if strings.HasPrefix(text, "/") {
		text = "/" + text
	}
	return text
}

// TakeOut removes a message from the first lines of the input. Other text stays unchanged.
func (input *Input) TakeOut(text string) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(input.Text()), EscapeSlash(text))
	if ok && (rest == "" || rest[0] == '\n') {
		input.SetText(strings.TrimPrefix(rest, "\n"))
	}
}
