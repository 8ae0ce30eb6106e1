package check

import (
	"fmt"
	"io"
	"strings"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/tui/terminal"
)

// A summary is a report as text and as Markdown.
type summary struct {
	title    string // of the Markdown
	facts    []string
	tables   [][][]string // the first row of a table is its head
	findings []personas.Diagnostic
	more     int // number of findings that are not listed
}

func (s *summary) writeText(w io.Writer) error {
	var text strings.Builder
	for _, fact := range s.facts {
		text.WriteString(fact + "\n")
	}
	for i, table := range s.tables {
		if i > 0 {
			text.WriteString("\n")
		}
		writeColumns(&text, table)
	}
	for _, f := range s.findings {
		fmt.Fprintf(&text, "%s:%d:%d: %s\n", f.File, f.Line, f.Column, f.Message)
	}
	if s.more > 0 {
		fmt.Fprintf(&text, "and %d more\n", s.more)
	}
	_, err := io.WriteString(w, cli.BreakCommands(terminal.CleanLines(text.String())))
	return err
}

func (s *summary) writeMarkdown(w io.Writer) error {
	var text strings.Builder
	fmt.Fprintf(&text, "### %s\n\n", s.title)
	for _, fact := range s.facts {
		text.WriteString("- " + personafiles.EscapeMarkdown(fact) + "\n")
	}
	for _, table := range s.tables {
		text.WriteString("\n")
		for i, row := range table {
			text.WriteString("|")
			for _, cell := range row {
				text.WriteString(" " + personafiles.EscapeMarkdown(cell) + " |")
			}
			text.WriteString("\n")
			if i == 0 {
				text.WriteString("|" + strings.Repeat(" --- |", len(row)) + "\n")
			}
		}
	}
	if len(s.findings) > 0 {
		text.WriteString("\n")
		personafiles.WriteMarkdownList(&text, s.findings)
	}
	if s.more > 0 {
		fmt.Fprintf(&text, "- and %d more\n", s.more)
	}
	_, err := io.WriteString(w, terminal.CleanLines(text.String()))
	return err
}

// writeColumns writes a table. The first column is aligned to the left, the others to the right.
func writeColumns(text *strings.Builder, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	for _, row := range rows {
		line := fmt.Sprintf("%-*s", widths[0], row[0])
		for i, cell := range row[1:] {
			line += fmt.Sprintf("  %*s", widths[i+1], cell)
		}
		text.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}
