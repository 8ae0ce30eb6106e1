package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
)

func newVersionCmd(streams *cli.Streams) *cobra.Command {
	var asJSON cli.JSONFlag
	c := &cobra.Command{
		Use:     "version",
		Short:   "Print the version and how it was built",
		Example: "  parley version\n  parley version --json",
		Args:    cli.ExactArgs(),
		RunE: func(*cobra.Command, []string) error {
			b := cli.ReadBuildInfo()
			if asJSON.On {
				return streams.PrintJSON(asJSON, b)
			}
			_, err := fmt.Fprint(streams.Out, b)
			return err
		},
	}
	asJSON.AddFlags(c, cli.BuildInfo{})
	return c
}
