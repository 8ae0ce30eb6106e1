package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/tui/terminal"
)

// DescribeCompletion returns a completion with its description in cobra's format. It removes
// control characters from the description.
func DescribeCompletion(word, description string) string {
	if description = terminal.Clean(description); description == "" {
		return word
	}
	return word + "\t" + description
}

// activeHelp is the prefix of completions that cobra's scripts show as a message.
const activeHelp = "_activeHelp_ "

// IsCompletionWord reports whether text can be completed unchanged. Such a text has no control
// sequences and no surrounding spaces, and is not a flag or a message. The shells' completion
// scripts quote the text.
func IsCompletionWord(text string) bool {
	return text != "" && text == terminal.Clean(text) && text == strings.TrimSpace(text) && text[0] != '-' && !strings.HasPrefix(text, activeHelp)
}

// CompleteWords returns the words that start with typed and can be completed. No space is added
// after the only word if it ends in =.
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
