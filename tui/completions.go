package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/views"
)

// completions is the list above the input that completes a line with a slash. Tab inserts a
// completion, and so does Enter if the line is not a whole command.
type completions struct {
	line   string // the line that the rows complete
	head   string // the text before the word that a row replaces
	word   string // the beginning of that word, which the player has typed
	rows   []conversation.Completion
	cursor int
	chosen bool // the player has moved in the list
}

const maxCompletions = 7 // rows

func (p *completions) followLine(line string, c conversation.Completer) {
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
		for _, k := range conversation.Commands[tea.Cmd]() {
			if strings.HasPrefix("/"+k.Name, strings.ToLower(name)) {
				about := strings.TrimSpace(k.Args + " " + k.Help)
				p.rows = append(p.rows, conversation.Completion{Text: "/" + k.Name, About: about, Whole: k.Args == ""})
			}
		}
		return
	}
	known := conversation.FindCommand[tea.Cmd](strings.TrimPrefix(name, "/"))
	if known == nil || known.Complete == nil {
		return
	}
	p.head, p.word = name+" ", arg
	for _, o := range known.Complete(c) {
		if strings.HasPrefix(strings.ToLower(o.Text), strings.ToLower(arg)) {
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
		return p.chosen || p.head == "" && conversation.FindCommand[tea.Cmd](strings.TrimPrefix(p.word, "/")) == nil
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
		if row := c.fillCompletion(); row.Whole {
			return c.sendInput()
		}
	}
	return nil
}

func (p *completions) MoveCursor(by int) {
	p.cursor = (p.cursor + by + len(p.rows)) % len(p.rows)
	p.chosen = true
}

func (c *chat) fillCompletion() conversation.Completion {
	p := c.completions
	row := p.rows[p.cursor]
	line := p.head + row.Text
	if !row.Whole {
		line += " "
	}
	c.input.SetText(line)
	c.talk.checkRetryText()
	p.followLine(line, c.completer)
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
		column = max(column, ansi.StringWidth(row.Text))
	}
	lines := make([]string, height)
	for i := range lines {
		row, mark, look := p.rows[first+i], "   ", st.Text
		if first+i == p.cursor {
			mark, look = " › ", st.Chosen
		}
		lines[i] = terminal.CutToWidth(look.Render(mark+terminal.PadToWidth(terminal.Clean(row.Text), column))+"  "+st.Faint.Render(row.About), width-1)
	}
	if height < len(p.rows) {
		count := st.Faint.Render(fmt.Sprintf(" %d of %d ", p.cursor+1, len(p.rows)))
		at := min(p.cursor-first, height-1)
		lines[at] = terminal.PlaceApart(terminal.CutToWidth(lines[at], width-ansi.StringWidth(count)-2), count, width)
	}
	return lines
}

type completer struct {
	env     *env
	current *conversation.Current
	log     *views.Transcript
	// for the completion of /sessions
	known []conversation.SavedSession
}

const maxOffered = 9

// CompleteMessage returns the newest messages. Their numbers are counted from the end.
func (c *completer) CompleteMessage() []conversation.Completion {
	var list []conversation.Completion
	for _, i := range c.log.ListTurns() {
		if len(list) == maxOffered {
			break
		}
		e := &c.log.Entries[i]
		list = append(list, conversation.Completion{Text: strconv.Itoa(len(list) + 1), About: e.Name + ": " + terminal.FirstLine(e.Text), Whole: true})
	}
	return list
}

// CompleteMouse returns the arguments of /mouse.
func (c *completer) CompleteMouse() []conversation.Completion {
	return []conversation.Completion{
		{Text: "on", About: "the wheel scrolls, a click chooses", Whole: true}, {Text: "off", About: "the terminal selects text", Whole: true},
	}
}

// CompleteDirection returns the directions of the present state, if the player is the author and
// the model accepts directions.
func (c *completer) CompleteDirection() []conversation.Completion {
	if !c.env.opts.Directed || !c.current.Author || c.current.Session.Standing.IsFinished() {
		return nil
	}
	var list []conversation.Completion
	for i, v := range c.current.Session.Machine.ListDirections(c.current.Session.Standing) {
		list = append(list, conversation.Completion{Text: strconv.Itoa(i + 1), About: v.Words})
	}
	return list
}

// CompleteSession returns the saved sessions, each by its label or the persona's name.
func (c *completer) CompleteSession() []conversation.Completion {
	var list []conversation.Completion
	for i := range c.known {
		k := &c.known[i]
		name := terminal.Clean(cmp.Or(k.Label, k.PersonaName))
		known := slices.ContainsFunc(list, func(o conversation.Completion) bool { return o.Text == name })
		if name == "" || known {
			continue
		}
		about := "with " + terminal.Clean(cmp.Or(k.PersonaName, k.Persona)) + " as " + terminal.Clean(k.PlayerName)
		if !k.UsedAt.IsZero() {
			about += ", " + conversation.AgoWords(c.env.opts.Now().Sub(k.UsedAt))
		}
		list = append(list, conversation.Completion{Text: name, About: about, Whole: true})
	}
	return list
}

// recallSessions reads the saved sessions for the completion of /sessions. It ignores errors,
// because /sessions reports them.
func recallSessions(m conversation.Memory) tea.Cmd {
	return func() tea.Msg {
		known, err := m.Sessions()
		if err != nil {
			return nil
		}
		return sessionsKnownMsg{known}
	}
}

// CompletePanel returns the arguments of /panel.
func (c *completer) CompletePanel() []conversation.Completion {
	return []conversation.Completion{
		{Text: "on", About: "show the panel, also in later chats", Whole: true},
		{Text: "off", About: "hide the panel, also in later chats", Whole: true},
	}
}
