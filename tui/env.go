package tui

import (
	"cmp"
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/keymap"
	"github.com/parley-npc/parley/tui/picture"
	"github.com/parley-npc/parley/tui/styles"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/views"
)

// env is what every screen is handed.
type env struct {
	ctx       context.Context
	opts      Options
	requester *conversation.Requester
	st        *styles.Set
	keys      keymap.Map
	// crash catches panics outside of commands; nil catches nothing.
	crash *terminal.CrashGuard
	// background knows how to ask for the terminal's background; nil asks nothing.
	background *terminal.BackgroundQuestion
	// after sends a message after some time.
	after func(time.Duration, tea.Msg) tea.Cmd
	// drafts is what a chat leaves for the next one with the same persona.
	drafts map[string]*draft
	// unsaid is what was written while an opening was waited for in vain, by the persona.
	unsaid    map[string]string
	places    *conversation.PlaceKeeper
	portraits *picture.Display // of the characters, as this terminal shows them
	// keepingSaid records by persona id whether the player was told what is kept.
	keepingSaid map[string]bool
	edits       *edits
}

func newEnv(ctx context.Context, opts Options) *env {
	st := styles.MakeSet(styles.NewRenderer(opts.Out, opts.Light), opts.Theme, opts.Light, opts.Themes)
	return &env{
		ctx: ctx, opts: opts, requester: conversation.NewRequester(&opts.Options),
		st: st, keys: opts.Keys, after: afterBy(opts.After),
		drafts: map[string]*draft{}, unsaid: map[string]string{}, keepingSaid: map[string]bool{}, edits: &edits{}, places: conversation.NewPlaceKeeper(opts.Memory),
		portraits: picture.NewDisplay(opts.Out, opts.Pictures, st, opts.Theme, opts.NoColor, helpKey(opts.Keys)),
	}
}

// helpKey is the key or the command that shows help.
func helpKey(keys keymap.Map) string { return cmp.Or(keys.ShownKey("help"), "/help") }

// afterBy returns a message when a clock says that some time has passed.
func afterBy(clock func(time.Duration) <-chan time.Time) func(time.Duration, tea.Msg) tea.Cmd {
	return func(d time.Duration, msg tea.Msg) tea.Cmd {
		over := clock(d)
		return func() tea.Msg {
			<-over
			return msg
		}
	}
}

// currentTheme is the one in use.
func (e *env) currentTheme() styles.Theme {
	if e.opts.Theme == "" {
		return styles.ThemeAuto
	}
	return e.opts.Theme
}

// draft is the state that a chat with a persona leaves for the next one, in this program or a later
// one: the messages, the text in the input, and a turn under way.
type draft struct {
	history        views.History
	text, underWay string
	saved          conversation.SavedSession // the session that it belongs to
}
