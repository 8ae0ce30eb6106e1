// Package cmd is the command line of Parley. It combines the commands into one tree. It also
// contains the parts that concern the whole tree: help and its topics, completion, the manual and
// `parley version`.
//
// Paths of packages follow the commands that a user types: `parley chat` is package cmd/chat. A
// small command is a file in this package: `parley say` is say.go. Packages of commands do not
// import each other. If they need functions of each other, this package passes the functions.
package cmd

import (
	"context"
	"os"
	"os/signal"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
)

// Main runs one command line of parley and returns the exit code.
func Main(args []string, in, out, errOut *os.File) int {
	ctx, stop := signal.NotifyContext(context.Background(), cli.EndingSignals()...)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	access := service.NewAccess(in, out, errOut)
	service.HideSecrets(access.Streams)
	return Run(ctx, access, args)
}

// Run runs one command line with the given access to a service, and returns the exit code.
func Run(ctx context.Context, access *service.Access, args []string) int {
	root := newRootCmd(access)
	// Add completions only if a shell requests them, because adding takes longer than the rest of a
	// start.
	if len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd) {
		wordCompleter{access}.addCompletions(root)
		return service.Execute(ctx, access, root, args)
	}
	words, err := joinJSONFields(root, args)
	if err != nil {
		f := access.Explain(ctx, err)
		access.ReportFailure(nil, f)
		return f.Code
	}
	return service.Execute(ctx, access, root, words)
}
