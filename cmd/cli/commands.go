package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/personas"
)

// NewGroupCmd is a command that only holds others.
func NewGroupCmd(use, short string, children ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  RequireSubcommand,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(children...)
	c.Example = firstExamples(children)
	return c
}

// ExactArgs refuses another number of arguments and names what is missing.
func ExactArgs(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return UsageError("%s is missing: `%s`", names[len(args)], c.UseLine())
		case len(args) > len(names):
			return UsageError("%q is one argument too many: `%s`", args[len(names)], c.UseLine())
		}
		return nil
	}
}

// MinArgs asks for some arguments of the last kind.
func MinArgs(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < len(names) {
			return UsageError("%s is missing: `%s`", names[len(args)], c.UseLine())
		}
		return nil
	}
}

// OptionalArg allows one argument and no more.
func OptionalArg(name string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > 1 {
			return UsageError("%q is one argument too many, only one %s is taken: `%s`", args[1], name, c.UseLine())
		}
		return nil
	}
}

// RequireSubcommand refuses words that are no command, with the nearest one.
func RequireSubcommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	text := fmt.Sprintf("unknown command %q for %q", args[0], c.CommandPath())
	if near := nearCommands(c, args[0]); len(near) > 0 {
		text += fmt.Sprintf(" (did you mean `%s`?)", strings.Join(near, "` or `"))
	} else if path := elsewhere(c.Root(), args[0]); path != "" {
		text += fmt.Sprintf(" (did you mean `%s`?)", path)
	}
	return UsageError("%w", errors.New(text))
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
	WalkCommands(root, func(c *cobra.Command) {
		if c.Name() == name {
			paths = append(paths, c.CommandPath())
		}
	})
	if len(paths) != 1 {
		return ""
	}
	return paths[0]
}

// WalkCommands visits a command and all below it that are shown, parents first,
// in the order of the help.
func WalkCommands(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, child := range c.Commands() {
		if !child.Hidden {
			WalkCommands(child, visit)
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
