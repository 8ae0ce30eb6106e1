package cmd

import (
	"fmt"
	"strings"
)

// markdownList writes findings as a list.
func markdownList(text *strings.Builder, findings []finding) {
	for _, f := range findings {
		fmt.Fprintf(text, "- %s %s\n", markdownPlace(f), markdownText(f.Message))
	}
}

// markdownPlace is where a finding is, as code. A grave accent in a file's name
// would end that.
func markdownPlace(f finding) string {
	return fmt.Sprintf("`%s:%d`", strings.Join(strings.Fields(strings.NewReplacer("`", "'", "|", "\\|").Replace(f.File)), " "), f.Line)
}

// markdownText is a text in one line that Markdown takes for nothing else.
func markdownText(s string) string {
	s = strings.NewReplacer("\\", "\\\\", "`", "\\`", "*", "\\*", "_", "\\_", "<", "&lt;", "|", "\\|", "[", "\\[", "]", "\\]").Replace(s)
	return strings.Join(strings.Fields(s), " ")
}
