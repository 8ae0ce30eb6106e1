package cmd

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/personas"
)

const firstSteps = `Parley: talk to characters in the terminal, and write your own.

  parley chat --local    play a sample now: no account, no network
  parley persona new     begin a persona of your own, then: parley chat FILE
  parley localserver     run the whole service on this machine

All commands: parley --help
`

func usageTemplate(template string) string {
	return strings.NewReplacer(
		"Additional help topics:", "Topics (parley help TOPIC):",
		"{{rpad .CommandPath .CommandPathPadding}}", fmt.Sprintf("{{rpad .Name %d}}", len("persona-file")+1),
		`Use "{{.CommandPath}} [command] --help" for more information about a command.`,
		"More about a command: {{.CommandPath}} COMMAND --help",
	).Replace(template)
}

// showHelp hides the NoOptDefVal of --json from the help.
func showHelp(next func(*cobra.Command, []string)) func(*cobra.Command, []string) {
	return func(c *cobra.Command, args []string) {
		if f := c.Flags().Lookup(cli.JSONName); f != nil {
			f.NoOptDefVal = ""
		}
		next(c, args)
	}
}

func showFirstSteps(streams *cli.Streams, c *cobra.Command) error {
	if !streams.TTY.Out {
		return c.Help()
	}
	_, err := io.WriteString(streams.Out, firstSteps)
	return err
}

func explainFlagError(c *cobra.Command, err error) error {
	if words := c.Flags().Args(); c.HasAvailableSubCommands() && len(words) > 0 {
		return cli.RequireSubcommand(c, words[:1])
	}
	if wrong, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		flag := wrong.GetFlag()
		if kind, known := flagKinds[flag.Value.Type()]; known {
			return cli.UsageError("--%s %q: must be %s", flag.Name, wrong.GetValue(), kind)
		}
		return cli.UsageError("--%s %q: %w", flag.Name, wrong.GetValue(), wrong.Unwrap())
	}
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return cli.UsageError("%w", err)
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	near := personas.Nearest(unknown.GetSpecifiedName(), names)
	if near == "" {
		return cli.UsageError("%w", err)
	}
	return cli.UsageError("%w (did you mean `--%s`?)", err, near)
}

var flagKinds = map[string]string{"int": "a whole number", "uint64": "a whole number from 0", "float64": "a number",
	"bool": "true or false", "duration": "a time such as 30s or 2m"}

// newHelpCmd rejects unknown topics, unlike the help command of cobra.
func newHelpCmd(streams *cli.Streams) *cobra.Command {
	c := &cobra.Command{
		Use:     "help [COMMAND | TOPIC]",
		Short:   "Help about any command or topic",
		Long:    "Help about any command or topic. `parley --help` lists them.",
		Example: "  parley help persona lint\n  parley help exit-codes\n  parley help man ~/.local/share/man/man1",
		ValidArgsFunction: func(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			about, rest, err := c.Root().Find(args)
			var words []string
			if err == nil && len(rest) == 0 {
				for _, child := range about.Commands() {
					if strings.HasPrefix(child.Name(), typed) && !child.Hidden {
						words = append(words, cli.DescribeCompletion(child.Name(), child.Short))
					}
				}
			}
			return words, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			about, rest, err := c.Root().Find(args)
			if err != nil || about == nil {
				return cli.RequireSubcommand(c.Root(), args)
			}
			if len(rest) > 0 {
				return cli.RequireSubcommand(about, rest)
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
	c.AddCommand(newManCmd(streams), newMarkdownCmd(streams))
	return c
}
