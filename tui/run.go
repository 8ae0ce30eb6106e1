package tui

import (
	"context"
	"errors"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// Run plays on the whole screen until the player leaves or ctx ends. In and Out
// must be a terminal. The terminal is restored however it ends.
func Run(ctx context.Context, opts Options) error {
	opts = opts.withDefaults()
	if err := opts.check(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	_, err := program(ctx, opts).Run()
	if ctx.Err() != nil && errors.Is(err, tea.ErrProgramKilled) {
		return ctx.Err()
	}
	return err
}

// program makes the program; signals are the caller's, who ends ctx.
func program(ctx context.Context, opts Options) *tea.Program {
	return tea.NewProgram(newRoot(newEnv(ctx, opts)),
		tea.WithContext(ctx), tea.WithInput(opts.In), tea.WithOutput(opts.Out),
		tea.WithAltScreen(), tea.WithoutSignalHandler())
}

func newEnv(ctx context.Context, opts Options) *env {
	return &env{
		ctx: ctx, opts: opts, desk: newDesk(opts),
		st: newStyles(opts.Out, opts.Light, opts.NoColor), keys: newKeyMap(), after: after,
	}
}

func after(d time.Duration, msg tea.Msg) tea.Cmd {
	return tea.Tick(d, func(time.Time) tea.Msg { return msg })
}
