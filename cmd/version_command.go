package cmd

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newVersionCmd(a *Streams) *cobra.Command {
	var asJSON jsonFlag
	c := &cobra.Command{
		Use:     "version",
		Short:   "Say which Parley this is and how it was built",
		Example: "  parley version\n  parley version --json",
		Args:    ExactArgs(),
		RunE: func(*cobra.Command, []string) error {
			b := ReadBuildInfo()
			if asJSON.on {
				return a.printJSON(asJSON, b)
			}
			_, err := fmt.Fprint(a.out, b)
			return err
		},
	}
	asJSON.AddFlags(c, BuildInfo{})
	return c
}
