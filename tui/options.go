package tui

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/record"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/views"
)

// Options configures the full screen. In and Out must be a terminal.
type Options struct {
	conversation.Options
	In  io.Reader
	Out io.Writer

	// Theme is the initial theme. NoColor overrides Theme with ThemeNone. Light selects colours for
	// a light background without a query to the terminal.
	Theme views.Theme
	// Themes contains the player's own themes.
	Themes  []views.OwnTheme
	Light   bool
	NoColor bool
	// NoMotion disables animations. Words and numbers still change.
	NoMotion bool

	// Repertoire is the set of characters that the terminal can draw.
	Repertoire terminal.Repertoire

	// PanelHidden hides the side panel at the start. KeepPanel stores the visibility of the panel
	// for later chats. KeepPanel may be nil.
	PanelHidden bool
	KeepPanel   func(shown bool) error
	// Keys contains the key bindings. The zero value selects the default keys.
	Keys views.KeyMap
	// Mouse enables mouse reports.
	Mouse bool

	// Pictures describes the terminal's support for pictures.
	Pictures views.PictureTerminal

	// Suspends reports whether a shell can resume a suspended chat.
	Suspends bool
	// Multiplexed reports whether the chat runs in tmux.
	Multiplexed bool
	// CopyTmux copies text to a tmux buffer. CopyTmux is nil outside tmux.
	CopyTmux func(ctx context.Context, text string) error

	// Files creates the files that commands write.
	Files record.Files
	// Edit opens text in the player's editor. Edit may be nil.
	Edit func(text string) (edited string, err error)
	// Copy copies text to the system clipboard. Copy may be nil.
	Copy func(ctx context.Context, text string) error
}

var (
	errNoEditor = errors.New("$VISUAL and $EDITOR are not set")
	errNoTmux   = errors.New("the chat does not run in tmux")
)

func (o Options) withDefaults() Options {
	o.FillDefaults()
	if len(o.Keys.Send.Keys()) == 0 {
		o.Keys = views.NewKeyMap()
	}
	if o.NoColor {
		o.Theme, o.Pictures.Way = views.ThemeNone, views.NoPictures
	}
	return o
}

func (o *Options) asksBackground() bool {
	return o.Theme.DependsOnBackground() && !o.Light && !o.NoColor
}

func (o *Options) findOwn(t views.Theme) (views.OwnTheme, bool) {
	for _, theme := range o.Themes {
		if theme.Name == t {
			return theme, true
		}
	}
	return views.OwnTheme{}, false
}

type env struct {
	ctx         context.Context
	opts        Options
	requester   *conversation.Requester
	st          *views.Styles
	keys        views.KeyMap
	crash       *terminal.CrashGuard
	background  *terminal.BackgroundQuestion
	after       func(time.Duration, tea.Msg) tea.Cmd
	portraits   *views.Portraits
	keepingSaid map[string]bool
	// unsaid has the text that the player typed before leaving an opening, by persona id.
	unsaid map[string]string
	edits  *edits
}

func newEnv(ctx context.Context, opts Options) *env {
	st := views.MakeStyles(views.NewRenderer(opts.Out, opts.Light), opts.Theme, opts.Light, opts.Themes)
	return &env{
		ctx: ctx, opts: opts, requester: conversation.NewRequester(&opts.Options),
		st: st, keys: opts.Keys, after: afterBy(opts.After),
		keepingSaid: map[string]bool{}, unsaid: map[string]string{}, edits: &edits{},
		portraits: views.NewPortraits(opts.Out, opts.Pictures, st, opts.Theme, helpKey(opts.Keys)),
	}
}

func helpKey(keys views.KeyMap) string { return cmp.Or(keys.ShownKey("help"), "/help") }

func afterBy(clock func(time.Duration) <-chan time.Time) func(time.Duration, tea.Msg) tea.Cmd {
	return func(d time.Duration, msg tea.Msg) tea.Cmd {
		elapsed := clock(d)
		return func() tea.Msg {
			<-elapsed
			return msg
		}
	}
}

func (e *env) currentTheme() views.Theme {
	return cmp.Or(e.opts.Theme, views.ThemeAuto)
}

func (c *chat) chooseTheme(arg string) tea.Cmd {
	wanted := views.Theme(strings.ToLower(arg))
	chosen, isOwn := c.env.opts.findOwn(wanted)
	switch {
	case c.env.opts.NoColor:
		c.trouble = "this chat has no colours: they were turned off at its start (NO_COLOR, CLICOLOR=0 or --no-color)"
	case arg == "":
		c.openThemes()
	case isOwn && chosen.Trouble != "":
		c.trouble = chosen.Trouble
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
	chosen, _ := e.opts.findOwn(t)
	if warnings := chosen.ListWarnings(); len(warnings) > 0 {
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
	for _, theme := range e.opts.Themes {
		row := themeRow{theme: theme.Name, about: "your own", faulty: theme.Trouble != ""}
		if warnings := theme.ListWarnings(); len(warnings) > 0 {
			row.about += "; " + warnings[0]
		}
		if row.faulty {
			row.about = theme.Trouble
		}
		rows = append(rows, row)
	}
	return rows
}

func (c *chat) openThemes() {
	rows, before := c.env.listThemes(), c.env.currentTheme()
	show := func(t views.Theme) tea.Cmd { return func() tea.Msg { return themeChosenMsg{t} } }
	choices, current := make([]views.Choice, len(rows)), 0
	for i, row := range rows {
		choices[i] = views.Choice{Title: string(row.theme), About: row.about, Locked: row.faulty}
		if row.theme == before {
			current = i
		}
	}
	list := views.NewList(c.env.st, c.env.keys, choices, "search")
	list.Dense = true
	list.MoveCursorTo(current)
	c.overlay = &views.ListOverlay{
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
