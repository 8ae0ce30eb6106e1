package cmd

import (
	"context"

	"github.com/spf13/cobra"
)

// execute runs one command line of a tree of commands, says on stderr what failed,
// and gives the exit code.
func execute(ctx context.Context, a *Access, root *cobra.Command, args []string) int {
	a.interrupted = ctx.Done()
	root.SetArgs(args)
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	chosen, err := root.ExecuteContextC(ctx)
	if err == nil {
		err = a.OutputFailure()
	}
	if err == nil {
		return exitDone
	}
	f := a.explain(ctx, err)
	a.ReportFailure(chosen, f)
	return f.code
}

// addGlobalFlags puts the flags on the root that stand on every command.
func addGlobalFlags(c *cobra.Command, a *Access) {
	f := c.PersistentFlags()
	f.StringVar(&a.server, "server", "", "`ADDRESS` of the service (else PARLEY_SERVER, the settings file, http://127.0.0.1:8787)")
	f.StringVar(&a.profile, "profile", "", "settings of the profile `NAME` (else PARLEY_PROFILE, the settings file; see `parley profile list`)")
	_ = c.RegisterFlagCompletionFunc("profile", a.completeProfileFlag) // the flag is there
	f.BoolVarP(&a.quiet, "quiet", "q", false, "no talk on stderr but errors")
	f.BoolVar(&a.NoColor, "no-color", false, "no colour (also NO_COLOR, TERM=dumb)")
	f.BoolVar(&a.insecureHTTP, "insecure-http", false, "send tokens to other machines by http too, where others can read them")
}
