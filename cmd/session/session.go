// Package session implements `parley session`. The commands list, read, export, branch, compare and
// delete sessions on a service.
package session

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
)

// NewCmd returns the `parley session` command with its subcommands.
func NewCmd(access *service.Access, replay Replayer) *cobra.Command {
	return cli.NewGroupCmd("session", "List, read, export, branch and restart sessions",
		newSessionListCmd(access),
		newSessionHistoryCmd(access),
		newSessionExportCmd(access),
		newSessionResetCmd(access),
		newSessionReplayCmd(access, replay),
		newSessionForkCmd(access),
		newSessionUndoCmd(access),
		newSessionBranchesCmd(access),
		newSessionCompareCmd(access),
		newSessionRenameCmd(access),
		newSessionDeleteCmd(access),
	)
}

// newSessionCmd allows a second argument only if the usage line has brackets.
func newSessionCmd(
	o *service.SessionOptions, c *cobra.Command, run func(ctx context.Context, second string) error,
) *cobra.Command {
	c.Long += "\n\n" + service.SessionNames
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) == 2 && strings.Contains(c.Use, "[") {
			if args[1] == "" {
				return cli.UsageError("the second argument is empty: leave it out, or write a value")
			}
			args = args[:1]
		}
		return cli.ExactArgs("SESSION or PERSONA")(c, args)
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		o.Named = args[0]
		return run(c.Context(), strings.Join(args[1:], ""))
	}
	o.AddSessionFlag(c)
	return c
}
