package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/personas"
)

// NewGroupCmd makes a command that only holds others; called by itself it prints its help.
func NewGroupCmd(use, short string, children ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  RequireSubcommand,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(children...)
	c.Example = listFirstExamples(children)
	return c
}

// ExactArgs wants one argument for each name. The usage error names the first one that is
// missing or too many.
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

// MinArgs wants an argument for each name, and takes any number more.
func MinArgs(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < len(names) {
			return UsageError("%s is missing: `%s`", names[len(args)], c.UseLine())
		}
		return nil
	}
}

// OptionalArg takes one argument or none. name is for the usage error.
func OptionalArg(name string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > 1 {
			return UsageError("%q is one argument too many, only one %s is taken: `%s`", args[1], name, c.UseLine())
		}
		return nil
	}
}

// RequireSubcommand gives a usage error for a word that is no command of a group, with the
// nearest one.
func RequireSubcommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	text := fmt.Sprintf("unknown command %q for %q", args[0], c.CommandPath())
	if near := findNearCommands(c, args[0]); len(near) > 0 {
		text += fmt.Sprintf(" (did you mean `%s`?)", strings.Join(near, "` or `"))
	} else if found := findCommandPath(c.Root(), args[0]); found != "" {
		text += fmt.Sprintf(" (did you mean `%s`?)", found)
	}
	return UsageError("%w", errors.New(text))
}

// findNearCommands gives the command of a group that is spelt most like a word, else all
// that begin with it.
func findNearCommands(c *cobra.Command, word string) []string {
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

// findCommandPath gives the path of the one command with a name in any group, such as
// `parley persona lint` for lint; "" when there is none, or several.
func findCommandPath(root *cobra.Command, name string) string {
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

// WalkCommands calls visit for a command and all below it that are not hidden, parents
// first, in the order of the help.
func WalkCommands(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, child := range c.Commands() {
		if !child.Hidden {
			WalkCommands(child, visit)
		}
	}
}

// maxGroupExamples is how many examples the help of a group shows.
const maxGroupExamples = 5

// listFirstExamples gives the first example of each of the first commands of a group.
func listFirstExamples(children []*cobra.Command) string {
	var lines []string
	for _, child := range children[:min(maxGroupExamples, len(children))] {
		if line, _, _ := strings.Cut(child.Example, "\n"); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}
