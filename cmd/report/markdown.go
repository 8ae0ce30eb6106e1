package report

import (
	"fmt"
	"strings"

	"github.com/parley-npc/parley/tui/terminal"
)

// WriteMarkdownList appends findings to a text as a list.
func WriteMarkdownList(text *strings.Builder, findings []Finding) {
	for _, f := range findings {
		fmt.Fprintf(text, "- %s %s\n", FormatMarkdownPlace(f), EscapeMarkdown(f.Message))
	}
}

// FormatMarkdownPlace returns a finding's file and line as code. A grave accent in the file's
// name, which would end the code, becomes an apostrophe.
func FormatMarkdownPlace(f Finding) string {
	return fmt.Sprintf("`%s:%d`", terminal.Clean(strings.Join(strings.Fields(strings.NewReplacer("`", "'", "|", "\\|").Replace(f.File)), " ")), f.Line)
}

// EscapeMarkdown returns text in one line, escaped so that Markdown sees no markup, and a terminal
// or a page no control characters, not even as a character reference (&#x202e;).
func EscapeMarkdown(s string) string {
	s = terminal.Clean(strings.Join(strings.Fields(s), " "))
	return strings.NewReplacer("\\", "\\\\", "`", "\\`", "*", "\\*", "_", "\\_", "<", "&lt;", "&", "&amp;", "|", "\\|", "[", "\\[", "]", "\\]").Replace(s)
}
