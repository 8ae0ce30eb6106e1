package tui

import (
	"context"
	"errors"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/program"
	"github.com/parley-npc/parley/tui/terminal"
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
	e.crash = terminal.NewCrashGuard(stop)
	if e.limiter = terminal.NewPasteLimiter(opts.In, maxPasteBytes); e.limiter != nil {
		opts.In = e.limiter
	}
	if opts.asksBackground() {
		e.background = terminal.NewBackgroundReader(opts.In, opts.Now, e.crash)
	}
	if e.background != nil {
		opts.In = e.background
	}
	if reader := terminal.NewMouseReader(opts.In, e.crash); reader != nil {
		opts.In = reader
	}
	opts.Out = terminal.WatchTerminal(opts.Out, stop)
	e.opts.Out, e.portraits.Out = opts.Out, opts.Out // The screen writes to the terminal itself when it copies, and for pictures.
	r := newRoot(e)
	err := program.Run(ctx, opts.In, opts.Out, program.GuardModel(program.NewPasteDetector(r, opts.Now, e.after, e.limiter), stop))
	if err == nil || errors.Is(err, context.Canceled) {
		r.leaveProgram()
	}
	return err
}

// maxPasteBytes is how much of a marked paste is let through: more than a message
// may be in any encoding, so that what is cut is refused (docs/decisions/tui.md,
// paste-limiter).
const maxPasteBytes = 4*wire.MaxMessage + 1024
