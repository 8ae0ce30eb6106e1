package tui

import (
	"context"
	"errors"

	"github.com/parley-npc/parley/tui/program"
	"github.com/parley-npc/parley/tui/terminal"
)

// Run runs the chat on the full screen until the player leaves or ctx is done. In and Out must be a
// terminal. Run always restores the terminal. It returns a panic of the screen as a
// *terminal.Crash.
func Run(ctx context.Context, opts Options) error {
	opts = opts.withDefaults()
	if err := opts.CheckPlayer(); err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	e := newEnv(ctx, opts)
	e.crash = terminal.NewCrashGuard(stop)
	takeAnswer := func(string) {}
	if opts.asksBackground() && program.ReadsKeys && terminal.IsTerminal(opts.In) {
		e.background = terminal.NewBackgroundQuestion()
		takeAnswer = e.background.TakeAnswer
	}
	opts.Out = terminal.WatchTerminal(opts.Out, stop)
	e.opts.Out, e.portraits.Out = opts.Out, opts.Out // Copying and pictures write to the terminal directly.
	r := newRoot(e)
	screen := program.NewPasteDetector(r, opts.Now, e.after)
	err := program.Run(ctx, program.Terminal{In: opts.In, Out: opts.Out, TakeAnswer: takeAnswer}, screen)
	if err == nil || errors.Is(err, context.Canceled) {
		r.leaveProgram()
	}
	return err
}
