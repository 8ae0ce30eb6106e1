package tui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// Run plays on the whole screen until the player leaves or ctx ends. In and Out
// must be a terminal. The terminal is restored however it ends; a fault of the
// screen itself is a *Crash.
func Run(ctx context.Context, opts Options) error {
	opts = opts.withDefaults()
	if err := opts.check(); err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	e := newEnv(ctx, opts)
	e.net = &net{stop}
	if e.sluice = newSluice(opts.In); e.sluice != nil {
		opts.In = e.sluice
	}
	if e.backdrop = newBackdrop(opts); e.backdrop != nil {
		e.backdrop.net, opts.In = e.net, e.backdrop
	}
	opts.Out = watched(opts.Out, stop)
	e.opts.Out = opts.Out // The screen writes to the terminal itself when it copies.
	return run(ctx, opts, newGuard(newInflow(e, newRoot(e)), stop))
}

// run runs the program; signals are the caller's, who ends ctx. The end of ctx is
// an ordinary leave: bubbletea's own way to be ended by a context does not wait
// for its reader, which then reads from what is closed.
func run(ctx context.Context, opts Options, g *guard) error {
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
		ctx: ctx, opts: opts, desk: newDesk(opts),
		st: newStyles(opts.Out, opts.Theme, opts.Light), keys: newKeyMap(), after: afterBy(opts.After),
		kept: map[string]*keepsake{},
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
