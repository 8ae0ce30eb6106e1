// Package tui implements the full-screen chat. The player chooses a persona, enters missing data,
// and talks to the character.
//
// Run starts the chat. The root model (root.go) shows one screen at a time: the list of personas
// (persona_picker.go), the opening of a session (join.go), or the chat (chat.go). A chat sends one
// request at a time to the service. The table in state.go lists the states of a chat and their
// transitions.
//
// The package calls the service only through conversation.Service. Data is stored only through
// conversation.Memory and the functions in Options. All text from the service is cleaned before it
// reaches the terminal.
package tui

import (
	"context"
	"errors"

	"github.com/parley-npc/parley/tui/program"
	"github.com/parley-npc/parley/tui/terminal"
)

// Run runs the full-screen chat until the player leaves or ctx is done. Run always restores the
// terminal. A panic in a screen is returned as a *terminal.Crash.
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
	e.opts.Out, e.portraits.Out = opts.Out, opts.Out // Copying and pictures write directly to the terminal.
	r := newRoot(e)
	screen := program.NewPasteDetector(r, opts.Now, e.after)
	err := program.Run(ctx, program.Terminal{In: opts.In, Out: opts.Out, TakeAnswer: takeAnswer}, screen)
	if err == nil || errors.Is(err, context.Canceled) {
		r.leaveProgram()
	}
	return err
}
