// Package session implements `parley session`. It lists, reads, exports, branches, compares and
// deletes sessions on a service.
package session

import (
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
