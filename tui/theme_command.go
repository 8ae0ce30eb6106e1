package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"
)

// themeChosenMsg: the player wants other colours, for this chat.
type themeChosenMsg struct{ theme Theme }

// themeCommand gives the whole screen other colours at once, or says which it has.
func (c *chat) themeCommand(arg string) tea.Cmd {
	wanted := Theme(strings.ToLower(arg))
	switch {
	case c.opts.NoColor:
		c.trouble = "this chat has no colours: it was started without (NO_COLOR, or --no-color)"
	case arg == "":
		c.news = "the theme is " + string(c.theme()) + "; /theme and a space lists the others"
	case !wanted.known():
		c.trouble = "there is no theme " + Clean(arg) + ": choose " + themeNames()
	default:
		return func() tea.Msg { return themeChosenMsg{wanted} }
	}
	return nil
}

func (c *chat) theme() Theme {
	if c.opts.Theme == "" {
		return ThemeAuto
	}
	return c.opts.Theme
}

func themeNames() string {
	var names []string
	for _, t := range Themes() {
		names = append(names, string(t))
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// themeOffers are the themes as arguments of a command.
func themeOffers(c *chat) []offer {
	about := map[Theme]string{
		ThemeAuto: "as the terminal's background is", ThemeDark: "for a dark background", ThemeLight: "for a light background",
		ThemeHighContrast: "as far apart as colours can be", ThemeNone: "bold and faint only",
	}
	var list []offer
	for _, t := range Themes() {
		o := offer{text: string(t), about: about[t], ends: true}
		if t == c.theme() {
			o.about += ", in use"
		}
		list = append(list, o)
	}
	return list
}
