package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/tui/terminal"
)

// DescribeCompletion gives a word with its description, as cobra completes it. The
// description is made safe to print.
func DescribeCompletion(word, description string) string {
	if description = terminal.Clean(description); description == "" {
		return word
	}
	return word + "\t" + description
}

// CompleteWords gives the words that begin with what was typed. Behind a single one that
// ends in = no blank is put.
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
