package tui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
)

// Run plays on the whole screen until the player leaves or ctx ends. In and Out
// must be a terminal. The terminal is restored however it ends; a fault of the
// screen itself is a *Crash.
func Run(ctx context.Context, opts Options) error {
	opts = opts.withDefaults()
	if err := opts.checkFields(); err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	e := newEnv(ctx, opts)
	e.crash = &crashGuard{stop}
	if e.limiter = newPasteLimiter(opts.In, maxPasteBytes); e.limiter != nil {
		opts.In = e.limiter
	}
	if opts.asksBackground() {
		e.background = newBackgroundReader(opts.In, opts.Now, e.crash)
	}
	if e.background != nil {
		opts.In = e.background
	}
	opts.Out = watchTerminal(opts.Out, stop)
	e.opts.Out = opts.Out // The screen writes to the terminal itself when it copies.
	return runProgram(ctx, opts, guardModel(newPasteDetector(newRoot(e), opts.Now, e.after, e.limiter), stop))
}

// maxPasteBytes is how much of a marked paste is let through: more than a message
// may be in any encoding, so that what is cut is refused.
const maxPasteBytes = 4*wire.MaxMessage + 1024

// runProgram runs the program; signals are the caller's, who ends ctx. The end of ctx is
// an ordinary leave: bubbletea's own way to be ended by a context does not wait
// for its reader, which then reads from what is closed.
func runProgram(ctx context.Context, opts Options, g *guardedModel) error {
	p := tea.NewProgram(g, tea.WithInput(opts.In), tea.WithOutput(opts.Out), tea.WithAltScreen(), tea.WithoutSignalHandler())
	defer context.AfterFunc(ctx, p.Quit)()
	_, err := p.Run()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

func newEnv(ctx context.Context, opts Options) *env {
	return &env{
		ctx: ctx, opts: opts, requester: newRequester(&opts.TalkOptions),
		st: newStyles(opts.Out, opts.Theme, opts.Light), keys: newKeyMap(), after: afterBy(opts.After),
		drafts: map[string]*draft{},
	}
}

// afterBy gives a message when a clock says that some time has passed.
func afterBy(clock func(time.Duration) <-chan time.Time) func(time.Duration, tea.Msg) tea.Cmd {
	return func(d time.Duration, msg tea.Msg) tea.Cmd {
		over := clock(d)
		return func() tea.Msg {
			<-over
			return msg
		}
	}
}
