package tui

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/views"
)

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
	faulty bool
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

func (c *chat) openThemes() {
	rows, before := c.env.listThemes(), c.env.currentTheme()
	show := func(t views.Theme) tea.Cmd { return func() tea.Msg { return themeChosenMsg{t} } }
	choices, here := make([]views.Choice, len(rows)), 0
	for i, row := range rows {
		choices[i] = views.Choice{Title: string(row.theme), About: row.about, Locked: row.faulty}
		if row.theme == before {
			here = i
		}
	}
	list := views.NewList(c.env.st, c.env.keys, choices, "search")
	list.Dense = true
	list.MoveCursorTo(here)
	c.over = &views.ListOverlay{
		Menu: list, Title: "Themes", Foot: "Enter keeps the theme, Up and Down show others, Esc goes back",
		Refuse: func(i int) string { return rows[i].about },
		Moved: func(i int) tea.Cmd {
			if rows[i].faulty {
				return nil
			}
			return show(rows[i].theme)
		},
		Choose: func(i int) (tea.Cmd, bool) {
			c.news = c.env.themeNews(rows[i].theme)
			return show(rows[i].theme), true
		},
		Also: func(press tea.KeyMsg, _ int) (tea.Cmd, bool, bool) {
			esc := key.Matches(press, c.env.keys.Cancel)
			return show(before), esc, esc
		},
	}
}
