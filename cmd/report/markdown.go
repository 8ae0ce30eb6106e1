package report

import (
	"fmt"
	"strings"
)

// MarkdownList writes findings as a list.
func MarkdownList(text *strings.Builder, findings []Finding) {
	for _, f := range findings {
		fmt.Fprintf(text, "- %s %s\n", MarkdownPlace(f), MarkdownText(f.Message))
	}
}

// MarkdownPlace is where a finding is, as code. A grave accent in a file's name
// would end that.
func MarkdownPlace(f Finding) string {
	return fmt.Sprintf("`%s:%d`", strings.Join(strings.Fields(strings.NewReplacer("`", "'", "|", "\\|").Replace(f.File)), " "), f.Line)
}

// MarkdownText is a text in one line that Markdown takes for nothing else.
func MarkdownText(s string) string {
	s = strings.NewReplacer("\\", "\\\\", "`", "\\`", "*", "\\*", "_", "\\_", "<", "&lt;", "|", "\\|", "[", "\\[", "]", "\\]").Replace(s)
	return strings.Join(strings.Fields(s), " ")
}
