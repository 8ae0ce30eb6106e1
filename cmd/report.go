package cmd

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/personas/lint"
	"github.com/parley-npc/parley/tui/terminal"
)

// report writes findings as file:line:column: message [check], each with its
// source line and a marker under the place.
func (a *app) report(w io.Writer, f *personaFile) error {
	return a.reportIn(w, a.styleFor(false), f)
}

func (a *app) reportIn(w io.Writer, s style, f *personaFile) error {
	var text strings.Builder
	lines := f.shownLines()
	for _, found := range f.findings {
		place := terminal.Clean(fmt.Sprintf("%s:%d:%d:", found.File, found.Line, found.Column))
		fmt.Fprintf(&text, "%s %s: %s %s\n", place, s.severity(found.Severity), terminal.Clean(found.Message), s.faint("["+found.Check+"]"))
		text.WriteString(marked(s, lines, found))
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// shownLines are the lines of a file as places count them, those empty that hold
// what must not be shown.
func (f *personaFile) shownLines() []string {
	text := strings.TrimPrefix(string(f.source), "\ufeff")
	if strings.Contains(text, "\r") {
		text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	}
	lines := strings.Split(text, "\n")
	for _, found := range f.findings {
		check, _ := lint.Find(found.Check)
		for i := found.Line - 1; i < min(found.EndLine, len(lines)); i++ {
			if check.Secret || lint.HoldsSecret(lines[i]) {
				lines[i] = ""
			}
		}
	}
	return lines
}

func (s style) severity(severity string) string {
	switch severity {
	case "error":
		return s.bad(severity)
	case "warning":
		return s.colour("3", severity)
	}
	return s.colour("6", severity)
}

const (
	widestLine = 160 // characters of a source line that are shown
	leadShown  = 60  // of them before the place, where the line is wider
)

// marked is the source line of a finding and the marker under it. Of a line that
// is too wide it is the part around the place; an empty one, and a place outside
// the text, give nothing.
func marked(s style, lines []string, found finding) string {
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
	return fmt.Sprintf("  %s %s%s%s%s\n  %s %s%s\n", s.faint("|"), before, at, terminal.Clean(string(runes[end:])), right,
		s.faint("|"), strings.Repeat(" ", ansi.StringWidth(before)), s.colour("2", marker))
}

// count says how many there are of a thing, with the plural.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
