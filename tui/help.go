package tui

import (
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
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

// twoColumns is the width from which keys and commands stand side by side.
const twoColumns = 110

func (h *help) lines() []string {
	if h.width < twoColumns {
		return slices.Concat(h.keyLines(h.width), []string{""}, h.commandLines(h.width))
	}
	half := h.width / 2
	left, right := h.keyLines(half), h.commandLines(h.width-half)
	for len(left) < len(right) {
		left = append(left, "")
	}
	return beside(left, right, half)
}

func (h *help) keyLines(width int) []string {
	var lines []string
	for _, b := range h.keys.table() {
		lines = append(lines, h.line(b.Help().Key, b.Help().Desc, 12, width)...)
	}
	return lines
}

func (h *help) commandLines(width int) []string {
	var lines []string
	for _, c := range Commands[tea.Cmd]() {
		lines = append(lines, h.line(c.Usage(), c.Help, 21, width)...)
	}
	return append(lines, h.line("//text", "Say a text that begins with a slash.", 21, width)...)
}

// line is a name and what it does, which begins at a column; a longer name has a
// line of its own.
func (h *help) line(name, does string, column, width int) []string {
	lines := wrap(does, width-column-1)
	for i := range lines {
		lines[i] = pad("", column) + lines[i]
	}
	if ansi.StringWidth(name) > column-2 {
		return append([]string{" " + name}, lines...)
	}
	lines[0] = pad(" "+name, column) + strings.TrimLeft(lines[0], " ")
	return lines
}

// header is a screen's first line: what it is at the left, where at the right.
func header(st *styles, left, right string, width int) string {
	return apart(" "+st.title.Render(cut(left, width-2)), st.faint.Render(right)+" ", width)
}
