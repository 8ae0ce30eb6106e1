package views

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/tui/terminal"
)

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
