package personafiles

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/lint"
	"github.com/parley-npc/parley/tui/terminal"
)

// NewFileFinding returns an error about a whole file, placed at its start.
func NewFileFinding(file, check, message string) personas.Diagnostic {
	start := personas.Position{Line: 1, Column: 1, EndLine: 1, EndColumn: 1}
	return personas.Diagnostic{File: file, Position: start, Check: check, Severity: lint.Error, Message: message}
}

// FormatOneLine returns a finding as file:line:column: message [check].
func FormatOneLine(f personas.Diagnostic) string {
	return terminal.Clean(fmt.Sprintf("%s:%d:%d: %s [%s]", f.File, f.Line, f.Column, f.Message, f.Check))
}

// ComparePlaces orders findings of one file by line and column, for slices.SortFunc.
func ComparePlaces(a, b personas.Diagnostic) int {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}

// StdinName is the file name of stdin in reports.
const StdinName = "<stdin>"

// WriteMarkdownList appends findings as a Markdown list.
func WriteMarkdownList(text *strings.Builder, findings []personas.Diagnostic) {
	for _, f := range findings {
		fmt.Fprintf(text, "- %s %s\n", FormatMarkdownPlace(f), EscapeMarkdown(f.Message))
	}
}

// FormatMarkdownPlace returns a finding's file and line as Markdown code. Backquotes in the file
// name become apostrophes.
func FormatMarkdownPlace(f personas.Diagnostic) string {
	return fmt.Sprintf("`%s:%d`", terminal.Clean(strings.Join(strings.Fields(strings.NewReplacer("`", "'", "|", "\\|").Replace(f.File)), " ")), f.Line)
}

// EscapeMarkdown returns text as one line without Markdown markup and control characters.
func EscapeMarkdown(s string) string {
	s = terminal.Clean(strings.Join(strings.Fields(s), " "))
	return strings.NewReplacer("\\", "\\\\", "`", "\\`", "*", "\\*", "_", "\\_", "<", "&lt;", "&", "&amp;", "|", "\\|", "[", "\\[", "]", "\\]").Replace(s)
}
