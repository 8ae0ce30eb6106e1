// Package cmd is the roof: the command tree, the wiring of the wings, what
// Parley says to people and scripts, and its exit codes. It is the only package
// that prints and exits. It holds no rule of personas, of the service or of the
// screen.
package cmd

import (
	"context"
	"os"
	"os/signal"
)

// Main runs one command line and gives the exit code of the process.
func Main(args []string, in, out, errOut *os.File) int {
	ctx, stop := signal.NotifyContext(context.Background(), EndingSignals()...)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	return run(ctx, newApp(in, out, errOut), args)
}

// run is Main without the process: tests call it with their own way to a service.
func run(ctx context.Context, a *Access, args []string) int {
	root := newRootCmd(a)
	if isCompletion(args) {
		wordCompleter{a}.completes(root)
	}
	return execute(ctx, a, root, args)
}
