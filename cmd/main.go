// Package cmd is the roof: the command tree, the wiring of the wings, what
// Parley says to people and scripts, and its exit codes. It is the only package
// that prints and exits. It holds no rule of personas, of the service or of the
// screen.
package cmd

import (
	"context"
	"os"
	"os/signal"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
)

// Main runs one command line and gives the exit code of the process.
func Main(args []string, in, out, errOut *os.File) int {
	ctx, stop := signal.NotifyContext(context.Background(), cli.EndingSignals()...)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	return Run(ctx, service.NewAccess(in, out, errOut), args)
}

// Run is Main without the process: tests call it with their own way to a service.
func Run(ctx context.Context, a *service.Access, args []string) int {
	root := newRootCmd(a)
	if isCompletion(args) {
		wordCompleter{a}.completes(root)
	}
	return service.Execute(ctx, a, root, args)
}
