package cmd

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas/assert"
)

// ended is how a command line that ran in this process ended.
type ended struct {
	code      int
	out, talk string
}

// runHere runs a command line in this process, isolated except for the working directory.
func runHere(ctx context.Context, t *testing.T, env map[string]string, args ...string) ended {
	t.Helper()
	a, out, talk := cmdtest.NewAccess(t, env)
	code := Run(ctx, a, args)
	return ended{code, out.String(), talk.String()}
}

func commands(t *testing.T) map[string]*cobra.Command {
	t.Helper()
	root := newRootCmd(&service.Access{Environment: &service.Environment{Streams: &cli.Streams{Lookup: os.LookupEnv,
		Out: &cli.CheckedWriter{Writer: &cmdtest.Buffer{}}, Err: &cmdtest.Buffer{}}}})
	found := map[string]*cobra.Command{}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, child := range c.Commands() {
			walk(child)
		}
		// A group's Run only shows its help; topics lack it.
		if c.Runnable() && c.HasParent() && (!c.HasSubCommands() || c.LocalNonPersistentFlags().HasAvailableFlags()) {
			found[strings.TrimPrefix(c.CommandPath(), "parley ")] = c
		}
	}
	walk(root)
	delete(found, "help")
	assert.Must(t, len(found) >= 20, "only %d commands are found: the walk is broken", len(found))
	return found
}
