package tui

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/views"
)

// completions is the list above the input with completions of a line that begins with a slash. Tab
// inserts the completion under the cursor. Enter also inserts it if the line is not a whole
// command.
type completions struct {
	line   string // the line that the rows complete
	head   string // the text before the word that a row replaces
	word   string // the beginning of that word, which the player has typed
	rows   []completion
	cursor int
	chosen bool // the player has moved in the list
}

const maxCompletions = 7 // rows

// completion is a possible completion of a line that begins with a slash: a command or an argument
// of a command. whole means that Enter may run the completed line.
type completion struct {
	text, about string
	whole       bool
}

func (c *chat) completeArg(command string) []completion {
	switch command {
	case "parts":
		return c.completeMachine()
	case "copy":
		return c.completeMessage()
	case "export":
		return c.completeFormat()
	case "theme":
		return c.completeTheme()
	case "panel":
		return []completion{{"on", "show the panel, also in later chats", true}, {"off", "hide the panel, also in later chats", true}}
	case "mouse":
		return []completion{{"on", "the wheel scrolls, a click chooses", true}, {"off", "the terminal selects text", true}}
	case "direct":
		return c.completeDirection()
	}
	return nil
}

func (p *completions) followLine(line string, complete func(command string) []completion) {
	if line == p.line {
		return
	}
	p.line, p.rows, p.cursor, p.chosen = line, nil, 0, false
	if !strings.HasPrefix(line, "/") || strings.HasPrefix(line, "//") || strings.Contains(line, "\n") {
		return
	}
	name, arg, spaced := strings.Cut(line, " ")
	if !spaced {
		p.head, p.word = "", name
		for _, k := range conversation.Commands() {
			if strings.HasPrefix("/"+k.Name, strings.ToLower(name)) {
				about := strings.TrimSpace(k.Args + " " + k.Help)
				p.rows = append(p.rows, completion{text: "/" + k.Name, about: about, whole: k.Args == ""})
			}
		}
		return
	}
	known := conversation.FindCommand(strings.TrimPrefix(name, "/"))
	if known == nil {
		return
	}
	p.head, p.word = name+" ", arg
	for _, o := range complete(known.Name) {
		if strings.HasPrefix(strings.ToLower(o.text), strings.ToLower(arg)) {
			p.rows = append(p.rows, o)
		}
	}
}

func (p *completions) isOpen() bool { return len(p.rows) > 0 }

// TakesKey reports whether the list handles a key. It handles Enter only if the player has moved in
// the list or the line is not a complete command.
func (p *completions) TakesKey(msg tea.KeyMsg, keys views.KeyMap) bool {
	switch {
	case !p.isOpen():
		return false
	case key.Matches(msg, keys.Send):
		return p.chosen || p.head == "" && conversation.FindCommand(strings.TrimPrefix(p.word, "/")) == nil
	}
	return key.Matches(msg, keys.Up, keys.Down, keys.Complete, keys.Cancel)
}

func (c *chat) completionKey(msg tea.KeyMsg) tea.Cmd {
	p := c.completions
	switch {
	case key.Matches(msg, c.env.keys.Up):
		p.MoveCursor(-1)
	case key.Matches(msg, c.env.keys.Down):
		p.MoveCursor(1)
	case key.Matches(msg, c.env.keys.Cancel):
		p.rows = nil // the list stays closed until the line changes
	case key.Matches(msg, c.env.keys.Complete):
		c.fillCompletion()
	default:
		if row := c.fillCompletion(); row.whole {
			return c.sendInput()
		}
	}
	return nil
}

func (p *completions) MoveCursor(by int) {
	p.cursor = (p.cursor + by + len(p.rows)) % len(p.rows)
	p.chosen = true
}

func (c *chat) fillCompletion() completion {
	p := c.completions
	row := p.rows[p.cursor]
	line := p.head + row.text
	if !row.whole {
		line += " "
	}
	c.input.SetText(line)
	c.checkRetryText()
	p.followLine(line, c.completeArg)
	return row
}

func (p *completions) listLines(st *views.Styles, width, height int) []string {
	height = min(height, len(p.rows), maxCompletions)
	if height <= 0 {
		return nil
	}
	first := max(min(p.cursor-height/2, len(p.rows)-height), 0)
	column := 0
	for _, row := range p.rows {
		column = max(column, ansi.StringWidth(row.text))
	}
	lines := make([]string, height)
	for i := range lines {
		row, mark, look := p.rows[first+i], "   ", st.Text
		if first+i == p.cursor {
			mark, look = " › ", st.Chosen
		}
		lines[i] = terminal.CutToWidth(look.Render(mark+terminal.PadToWidth(terminal.Clean(row.text), column))+"  "+st.Faint.Render(row.about), width-1)
	}
	if height < len(p.rows) {
		count := st.Faint.Render(fmt.Sprintf(" %d of %d ", p.cursor+1, len(p.rows)))
		at := min(p.cursor-first, height-1)
		lines[at] = terminal.PlaceApart(terminal.CutToWidth(lines[at], width-ansi.StringWidth(count)-2), count, width)
	}
	return lines
}

const maxOffered = 9

func (c *chat) completeMessage() []completion {
	var list []completion
	for _, i := range c.log.ListTurns() {
		if len(list) == maxOffered {
			break
		}
		e := &c.log.Entries[i]
		list = append(list, completion{text: strconv.Itoa(len(list) + 1), about: e.Name + ": " + terminal.FirstLine(e.Text), whole: true})
	}
	return list
}

func (c *chat) completeDirection() []completion {
	if !c.env.opts.Directed || !c.current.Author || c.current.Session.Standing.IsFinished() {
		return nil
	}
	var list []completion
	for i, v := range c.current.Session.Machine.ListDirections(c.current.Session.Standing) {
		list = append(list, completion{text: strconv.Itoa(i + 1), about: v.Words})
	}
	return list
}
