package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/tui/terminal"
)

// DescribeCompletion returns a completion with its description in cobra's format.
func DescribeCompletion(word, description string) string {
	if description = terminal.Clean(description); description == "" {
		return word
	}
	return word + "\t" + description
}

// activeHelp is the prefix of completions that cobra's scripts show as a message.
const activeHelp = "_activeHelp_ "

// IsCompletionWord reports whether text can be offered as a completion. It rejects text with
// control sequences or with spaces at its ends, and text that looks like a flag. The text needs no
// quotes, because the shells' scripts add them.
func IsCompletionWord(text string) bool {
	return text != "" && text == terminal.Clean(text) && text == strings.TrimSpace(text) && text[0] != '-' && !strings.HasPrefix(text, activeHelp)
}

// CompleteWords returns the words that start with typed and satisfy IsCompletionWord. The shell
// adds no space if there is a single word that ends in =.
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
