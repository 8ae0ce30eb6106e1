package cmd

import (
	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/author"
	"github.com/parley-npc/parley/cmd/check"
	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
)

func newPersonaCmd(access *service.Access) *cobra.Command {
	c := cli.NewGroupCmd("persona", "Check, save and publish personas",
		author.NewNewCmd(access.Environment),
		author.NewPolishCmd(access.Environment),
		author.NewSaveCmd(access),
		author.NewPublishCmd(access),
		author.NewPullCmd(access),
		author.NewDiffCmd(access),
		author.NewListCmd(access),
		author.NewShowCmd(access),
		author.NewDeleteCmd(access),
		author.NewImportCmd(access.Streams),
		author.NewExportCmd(access.Streams),
		check.NewLintCmd(access.Environment),
		check.NewProveCmd(access.Streams),
		check.NewFmtCmd(access.Streams),
		check.NewGraphCmd(access.Streams),
		check.NewTestCmd(access),
		check.NewSimulateCmd(access.Streams),
		check.NewSchemaCmd(access.Streams),
	)
	cli.AdviseInstead(c, "remove", "to delete a persona there is `parley persona delete`")
	cli.AdviseInstead(c, "rename", "change the name in the file and save it: `parley persona save FILE`")
	cli.AdviseInstead(c, "unpublish", "there is no unpublishing: `parley persona delete` takes a persona away")
	return c
}
