package cmd

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/parley-npc/parley/personas"
)

// firstSteps is what somebody sees who has typed `parley` and no more.
const firstSteps = `Parley: talk to characters that are state machines.

  parley chat --local           play a sample persona now: no account, no network
  parley persona new            begin a persona of your own, then: parley chat FILE
  parley localserver            run the whole service on this machine

All commands: parley --help
`

// usageTemplate is cobra's with our words for topics: they are read with help, and
// are no commands.
func usageTemplate(cobras string) string {
	return strings.NewReplacer(
		"Additional help topics:", "Topics (parley help TOPIC):",
		"{{rpad .CommandPath .CommandPathPadding}}", fmt.Sprintf("{{rpad .Name %d}}", len("persona-file")+1),
		`Use "{{.CommandPath}} [command] --help" for more information about a command.`, "More about a command: {{.CommandPath}} COMMAND --help",
	).Replace(cobras)
}

// showFirstSteps is parley without a command: three first steps on a terminal, all of the
// help elsewhere.
func showFirstSteps(a *streams, c *cobra.Command) error {
	if !a.tty.out {
		return c.Help()
	}
	_, err := io.WriteString(a.out, firstSteps)
	return err
}

// onlyCommands refuses words that are no command, with the nearest one.
func onlyCommands(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	text := fmt.Sprintf("unknown command %q for %q", args[0], c.CommandPath())
	if near := nearCommands(c, args[0]); len(near) > 0 {
		text += fmt.Sprintf(" (did you mean `%s`?)", strings.Join(near, "` or `"))
	} else if path := elsewhere(c.Root(), args[0]); path != "" {
		text += fmt.Sprintf(" (did you mean `%s`?)", path)
	}
	return usage("%w", errors.New(text))
}

// nearCommands are the commands of a group that a word was meant for: the nearest
// one, else all that begin with it.
func nearCommands(c *cobra.Command, word string) []string {
	var names, begin []string
	for _, child := range c.Commands() {
		if child.Hidden {
			continue
		}
		names = append(names, child.Name())
		if strings.HasPrefix(child.Name(), strings.ToLower(word)) {
			begin = append(begin, child.Name())
		}
	}
	if near := personas.Nearest(word, names); near != "" {
		return []string{near}
	}
	return begin
}

// elsewhere finds the one command with a name that stands in another group, such
// as `parley persona lint` for lint; "" when there is none, or several.
func elsewhere(root *cobra.Command, name string) string {
	var paths []string
	walkCommands(root, func(c *cobra.Command) {
		if c.Name() == name {
			paths = append(paths, c.CommandPath())
		}
	})
	if len(paths) != 1 {
		return ""
	}
	return paths[0]
}

// flagError refuses a flag and names the nearest. After a word that is no command
// the flags are those of another one: then the word is what is wrong.
func flagError(c *cobra.Command, err error) error {
	if words := c.Flags().Args(); c.HasAvailableSubCommands() && len(words) > 0 {
		return onlyCommands(c, words[:1])
	}
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return usage("%w", err)
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	near := personas.Nearest(unknown.GetSpecifiedName(), names)
	if near == "" {
		return usage("%w", err)
	}
	return usage("%w (did you mean `--%s`?)", err, near)
}

// newHelpCmd is cobra's help that refuses what there is no help for.
func newHelpCmd(a *streams) *cobra.Command {
	c := &cobra.Command{
		Use:     "help [COMMAND | TOPIC]",
		Short:   "Help about any command or topic",
		Long:    "Help about any command or topic. `parley --help` lists them.",
		Example: "  parley help persona lint\n  parley help exit-codes\n  parley help man ~/.local/share/man/man1",
		ValidArgsFunction: func(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			return completeCommands(c.Root(), args, typed)
		},
		RunE: func(c *cobra.Command, args []string) error {
			about, rest, err := c.Root().Find(args)
			if err != nil || about == nil {
				return onlyCommands(c.Root(), args)
			}
			if len(rest) > 0 {
				return onlyCommands(about, rest)
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
	c.AddCommand(newManCmd(a), newMarkdownCmd(a))
	return c
}

// completeCommands completes the path of a command or topic.
func completeCommands(root *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	about, rest, err := root.Find(args)
	var words []string
	if err == nil && len(rest) == 0 {
		for _, child := range about.Commands() {
			if strings.HasPrefix(child.Name(), typed) && !child.Hidden {
				words = append(words, describedName(child.Name(), child.Short))
			}
		}
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

// walkCommands visits a command and all below it that are shown, parents first,
// in the order of the help.
func walkCommands(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, child := range c.Commands() {
		if !child.Hidden {
			walkCommands(child, visit)
		}
	}
}

// groupExamples is how many examples a command shows that only holds others.
const groupExamples = 5

// firstExamples are the first examples of the first commands of a group.
func firstExamples(children []*cobra.Command) string {
	var lines []string
	for _, child := range children[:min(groupExamples, len(children))] {
		if line, _, _ := strings.Cut(child.Example, "\n"); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}
