// Package persona implements parley persona: the commands that check, save and publish
// persona files.
package persona

import (
	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
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
		newReplayCmd(access),
		NewLintCmd(access.Environment),
		NewProveCmd(access.Streams),
		NewFmtCmd(access.Streams),
		NewGraphCmd(access.Streams),
		NewTestCmd(access),
		NewSimulateCmd(access.Streams),
		NewSchemaCmd(access.Streams),
	)
	cli.AdviseInstead(c, "remove", "to delete a persona there is `parley persona delete`")
	cli.AdviseInstead(c, "rename", "change the name in the file and save it: `parley persona save FILE`")
	cli.AdviseInstead(c, "unpublish", "there is no unpublishing: `parley persona delete` takes a persona away")
	return c
}
