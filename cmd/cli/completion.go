package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/tui/terminal"
)

// DescribeCompletion is a completion with its description, both safe to print.
func DescribeCompletion(word, description string) string {
	if description = terminal.Clean(description); description == "" {
		return word
	}
	return word + "\t" + description
}

// CompleteWords completes one of some words; one that ends in = waits for more.
func CompleteWords(words []string, typed string) ([]string, cobra.ShellCompDirective) {
	var found []string
	for _, word := range words {
		if strings.HasPrefix(word, typed) {
			found = append(found, word)
		}
	}
	directive := cobra.ShellCompDirectiveNoFileComp
	if len(found) == 1 && strings.HasSuffix(found[0], "=") {
		directive |= cobra.ShellCompDirectiveNoSpace
	}
	return found, directive
}
