package service

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
)

// Execute runs one command line of a command tree, prints a failure on stderr, and returns the exit
// code.
func Execute(ctx context.Context, a *Access, root *cobra.Command, args []string) int {
	a.Interrupted = ctx.Done()
	root.SetArgs(args)
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	chosen, err := root.ExecuteContextC(ctx)
	if err == nil {
		err = a.CheckOutput()
	}
	if err == nil {
		return cli.ExitDone
	}
	f := a.Explain(ctx, err)
	a.ReportFailure(chosen, f)
	return f.Code
}

// AddGlobalFlags adds the flags of all commands to the root.
func AddGlobalFlags(c *cobra.Command, a *Access) {
	f := c.PersistentFlags()
	f.StringVar(&a.Server, "server", "", "`ADDRESS` of the service (else PARLEY_SERVER, the settings file, http://127.0.0.1:8787)")
	f.StringVar(&a.Profile, "profile", "", "settings of the profile `NAME` (else PARLEY_PROFILE, the settings file; see `parley profile list`)")
	_ = c.RegisterFlagCompletionFunc("profile", a.CompleteProfileFlag) // the flag exists
	f.BoolVarP(&a.Quiet, "quiet", "q", false, "print only errors on stderr")
	f.BoolVar(&a.NoColor, "no-color", false, "no colour (also NO_COLOR, CLICOLOR=0, TERM=dumb)")
	f.BoolVar(&a.InsecureHTTP, "insecure-http", false, "allow tokens over plain http to other machines, where others can read them")
}
