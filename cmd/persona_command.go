package cmd

import "github.com/spf13/cobra"

func newPersonaCmd(a *app) *cobra.Command {
	return newGroupCmd("persona", "Check, save and publish personas",
		newNewCmd(a.environment),
		newPolishCmd(a.environment),
		newSaveCmd(a),
		newPublishCmd(a),
		newPullCmd(a),
		newDiffCmd(a),
		newListCmd(a),
		newShowCmd(a),
		newDeleteCmd(a),
		newLintCmd(a.environment),
		newProveCmd(a.streams),
		newFmtCmd(a.streams),
		newGraphCmd(a.streams),
		newTestCmd(a),
		newSimulateCmd(a.streams),
		newSchemaCmd(a.streams),
	)
}
