package tui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/views"
)

// chooseTheme changes the theme to arg. If arg is empty, it opens the list of themes.
func (c *chat) chooseTheme(arg string) tea.Cmd {
	wanted := views.Theme(strings.ToLower(arg))
	own, isOwn := c.env.opts.findOwn(wanted)
	switch {
	case c.env.opts.NoColor:
		c.trouble = "this chat has no colours: they were turned off at its start (NO_COLOR, CLICOLOR=0 or --no-color)"
	case arg == "":
		c.openThemes()
	case isOwn && own.Trouble != "":
		c.trouble = own.Trouble
	case !isOwn && !wanted.IsKnown():
		c.trouble = "there is no theme " + terminal.Clean(arg) + ": choose " + c.env.themeNames()
	default:
		c.news = c.env.themeNews(wanted)
		return func() tea.Msg { return themeChosenMsg{wanted} }
	}
	return nil
}

func (e *env) themeNames() string {
	var names []string
	for _, row := range e.listThemes() {
		names = append(names, string(row.theme))
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

func (e *env) themeNews(t views.Theme) string {
	own, _ := e.opts.findOwn(t)
	if warnings := own.ListWarnings(); len(warnings) > 0 {
		return strings.Join(warnings, "; ")
	}
	return "the theme is " + string(t) +
		"; parley config set chat_theme " + plaintext.ShellWord(string(t)) + " keeps it for every chat"
}

type themeRow struct {
	theme  views.Theme
	about  string
	faulty bool // the theme cannot be used; about contains the reason
}

func (e *env) listThemes() []themeRow {
	about := map[views.Theme]string{
		views.ThemeAuto:         "dark or light, like the terminal's background",
		views.ThemeDark:         "for a dark background",
		views.ThemeLight:        "for a light background",
		views.ThemeHighContrast: "the strongest possible contrast",
		views.ThemeNone:         "bold and faint only",
	}
	var rows []themeRow
	for _, t := range views.Themes() {
		rows = append(rows, themeRow{theme: t, about: about[t]})
	}
	for _, own := range e.opts.Themes {
		row := themeRow{theme: own.Name, about: "your own", faulty: own.Trouble != ""}
		if warnings := own.ListWarnings(); len(warnings) > 0 {
			row.about += "; " + warnings[0]
		}
		if row.faulty {
			row.about = own.Trouble
		}
		rows = append(rows, row)
	}
	return rows
}

// completeTheme returns the arguments of /theme.
func (c *chat) completeTheme() []completion {
	var list []completion
	for _, row := range c.env.listThemes() {
		o := completion{text: string(row.theme), about: row.about, whole: true}
		if row.theme == c.env.currentTheme() {
			o.about += ", in use"
		}
		list = append(list, o)
	}
	return list
}

// themePicker is the overlay with the themes below the conversation. The conversation shows the
// theme under the cursor until Enter or Esc.
type themePicker struct {
	chat          *chat
	env           *env
	rows          []themeRow
	cursor        int
	before        views.Theme
	width, height int
}

func (c *chat) openThemes() {
	p := &themePicker{chat: c, env: c.env, rows: c.env.listThemes(), before: c.env.currentTheme()}
	for i, row := range p.rows {
		if row.theme == p.before {
			p.cursor = i
		}
	}
	c.over = p
}

// Update handles a key, and reports whether the overlay closes.
func (p *themePicker) Update(msg tea.Msg) (tea.Cmd, bool) {
	press, pressed := msg.(tea.KeyMsg)
	switch {
	case !pressed:
		return nil, false
	case key.Matches(press, p.env.keys.Up):
		return p.goTo(p.cursor - 1), false
	case key.Matches(press, p.env.keys.Down):
		return p.goTo(p.cursor + 1), false
	case key.Matches(press, p.env.keys.Top), key.Matches(press, p.env.keys.PageUp):
		return p.goTo(0), false
	case key.Matches(press, p.env.keys.Bottom), key.Matches(press, p.env.keys.PageDown):
		return p.goTo(len(p.rows) - 1), false
	case key.Matches(press, p.env.keys.Cancel):
		return p.showTheme(p.before), true
	case key.Matches(press, p.env.keys.Send) && !p.rows[p.cursor].faulty:
		p.chat.news = p.env.themeNews(p.rows[p.cursor].theme)
		return p.showTheme(p.rows[p.cursor].theme), true
	}
	return nil, false
}

func (p *themePicker) goTo(row int) tea.Cmd {
	p.cursor = max(min(row, len(p.rows)-1), 0)
	if p.rows[p.cursor].faulty {
		return nil
	}
	return p.showTheme(p.rows[p.cursor].theme)
}

func (p *themePicker) showTheme(t views.Theme) tea.Cmd {
	return func() tea.Msg { return themeChosenMsg{t} }
}

// Resize sets the size of the window.
func (p *themePicker) Resize(width, height int) { p.width, p.height = width, height }

func (p *themePicker) visibleRows() int { return max(min(len(p.rows), p.height/2-2), 1) }

func (p *themePicker) firstRow() int {
	return max(min(p.cursor-p.visibleRows()/2, len(p.rows)-p.visibleRows()), 0)
}

// DrawLines returns the lines of the conversation, with the list instead of the last lines.
func (p *themePicker) DrawLines() []string {
	label := fmt.Sprintf(" Themes, %d of %d ", p.cursor+1, len(p.rows))
	rule := p.env.st.Rule.Render(strings.Repeat("─", max(p.width-4-len(label), 0)))
	lines := []string{" " + p.env.st.Rule.Render("──") + p.env.st.Title.Render(label) + rule}
	column := 0
	for _, row := range p.rows {
		column = max(column, ansi.StringWidth(string(row.theme)))
	}
	for i := range p.visibleRows() {
		lines = append(lines, p.rowLine(p.firstRow()+i, column))
	}
	lines = append(lines, views.FooterLine(p.env.st, "Enter keeps the theme, Up and Down show others, Esc goes back", p.width))
	room := max(p.height-len(lines), 1)
	return append(terminal.FitLines(p.chat.drawInLines(room), p.width, room), lines...)
}

func (p *themePicker) rowLine(i, column int) string {
	row, mark, look := p.rows[i], "   ", p.env.st.Text
	if i == p.cursor {
		mark, look = " › ", p.env.st.Chosen
	}
	about := p.env.st.Faint
	if row.faulty {
		about = p.env.st.Bad
	}
	room := max(p.width-column-6, 0)
	name := look.Render(mark + terminal.PadToWidth(string(row.theme), column))
	return name + "  " + about.Render(terminal.CutToWidth(row.about, room))
}

// ClickLine handles a click on a line of the list. It previews the theme in that line, or chooses it
// if the cursor is already on it.
func (p *themePicker) ClickLine(line int) (tea.Cmd, bool) {
	row := line - (p.height - 1 - p.visibleRows())
	switch {
	case row < 0 || row >= p.visibleRows():
		return nil, false
	case p.firstRow()+row == p.cursor:
		return p.Update(tea.KeyMsg{Type: tea.KeyEnter})
	}
	return p.goTo(p.firstRow() + row), false
}
