package cmd

import (
	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/author"
	"github.com/parley-npc/parley/cmd/check"
	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
)

func newPersonaCmd(a *service.Access) *cobra.Command {
	return cli.NewGroupCmd("persona", "Check, save and publish personas",
		author.NewNewCmd(a.Environment),
		author.NewPolishCmd(a.Environment),
		author.NewSaveCmd(a),
		author.NewPublishCmd(a),
		author.NewPullCmd(a),
		author.NewDiffCmd(a),
		author.NewListCmd(a),
		author.NewShowCmd(a),
		author.NewDeleteCmd(a),
		check.NewLintCmd(a.Environment),
		check.NewProveCmd(a.Streams),
		check.NewFmtCmd(a.Streams),
		check.NewGraphCmd(a.Streams),
		check.NewTestCmd(a),
		check.NewSimulateCmd(a.Streams),
		check.NewSchemaCmd(a.Streams),
	)
}
