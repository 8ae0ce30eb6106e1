package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/tui/terminal"
)

// NewGroupCmd returns a command with subcommands. Run alone, the command prints its help.
func NewGroupCmd(use, short string, children ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  RequireSubcommand,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(children...)
	var examples []string
	for _, child := range children[:min(maxGroupExamples, len(children))] {
		if first, _, _ := strings.Cut(child.Example, "\n"); first != "" {
			examples = append(examples, first)
		}
	}
	c.Example = strings.Join(examples, "\n")
	return c
}

func ExactArgs(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > len(names) {
			return RefuseExtra(c, args[len(names)])
		}
		return MinArgs(names...)(c, args)
	}
}

// RefuseExtra returns the usage error for an argument that the command does not accept.
func RefuseExtra(c *cobra.Command, arg string) error {
	return UsageError("unexpected argument %q: `%s`", arg, c.UseLine())
}

// MinArgs requires at least one argument for each name.
func MinArgs(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < len(names) {
			return UsageError("%s is missing: `%s`", names[len(args)], c.UseLine())
		}
		return nil
	}
}

func OptionalArg(c *cobra.Command, args []string) error {
	if len(args) > 1 {
		return RefuseExtra(c, args[1])
	}
	return nil
}

// RequireSubcommand returns a usage error for an unknown subcommand of a group, with a suggestion.
func RequireSubcommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	text := fmt.Sprintf("unknown command %q for %q", args[0], c.CommandPath())
	if advice := c.Annotations[adviceKey(args[0])]; advice != "" {
		return &Failure{Code: ExitUsage, Err: errors.New(text), Hint: advice}
	}
	var names []string
	for _, child := range c.Commands() {
		if !child.Hidden {
			names = append(names, child.Name())
		}
	}
	near := personas.NearestWords(args[0], names)
	if len(near) == 0 {
		near = c.SuggestionsFor(args[0]) // by prefix, or SuggestFor
	}
	if len(near) > 0 {
		text += fmt.Sprintf(" (did you mean `%s`?)", strings.Join(near, "` or `"))
	} else if found := findCommandPath(c.Root(), args[0]); found != "" {
		text += fmt.Sprintf(" (did you mean `%s`?)", found)
	}
	return UsageError("%w", errors.New(text))
}

// AdviseInstead sets the hint for a subcommand that does not exist in the group.
func AdviseInstead(c *cobra.Command, name, advice string) {
	if c.Annotations == nil {
		c.Annotations = map[string]string{}
	}
	c.Annotations[adviceKey(name)] = advice
}

func adviceKey(name string) string { return "instead of " + strings.ToLower(name) }

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

// WalkCommands calls visit for a command and all visible commands below it, in help order.
func WalkCommands(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, child := range c.Commands() {
		if !child.Hidden {
			WalkCommands(child, visit)
		}
	}
}

const maxGroupExamples = 5

// DescribeCompletion returns a completion with its description in cobra's format.
func DescribeCompletion(word, description string) string {
	if description = terminal.Clean(description); description == "" {
		return word
	}
	return word + "\t" + description
}

// activeHelp is the prefix of completions that cobra's scripts show as a message.
const activeHelp = "_activeHelp_ "

// IsCompletionWord reports whether text is safe as a completion. Shell scripts add quotes.
func IsCompletionWord(text string) bool {
	if text == "" || text != terminal.Clean(text) || text != strings.TrimSpace(text) {
		return false
	}
	return text[0] != '-' && !strings.HasPrefix(text, activeHelp)
}

// CompleteWords returns the safe words with the prefix typed. A single word with a final = gets no
// space.
func CompleteWords(words []string, typed string) ([]string, cobra.ShellCompDirective) {
	var found []string
	for _, word := range words {
		name, _, _ := strings.Cut(word, "\t")
		if strings.HasPrefix(word, typed) && IsCompletionWord(name) {
			found = append(found, word)
		}
	}
	directive := cobra.ShellCompDirectiveNoFileComp
	if len(found) == 1 && strings.HasSuffix(found[0], "=") {
		directive |= cobra.ShellCompDirectiveNoSpace
	}
	return found, directive
}
