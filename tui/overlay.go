package tui

import (
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

// overlay is what stands in the conversation's place until it is done: a list to
// choose from, or a view of something. At most one is over a chat.
type overlay interface {
	// Update takes keys and facts; done closes it.
	Update(msg tea.Msg) (cmd tea.Cmd, done bool)
	resize(width, height int)
	drawLines() []string
}

// overlays is the place of the conversation, and what stands in it.
type overlays struct {
	over overlay // nil for the conversation itself
}

// openOverlay puts an overlay over the conversation.
func (s *overlays) openOverlay(o overlay) { s.over = o }

// updateOverlay hands a message to the overlay, and closes one that is done. A command
// of the overlay's that opens another one comes after that.
func (s *overlays) updateOverlay(msg tea.Msg) tea.Cmd {
	if s.over == nil {
		return nil
	}
	was := s.over
	cmd, done := was.Update(msg)
	if done && s.over == was {
		s.over = nil
	}
	return cmd
}

// listOverlay is an overlay with a list: letters narrow it, Enter chooses, Esc clears
// the search and then closes.
type listOverlay struct {
	menu        *list
	title, foot string
	// close is a key beside Esc that closes the list: the one that opens it.
	close key.Binding
	// choose is told the index of what was chosen.
	choose func(i int) (cmd tea.Cmd, done bool)
	// also takes other keys first; it is nil where there are none. i is the index
	// under the cursor, -1 for none.
	also          func(press tea.KeyMsg, i int) (cmd tea.Cmd, took, done bool)
	width, height int
}

// Update takes keys.
func (l *listOverlay) Update(msg tea.Msg) (tea.Cmd, bool) {
	press, pressed := msg.(tea.KeyMsg)
	if !pressed {
		return nil, false
	}
	if l.also != nil {
		if cmd, took, done := l.also(press, l.menu.cursorIndex()); took {
			return cmd, done
		}
	}
	switch {
	case key.Matches(press, l.close):
		return nil, true
	case key.Matches(press, l.menu.keys.Cancel):
		return nil, !l.menu.clearSearch()
	case !key.Matches(press, l.menu.keys.Send):
		return l.menu.Update(msg), false
	}
	i, ok := l.menu.chosenIndex()
	if !ok {
		return nil, false
	}
	return l.choose(i)
}

func (l *listOverlay) resize(width, height int) {
	l.width, l.height = width, height
	l.menu.resize(width, height-4)
}

func (l *listOverlay) drawLines() []string {
	lines := []string{headerLine(l.menu.st, l.title, "", l.width), ""}
	lines = append(lines, l.menu.drawLines()...)
	return append(fitLines(lines, l.width, l.height-1), footerLine(l.menu.st, l.foot, l.width))
}

// footerLine is a screen's last line: what the keys do. Where it does not fit, what is
// about no key goes first, then the last parts are keys only, so that none is lost.
func footerLine(st *styles, foot string, width int) string {
	parts := strings.Split(foot, ", ")
	if room := width - 2; ansi.StringWidth(foot) > room {
		parts = slices.DeleteFunc(parts, func(part string) bool { return footerKey(part) == "" })
		for last := len(parts) - 1; last >= 0 && ansi.StringWidth(strings.Join(parts, ", ")) > room; last-- {
			parts[last] = footerKey(parts[last])
		}
	}
	return " " + st.faint.Render(cutToWidth(strings.Join(parts, ", "), width-2))
}

// footerKey is the key that a part of a footer is about: its first words in capitals,
// "Up and Down" of "Up and Down read on"; "" where it is about none.
func footerKey(part string) string {
	words := strings.Fields(part)
	n := 0
	for n < len(words) && (words[n][0] <= 'Z' || words[n] == "and") {
		n++
	}
	return strings.Join(words[:n], " ")
}
