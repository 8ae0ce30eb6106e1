package tui

import (
	"cmp"
	"context"
	"errors"
	"io"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/record"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/transcript"
	"github.com/parley-npc/parley/tui/views"
)

// Options is everything that the full screen is handed. In and Out must be a terminal.
type Options struct {
	conversation.Options
	In  io.Reader
	Out io.Writer

	// Theme is the colours of the full screen. Themes that depend on the terminal's background ask
	// the terminal for it, unless Light says that it is light. NoColor overrides Theme with
	// ThemeNone.
	Theme views.Theme
	// Themes are the player's own.
	Themes  []views.OwnTheme
	Light   bool
	NoColor bool
	// NoMotion disables animations; words and numbers still change.
	NoMotion bool

	// Repertoire is what the terminal can draw.
	Repertoire terminal.Repertoire

	// PanelHidden means that the side panel is not shown. KeepPanel remembers for chats to
	// come that it is shown, or not; nil remembers nothing.
	PanelHidden bool
	KeepPanel   func(shown bool) error
	// Keys are the keys of the screen; the zero value is the usual ones.
	Keys views.KeyMap
	// Mouse takes the mouse of the terminal.
	Mouse bool

	// Pictures describes how the terminal shows pictures, if it has enough colours.
	Pictures transcript.PictureTerminal

	// Suspends means that there is a shell that a suspended chat goes back to.
	Suspends bool
	// Multiplexed means that the screen is inside tmux.
	Multiplexed bool
	// CopyTmux sends a text to the tmux around the screen; nil if there is none that can be asked.
	CopyTmux func(ctx context.Context, text string) (TmuxCopy, error)

	// The chat's access to the player's machine; it reports a nil function as unsupported. Edit
	// opens the player's editor with an initial text. Copy puts a text on the system's clipboard.
	Files record.Files
	Edit  func(text string) (Editing, error)
	Copy  func(ctx context.Context, text string) error
}

var (
	errNoEditor    = errors.New("there is no editor here: set $VISUAL or $EDITOR")
	errNoClipboard = errors.New("this machine has no clipboard")
)

func (o Options) withDefaults() Options {
	o.FillDefaults()
	if len(o.Keys.Send.Keys()) == 0 {
		o.Keys = views.NewKeyMap()
	}
	if o.NoColor {
		o.Theme = views.ThemeNone
	}
	return o
}

// asksBackground reports whether the terminal is to be asked for its background.
func (o *Options) asksBackground() bool {
	return o.Theme.DependsOnBackground() && !o.Light && !o.NoColor
}

func (o *Options) checkFields() error {
	if err := o.CheckPlayer(); err != nil {
		return err
	}
	if !o.hasTheme(o.Theme) {
		return views.ErrTheme
	}
	return nil
}

// hasTheme reports whether a theme exists and can be used.
func (o *Options) hasTheme(t views.Theme) bool {
	own, found := o.findOwn(t)
	return t.IsKnown() || found && own.Trouble == ""
}

// findOwn finds a theme of the player's.
func (o *Options) findOwn(t views.Theme) (views.OwnTheme, bool) {
	for _, own := range o.Themes {
		if own.Name == t {
			return own, true
		}
	}
	return views.OwnTheme{}, false
}

// env is what every screen is handed.
type env struct {
	ctx       context.Context
	opts      Options
	requester *conversation.Requester
	st        *views.Styles
	keys      views.KeyMap
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
	portraits *transcript.Portraits // of the characters, as this terminal shows them
	// keepingSaid records by persona id whether the player was told what is kept.
	keepingSaid map[string]bool
	edits       *edits
}

func newEnv(ctx context.Context, opts Options) *env {
	st := views.MakeStyles(views.NewRenderer(opts.Out, opts.Light), opts.Theme, opts.Light, opts.Themes)
	return &env{
		ctx: ctx, opts: opts, requester: conversation.NewRequester(&opts.Options),
		st: st, keys: opts.Keys, after: afterBy(opts.After),
		drafts: map[string]*draft{}, unsaid: map[string]string{}, keepingSaid: map[string]bool{}, edits: &edits{}, places: conversation.NewPlaceKeeper(opts.Memory),
		portraits: transcript.NewPortraits(opts.Out, opts.Pictures, st, opts.Theme, opts.NoColor, helpKey(opts.Keys)),
	}
}

// helpKey is the key or the command that shows help.
func helpKey(keys views.KeyMap) string { return cmp.Or(keys.ShownKey("help"), "/help") }

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
func (e *env) currentTheme() views.Theme {
	if e.opts.Theme == "" {
		return views.ThemeAuto
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
