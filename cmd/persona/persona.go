// Package persona implements the commands of `parley persona` that write, save, publish, pull and
// compare persona files. Package check contains the commands that check files.
package persona

import (
	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/persona/check"
	"github.com/parley-npc/parley/cmd/service"
)

func NewCmd(access *service.Access) *cobra.Command {
	c := cli.NewGroupCmd("persona", "Check, save and publish personas",
		NewNewCmd(access.Environment),
		NewPolishCmd(access.Environment),
		NewSaveCmd(access),
		NewPublishCmd(access),
		NewPullCmd(access),
		NewDiffCmd(access),
		NewListCmd(access),
		NewShowCmd(access),
		NewDeleteCmd(access),
		NewImportCmd(access.Streams),
		NewExportCmd(access.Streams),
		check.NewReplayCmd(access),
		check.NewLintCmd(access.Environment),
		check.NewProveCmd(access.Streams),
		check.NewFmtCmd(access.Streams),
		check.NewGraphCmd(access.Streams),
		check.NewTestCmd(access),
		check.NewSimulateCmd(access.Streams),
		check.NewSchemaCmd(access.Streams),
	)
	cli.AdviseInstead(c, "remove", "use `parley persona delete`")
	cli.AdviseInstead(c, "rename", "change the name in the file and save it: `parley persona save FILE`")
	cli.AdviseInstead(c, "unpublish", "a published persona stays public until you delete it with `parley persona delete`")
	return c
}
