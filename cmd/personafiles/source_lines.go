package personafiles

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/report"
	"github.com/parley-npc/parley/personas/lint"
	"github.com/parley-npc/parley/tui/terminal"
)

// ReportFindings writes findings as file:line:column: message [check], each with its
// source line and a marker under the place.
func ReportFindings(a *cli.Streams, w io.Writer, f *File) error {
	return WriteFindings(a, w, a.StyleFor(false), f)
}

func WriteFindings(a *cli.Streams, w io.Writer, s cli.Style, f *File) error {
	var text strings.Builder
	lines := f.shownLines()
	for _, found := range f.Findings {
		place := terminal.Clean(fmt.Sprintf("%s:%d:%d:", found.File, found.Line, found.Column))
		fmt.Fprintf(&text, "%s %s: %s %s\n", place, colorSeverity(s, found.Severity), terminal.Clean(found.Message), s.Faint("["+found.Check+"]"))
		text.WriteString(formatMarker(s, lines, found))
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// shownLines are the lines of a file as places count them, those empty that hold
// what must not be shown.
func (f *File) shownLines() []string {
	text := strings.TrimPrefix(string(f.Source), "\ufeff")
	if strings.Contains(text, "\r") {
		text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	}
	lines := strings.Split(text, "\n")
	for _, found := range f.Findings {
		check, _ := lint.Find(found.Check)
		for i := found.Line - 1; i < min(found.EndLine, len(lines)); i++ {
			if check.Secret || lint.HoldsSecret(lines[i]) {
				lines[i] = ""
			}
		}
	}
	return lines
}

const (
	widestLine = 160 // characters of a source line that are shown
	leadShown  = 60  // of them before the place, where the line is wider
)

// formatMarker is the source line of a finding and the marker under it. Of a line that
// is too wide it is the part around the place; an empty one, and a place outside
// the text, give nothing.
func formatMarker(s cli.Style, lines []string, found report.Finding) string {
	if found.Line < 1 || found.Line > len(lines) || lines[found.Line-1] == "" || !utf8.ValidString(lines[found.Line-1]) {
		return ""
	}
	runes := []rune(lines[found.Line-1])
	start := min(max(found.Column-1, 0), len(runes))
	end := len(runes)
	if found.EndLine == found.Line {
		end = min(max(found.EndColumn-1, start), len(runes))
	}
	left, right := "", ""
	if from := start - leadShown; len(runes) > widestLine && from > 0 {
		runes, start, end, left = runes[from:], start-from, end-from, "…"
	}
	if len(runes) > widestLine {
		runes, end, right = runes[:widestLine], min(end, widestLine), "…"
	}
	before, at := left+terminal.Clean(string(runes[:start])), terminal.Clean(string(runes[start:end]))
	marker := "^" + strings.Repeat("~", max(ansi.StringWidth(at)-1, 0))
	return fmt.Sprintf("  %s %s%s%s%s\n  %s %s%s\n", s.Faint("|"), before, at, terminal.Clean(string(runes[end:])), right,
		s.Faint("|"), strings.Repeat(" ", ansi.StringWidth(before)), s.Color("2", marker))
}

func colorSeverity(s cli.Style, severity string) string {
	switch severity {
	case "error":
		return s.Error(severity)
	case "warning":
		return s.Color("3", severity)
	}
	return s.Color("6", severity)
}
