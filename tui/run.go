// Package tui implements the chat on the full screen. It lists the published personas, asks for the
// player's data, shows the conversation with state and score, and stores the player's place.
//
// Run starts the chat. A router (root.go) shows one screen at a time: the list of personas
// (persona_picker.go), the opening of a session (join.go), or the chat (chat.go). A chat sends
// turns and other requests to the service, one at a time. state.go contains the states of a chat
// and their transitions. chat_commands.go runs the commands.
//
// The package calls a service only through conversation.Service and stores data only through
// conversation.Memory and the functions in Options. It does not read the environment and does not
// open files or connections. It cleans all text from a service before it writes the text to the
// terminal.
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
