package views

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
)

// NewHelp returns the help with the tables of keys and commands. If authors is true, the help
// includes the commands for authors.
func NewHelp(st *Styles, keys KeyMap, authors bool) *Pager {
	return &Pager{
		St: st, Keys: keys, Title: "Keys and commands", Foot: FootMore("Esc closes"),
		Lines: func(width int) []string {
			h := helpText{st, keys, width}
			return h.lines(authors)
		},
	}
}

type helpText struct {
	st    *Styles
	keys  KeyMap
	width int
}

func (h helpText) lines(authors bool) []string {
	var lines []string
	for _, group := range conversation.Groups() {
		lines = append(lines, " "+h.st.Title.Render(string(group)))
		lines = append(append(lines, h.groupLines(group, false)...), "")
	}
	if !authors {
		return append(lines, " "+h.st.Faint.Render(conversation.MoreForAuthors))
	}
	lines = append(lines, " "+h.st.Title.Render(conversation.AuthorHeading), "")
	for _, group := range conversation.Groups() {
		lines = append(lines, h.groupLines(group, true)...)
	}
	return lines
}

func (h helpText) groupLines(group conversation.Group, authors bool) []string {
	return slices.Concat(h.keyLines(group, h.width, authors), h.commandLines(group, h.width, authors))
}

func (h helpText) isAuthorKey(shown string) bool {
	return slices.ContainsFunc(conversation.Commands(), func(c conversation.Command) bool {
		return c.ForAuthors && h.keys.ShownKey(c.Action) == shown
	})
}

func (h helpText) keyLines(group conversation.Group, width int, authors bool) []string {
	var lines []string
	for _, b := range h.keys.ListGroup(group) {
		if h.isAuthorKey(b.Help().Key) == authors {
			lines = append(lines, entryLines(b.Help().Key, b.Help().Desc, 12, width)...)
		}
	}
	if h.keys.Vim && !authors && group == conversation.GroupReading {
		lines = append(lines, "", " Outside of the input (Esc leaves it)")
		for _, move := range slices.Concat(Moves(), ReadingKeys()) {
			if move.Shown != "" {
				lines = append(lines, entryLines(move.Shown, move.Does, 12, width)...)
			}
		}
	}
	return lines
}

func (h helpText) commandLines(group conversation.Group, width int, authors bool) []string {
	var lines []string
	for _, c := range conversation.Commands() {
		if c.ForAuthors == authors && c.Group == group {
			lines = append(lines, entryLines(c.Usage(), c.Help, 21, width)...)
		}
	}
	if authors || group != conversation.GroupWriting {
		return lines
	}
	return append(lines, entryLines("//text", "Say a text that begins with a slash.", 21, width)...)
}

func entryLines(name, help string, column, width int) []string {
	lines := terminal.WrapText(help, width-column-1)
	for i := range lines {
		lines[i] = terminal.PadToWidth("", column) + lines[i]
	}
	if ansi.StringWidth(name) > column-2 {
		return append([]string{" " + name}, lines...)
	}
	lines[0] = terminal.PadToWidth(" "+name, column) + strings.TrimLeft(lines[0], " ")
	return lines
}
