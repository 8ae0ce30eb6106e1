package cmd

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newVersionCmd(a *streams) *cobra.Command {
	var asJSON jsonFlag
	c := &cobra.Command{
		Use:     "version",
		Short:   "Say which Parley this is and how it was built",
		Example: "  parley version\n  parley version --json",
		Args:    exactly(),
		RunE: func(*cobra.Command, []string) error {
			b := buildFacts()
			if asJSON.on {
				return a.printJSON(asJSON, b)
			}
			_, err := fmt.Fprint(a.out, b)
			return err
		},
	}
	asJSON.add(c, build{})
	return c
}
