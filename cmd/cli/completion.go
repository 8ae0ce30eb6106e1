package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/tui/terminal"
)

// DescribeCompletion returns a word with its description, as cobra completes it. The
// description is made safe to print.
func DescribeCompletion(word, description string) string {
	if description = terminal.Clean(description); description == "" {
		return word
	}
	return word + "\t" + description
}

// activeHelp begins what cobra's scripts take for a message of the program.
const activeHelp = "_activeHelp_ "

// IsCompletionWord reports whether text can be completed unchanged: it is without control sequences
// and surrounding spaces, and it is not a flag or a message. The shells' scripts quote it.
func IsCompletionWord(text string) bool {
	return text != "" && text == terminal.Clean(text) && text == strings.TrimSpace(text) && text[0] != '-' && !strings.HasPrefix(text, activeHelp)
}

// CompleteWords returns the words that begin with typed and can be completed. A single word that
// ends in = is completed without a following blank.
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
