package report

import (
	"fmt"
	"strings"
)

// WriteMarkdownList appends findings to a text as a list.
func WriteMarkdownList(text *strings.Builder, findings []Finding) {
	for _, f := range findings {
		fmt.Fprintf(text, "- %s %s\n", FormatMarkdownPlace(f), EscapeMarkdown(f.Message))
	}
}

// FormatMarkdownPlace gives a finding's file and line as code. A grave accent in the file's
// name, which would end the code, becomes an apostrophe.
func FormatMarkdownPlace(f Finding) string {
	return fmt.Sprintf("`%s:%d`", strings.Join(strings.Fields(strings.NewReplacer("`", "'", "|", "\\|").Replace(f.File)), " "), f.Line)
}

// EscapeMarkdown gives a text in one line, in which Markdown finds no marks of its own.
func EscapeMarkdown(s string) string {
	s = strings.NewReplacer("\\", "\\\\", "`", "\\`", "*", "\\*", "_", "\\_", "<", "&lt;", "|", "\\|", "[", "\\[", "]", "\\]").Replace(s)
	return strings.Join(strings.Fields(s), " ")
}
