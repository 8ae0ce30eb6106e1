// Package cmd is the command line of Parley: it combines the commands of its groups into one tree,
// and contains what belongs to the whole tree: help and its topics, completion, the manual and
// `parley version`. It passes values between groups. It never does a command's work itself, and
// contains no rule of personas, of the service or of the chat.
package cmd

import (
	"context"
	"os"
	"os/signal"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
)

// Main runs one command line of parley and returns the exit code. program is the name or path that
// it was started with.
func Main(program string, args []string, in, out, errOut *os.File) int {
	ctx, stop := signal.NotifyContext(context.Background(), cli.EndingSignals()...)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	access := service.NewAccess(in, out, errOut)
	access.Program = program
	service.HideSecrets(access.Streams)
	return Run(ctx, access, args)
}

// Run runs one command line with access to a service, and returns the exit code. Tests pass their
// own access.
func Run(ctx context.Context, access *service.Access, args []string) int {
	root := newRootCmd(access)
	if isCompletion(args) {
		return service.Execute(ctx, access, root, prepareCompletion(access, root, args))
	}
	words, command, err := joinJSONFields(root, args)
	if err != nil {
		f := access.Explain(ctx, err)
		access.ReportFailure(command, f)
		return f.Code
	}
	return service.Execute(ctx, access, root, words)
}
