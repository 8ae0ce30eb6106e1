package views

import (
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
)

// Screen is the help screen. It shows the tables of keys and commands.
type Screen struct {
	st            *Styles
	keys          KeyMap
	authors       bool // also show the authors' part
	top           int
	width, height int
}

// NewScreen returns a help screen, scrolled to the top. If authors is set, it includes the authors'
// part.
func NewScreen(st *Styles, keys KeyMap, authors bool) *Screen {
	return &Screen{st: st, keys: keys, authors: authors}
}

// Update handles a key. It returns true if the key closes the help.
func (s *Screen) Update(msg tea.KeyMsg) (closed bool) {
	switch {
	case key.Matches(msg, s.keys.Up):
		s.ScrollBy(-1)
	case key.Matches(msg, s.keys.Down):
		s.ScrollBy(1)
	case key.Matches(msg, s.keys.PageUp):
		s.ScrollBy(-s.height / 2)
	case key.Matches(msg, s.keys.PageDown):
		s.ScrollBy(s.height / 2)
	case key.Matches(msg, s.keys.Top):
		s.ScrollBy(-len(s.allLines()))
	case key.Matches(msg, s.keys.Bottom):
		s.ScrollBy(len(s.allLines()))
	default:
		return key.Matches(msg, s.keys.Cancel) || key.Matches(msg, s.keys.Send)
	}
	return false
}

// ScrollBy scrolls down by n lines, or up if n is negative.
func (s *Screen) ScrollBy(n int) {
	s.top = max(min(s.top+n, len(s.allLines())-s.visibleRows()), 0)
}

func (s *Screen) visibleRows() int { return s.height - 3 }

// Resize sets the size of the window.
func (s *Screen) Resize(width, height int) {
	s.width, s.height = width, height
	s.ScrollBy(0)
}

// DrawLines returns the lines of the window.
func (s *Screen) DrawLines() []string {
	all := s.allLines()
	more := "Esc closes"
	if len(all)-s.top > s.visibleRows() {
		more = "Down shows more, Esc closes"
	}
	lines := []string{HeaderLine(s.st, "Keys and commands", "", s.width), ""}
	lines = append(lines, terminal.FitLines(all[s.top:], s.width, s.visibleRows())...)
	return append(lines, " "+s.st.Faint.Render(more))
}

// twoColumns is the minimum width for keys and commands side by side.
const twoColumns = 110

func (s *Screen) allLines() []string {
	var lines []string
	for _, group := range conversation.Groups() {
		lines = append(lines, " "+s.st.Title.Render(string(group)))
		lines = append(append(lines, s.groupLines(group, false)...), "")
	}
	if !s.authors {
		return append(lines, " "+s.st.Faint.Render(conversation.MoreForAuthors))
	}
	lines = append(lines, " "+s.st.Title.Render(conversation.AuthorHeading), "")
	for _, group := range conversation.Groups() {
		lines = append(lines, s.groupLines(group, true)...)
	}
	return lines
}

func (s *Screen) groupLines(group conversation.Group, authors bool) []string {
	if s.width < twoColumns {
		return slices.Concat(s.keyLines(group, s.width, authors), s.commandLines(group, s.width, authors))
	}
	half := s.width / 2
	first, second := s.keyLines(group, half, authors), s.commandLines(group, s.width-half, authors)
	for len(first) < len(second) {
		first = append(first, "")
	}
	return terminal.PlaceBeside(first, second, half)
}

func (s *Screen) isAuthorKey(shown string) bool {
	return slices.ContainsFunc(conversation.Commands(), func(c conversation.Command) bool {
		return c.ForAuthors && s.keys.ShownKey(c.Action) == shown
	})
}

func (s *Screen) keyLines(group conversation.Group, width int, authors bool) []string {
	var lines []string
	for _, b := range s.keys.ListGroup(group) {
		if s.isAuthorKey(b.Help().Key) == authors {
			lines = append(lines, s.entryLines(b.Help().Key, b.Help().Desc, 12, width)...)
		}
	}
	if s.keys.Vim && !authors && group == conversation.GroupReading {
		lines = append(lines, "", " Outside of the input (Esc leaves it)")
		for _, move := range slices.Concat(Moves(), ReadingKeys()) {
			if move.Shown != "" {
				lines = append(lines, s.entryLines(move.Shown, move.Does, 12, width)...)
			}
		}
	}
	return lines
}

func (s *Screen) commandLines(group conversation.Group, width int, authors bool) []string {
	var lines []string
	for _, c := range conversation.Commands() {
		if c.ForAuthors == authors && c.Group == group {
			lines = append(lines, s.entryLines(c.Usage(), c.Help, 21, width)...)
		}
	}
	if authors || group != conversation.GroupWriting {
		return lines
	}
	return append(lines, s.entryLines("//text", "Say a text that begins with a slash.", 21, width)...)
}

func (s *Screen) entryLines(name, does string, column, width int) []string {
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
