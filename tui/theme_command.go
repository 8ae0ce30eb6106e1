package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"
)

// themeChosenMsg: the player wants other colours, for this chat.
type themeChosenMsg struct{ theme Theme }

// ChooseTheme gives the whole screen other colours at once, or says which it has.
func (a *actions) ChooseTheme(arg string) tea.Cmd {
	wanted := Theme(strings.ToLower(arg))
	switch {
	case a.opts.NoColor:
		a.trouble = "this chat has no colours: it was started without (NO_COLOR, or --no-color)"
	case arg == "":
		a.news = "the theme is " + string(a.currentTheme()) + "; /theme and a space lists the others"
	case !wanted.isKnown():
		a.trouble = "there is no theme " + Clean(arg) + ": choose " + themeNames()
	default:
		return func() tea.Msg { return themeChosenMsg{wanted} }
	}
	return nil
}

// currentTheme is the one in use.
func (e *env) currentTheme() Theme {
	if e.opts.Theme == "" {
		return ThemeAuto
	}
	return e.opts.Theme
}

func themeNames() string {
	var names []string
	for _, t := range Themes() {
		names = append(names, string(t))
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// CompleteTheme are the themes as arguments of a command.
func (c *completer) CompleteTheme() []Completion {
	about := map[Theme]string{
		ThemeAuto: "as the terminal's background is", ThemeDark: "for a dark background", ThemeLight: "for a light background",
		ThemeHighContrast: "as far apart as colours can be", ThemeNone: "bold and faint only",
	}
	var list []Completion
	for _, t := range Themes() {
		o := Completion{Text: string(t), About: about[t], Whole: true}
		if t == c.currentTheme() {
			o.About += ", in use"
		}
		list = append(list, o)
	}
	return list
}
