package tui

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// help shows the keys and the commands, from their tables.
type help struct {
	*env
	top           int
	width, height int
}

func newHelp(e *env) *help { return &help{env: e} }

// Update scrolls; it says true when help is to be closed.
func (h *help) Update(msg tea.KeyMsg) (closed bool) {
	switch {
	case key.Matches(msg, h.keys.Up):
		h.scroll(-1)
	case key.Matches(msg, h.keys.Down):
		h.scroll(1)
	case key.Matches(msg, h.keys.PageUp):
		h.scroll(-h.height / 2)
	case key.Matches(msg, h.keys.PageDown):
		h.scroll(h.height / 2)
	default:
		return key.Matches(msg, h.keys.Cancel) || key.Matches(msg, h.keys.Send)
	}
	return false
}

func (h *help) scroll(n int) {
	h.top = max(min(h.top+n, len(h.lines())-h.room()), 0)
}

func (h *help) room() int { return h.height - 3 }

func (h *help) resize(width, height int) {
	h.width, h.height = width, height
	h.scroll(0)
}

func (h *help) view() []string {
	all := h.lines()
	more := "Esc closes"
	if len(all)-h.top > h.room() {
		more = "Down reads on, Esc closes"
	}
	lines := []string{header(h.st, "Keys and commands", "", h.width), ""}
	lines = append(lines, fit(all[h.top:], h.width, h.room())...)
	return append(lines, " "+h.st.faint.Render(more))
}

func (h *help) lines() []string {
	var lines []string
	for _, b := range h.keys.table() {
		lines = append(lines, h.line(b.Help().Key, b.Help().Desc)...)
	}
	lines = append(lines, "")
	for _, c := range Commands() {
		lines = append(lines, h.line(c.Usage(), c.Help)...)
	}
	return append(lines, h.line("//text", "Say a text that begins with a slash.")...)
}

func (h *help) line(name, does string) []string {
	const column = 21
	lines := wrap(does, h.width-column-1)
	for i := range lines {
		lines[i] = pad(" "+name, column) + lines[i]
		name = ""
	}
	return lines
}

// header is a screen's first line: what it is at the left, where at the right.
func header(st *styles, left, right string, width int) string {
	return apart(" "+st.title.Render(cut(left, width-2)), st.faint.Render(right)+" ", width)
}
