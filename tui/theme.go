package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/styles"
	"github.com/parley-npc/parley/tui/terminal"
)

// ChooseTheme gives the whole screen other colours at once, or shows the themes to choose
// one.
func (a *actions) ChooseTheme(arg string) tea.Cmd {
	wanted := styles.Theme(strings.ToLower(arg))
	own, isOwn := a.opts.findOwn(wanted)
	switch {
	case a.opts.NoColor:
		a.trouble = "this chat has no colours: it was started without (NO_COLOR, or --no-color)"
	case arg == "":
		a.openThemes()
	case isOwn && own.Trouble != "":
		a.trouble = own.Trouble
	case !isOwn && !wanted.IsKnown():
		a.trouble = "there is no theme " + terminal.Clean(arg) + ": choose " + a.themeNames()
	default:
		a.news = a.themeNews(wanted)
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

// themeNews says which theme it is now, what is hard to read in it, and how to keep it.
func (e *env) themeNews(t styles.Theme) string {
	own, _ := e.opts.findOwn(t)
	if warnings := own.ListWarnings(); len(warnings) > 0 {
		return strings.Join(warnings, "; ")
	}
	return "the theme is " + string(t) + "; parley config set chat_theme " + string(t) + " keeps it for every chat"
}

// themeRow is a theme to choose.
type themeRow struct {
	theme  styles.Theme
	about  string
	faulty bool // it cannot be used; about says why
}

// listThemes are the themes, those of the player's last.
func (e *env) listThemes() []themeRow {
	about := map[styles.Theme]string{
		styles.ThemeAuto: "as the terminal's background is", styles.ThemeDark: "for a dark background", styles.ThemeLight: "for a light background",
		styles.ThemeHighContrast: "as far apart as colours can be", styles.ThemeNone: "bold and faint only",
	}
	var rows []themeRow
	for _, t := range styles.Themes() {
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

// CompleteTheme are the themes as arguments of a command.
func (c *completer) CompleteTheme() []conversation.Completion {
	var list []conversation.Completion
	for _, row := range c.listThemes() {
		o := conversation.Completion{Text: string(row.theme), About: row.about, Whole: true}
		if row.theme == c.currentTheme() {
			o.About += ", in use"
		}
		list = append(list, o)
	}
	return list
}
