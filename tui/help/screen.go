package help

import (
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/keymap"
	"github.com/parley-npc/parley/tui/styles"
	"github.com/parley-npc/parley/tui/terminal"
)

// Screen shows the keys and the commands, from their tables.
type Screen struct {
	st            *styles.Set
	keys          keymap.Map
	top           int
	width, height int
}

// NewScreen begins at the top.
func NewScreen(st *styles.Set, keys keymap.Map) *Screen {
	return &Screen{st: st, keys: keys}
}

// Update scrolls; it says true when help is to be closed.
func (h *Screen) Update(msg tea.KeyMsg) (closed bool) {
	switch {
	case key.Matches(msg, h.keys.Up):
		h.ScrollBy(-1)
	case key.Matches(msg, h.keys.Down):
		h.ScrollBy(1)
	case key.Matches(msg, h.keys.PageUp):
		h.ScrollBy(-h.height / 2)
	case key.Matches(msg, h.keys.PageDown):
		h.ScrollBy(h.height / 2)
	default:
		return key.Matches(msg, h.keys.Cancel) || key.Matches(msg, h.keys.Send)
	}
	return false
}

// ScrollBy moves by n lines; up is negative.
func (h *Screen) ScrollBy(n int) {
	h.top = max(min(h.top+n, len(h.allLines())-h.visibleRows()), 0)
}

func (h *Screen) visibleRows() int { return h.height - 3 }

// Resize lays it out for a window.
func (h *Screen) Resize(width, height int) {
	h.width, h.height = width, height
	h.ScrollBy(0)
}

// DrawLines are the window's lines.
func (h *Screen) DrawLines() []string {
	all := h.allLines()
	more := "Esc closes"
	if len(all)-h.top > h.visibleRows() {
		more = "Down reads on, Esc closes"
	}
	lines := []string{styles.HeaderLine(h.st, "Keys and commands", "", h.width), ""}
	lines = append(lines, terminal.FitLines(all[h.top:], h.width, h.visibleRows())...)
	return append(lines, " "+h.st.Faint.Render(more))
}

// twoColumns is the width from which keys and commands stand side by side.
const twoColumns = 110

func (h *Screen) allLines() []string {
	if h.width < twoColumns {
		return slices.Concat(h.keyLines(h.width), []string{""}, h.commandLines(h.width))
	}
	half := h.width / 2
	left, right := h.keyLines(half), h.commandLines(h.width-half)
	for len(left) < len(right) {
		left = append(left, "")
	}
	return terminal.PlaceBeside(left, right, half)
}

func (h *Screen) keyLines(width int) []string {
	var lines []string
	for _, b := range h.keys.ListBindings() {
		lines = append(lines, h.entryLines(b.Help().Key, b.Help().Desc, 12, width)...)
	}
	return lines
}

func (h *Screen) commandLines(width int) []string {
	var lines []string
	for _, c := range conversation.Commands[tea.Cmd]() {
		lines = append(lines, h.entryLines(c.Usage(), c.Help, 21, width)...)
	}
	return append(lines, h.entryLines("//text", "Say a text that begins with a slash.", 21, width)...)
}

// entryLines is a name and what it does, which begins at a column; a longer name has a
// line of its own.
func (h *Screen) entryLines(name, does string, column, width int) []string {
	lines := terminal.WrapText(does, width-column-1)
	for i := range lines {
		lines[i] = terminal.PadToWidth("", column) + lines[i]
	}
	if ansi.StringWidth(name) > column-2 {
		return append([]string{" " + name}, lines...)
	}
	lines[0] = terminal.PadToWidth(" "+name, column) + strings.TrimLeft(lines[0], " ")
	return lines
}
