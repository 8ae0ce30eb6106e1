package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/styles"
	"github.com/parley-npc/parley/tui/terminal"
)

// ChooseTheme gives the whole screen other colours at once, or says which it has.
func (a *actions) ChooseTheme(arg string) tea.Cmd {
	wanted := styles.Theme(strings.ToLower(arg))
	switch {
	case a.opts.NoColor:
		a.trouble = "this chat has no colours: it was started without (NO_COLOR, or --no-color)"
	case arg == "":
		a.news = "the theme is " + string(a.currentTheme()) + "; /theme and a space lists the others"
	case !wanted.IsKnown():
		a.trouble = "there is no theme " + terminal.Clean(arg) + ": choose " + themeNames()
	default:
		return func() tea.Msg { return themeChosenMsg{wanted} }
	}
	return nil
}

func themeNames() string {
	var names []string
	for _, t := range styles.Themes() {
		names = append(names, string(t))
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// CompleteTheme are the themes as arguments of a command.
func (c *completer) CompleteTheme() []conversation.Completion {
	about := map[styles.Theme]string{
		styles.ThemeAuto: "as the terminal's background is", styles.ThemeDark: "for a dark background", styles.ThemeLight: "for a light background",
		styles.ThemeHighContrast: "as far apart as colours can be", styles.ThemeNone: "bold and faint only",
	}
	var list []conversation.Completion
	for _, t := range styles.Themes() {
		o := conversation.Completion{Text: string(t), About: about[t], Whole: true}
		if t == c.currentTheme() {
			o.About += ", in use"
		}
		list = append(list, o)
	}
	return list
}
