package cmd

import "github.com/spf13/cobra"

func newPersonaCmd(a *Access) *cobra.Command {
	return newGroupCmd("persona", "Check, save and publish personas",
		newNewCmd(a.Environment),
		newPolishCmd(a.Environment),
		newSaveCmd(a),
		newPublishCmd(a),
		newPullCmd(a),
		newDiffCmd(a),
		newListCmd(a),
		newShowCmd(a),
		newDeleteCmd(a),
		newLintCmd(a.Environment),
		newProveCmd(a.Streams),
		newFmtCmd(a.Streams),
		newGraphCmd(a.Streams),
		newTestCmd(a),
		newSimulateCmd(a.Streams),
		newSchemaCmd(a.Streams),
	)
}
