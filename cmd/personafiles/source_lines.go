package personafiles

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/lint"
	"github.com/parley-npc/parley/tui/terminal"
)

// ReportFindings writes a file's findings as file:line:column: message [check], without colours.
// Below each finding it shows the source line with a marker.
func ReportFindings(streams *cli.Streams, w io.Writer, f *File) error {
	return WriteFindings(streams, w, streams.StyleFor(false), f)
}

// WriteFindings is like ReportFindings in the given style.
func WriteFindings(streams *cli.Streams, w io.Writer, s cli.Style, f *File) error {
	var text strings.Builder
	lines := &shownLines{f.splitShownLines(), map[int]linePlace{}}
	for _, found := range f.Findings {
		place := terminal.Clean(fmt.Sprintf("%s:%d:%d:", found.File, found.Line, found.Column))
		fmt.Fprintf(&text, "%s %s: %s %s\n", place, colorSeverity(s, found.Severity), terminal.Clean(found.Message), s.Faint("["+found.Check+"]"))
		text.WriteString(formatMarker(s, lines, found))
	}
	_, err := io.WriteString(w, cli.BreakCommands(text.String()))
	return err
}

// splitShownLines returns the lines of a file. A line with a finding becomes empty if it may
// contain a secret or is not valid UTF-8.
func (f *File) splitShownLines() []string {
	text := strings.TrimPrefix(string(f.Source), "\ufeff")
	if strings.Contains(text, "\r") {
		text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	}
	lines := strings.Split(text, "\n")
	looked := make([]bool, len(lines)) // checks each line only once
	for _, found := range f.Findings {
		check, _ := lint.Find(found.Check)
		for i := max(found.Line-1, 0); i < min(found.EndLine, len(lines)); i++ {
			if check.Secret || !looked[i] && (lint.HoldsSecret(lines[i]) || !utf8.ValidString(lines[i])) {
				lines[i] = ""
			}
			looked[i] = true
		}
	}
	return lines
}

const (
	maxLineShown = 160 // maximum number of characters shown of a source line
	maxLeadShown = 60  // maximum number of them before the place
)

func formatMarker(s cli.Style, l *shownLines, found personas.Diagnostic) string {
	if found.Line < 1 || found.Line > len(l.lines) || l.lines[found.Line-1] == "" {
		return ""
	}
	column := max(found.Column-1, 0)
	runes, from, right := l.cutLine(found.Line-1, column)
	start, end, left := min(column-from, len(runes)), len(runes), ""
	if found.EndLine == found.Line {
		end = min(max(found.EndColumn-1-from, start), len(runes))
	}
	if from > 0 {
		left = "…"
	}
	before, at := left+terminal.Clean(string(runes[:start])), terminal.Clean(string(runes[start:end]))
	marker := "^" + strings.Repeat("~", max(ansi.StringWidth(at)-1, 0))
	return fmt.Sprintf("  %s %s%s%s%s\n  %s %s%s\n", s.Faint("|"), before, at, terminal.Clean(string(runes[end:])), right,
		s.Faint("|"), strings.Repeat(" ", ansi.StringWidth(before)), s.Color("2", marker))
}

// shownLines has a file's lines, and how far the characters of each line were counted. A document
// can be one line with many findings in order.
type shownLines struct {
	lines   []string
	reached map[int]linePlace
}

type linePlace struct{ characters, bytes int }

// cutLine returns the part of a line around a column, which counts from 0. start is the number of
// characters cut off before, and right is "…" if the line goes on.
func (l *shownLines) cutLine(i, column int) (shown []rune, start int, right string) {
	line := l.lines[i]
	at := linePlace{}
	if last := l.reached[i]; last.characters <= column-maxLeadShown {
		at = last
	}
	if utf8.RuneCountInString(line[:min(len(line), 4*(maxLineShown+1))]) > maxLineShown {
		for ; at.bytes < len(line) && at.characters < column-maxLeadShown; at.characters++ {
			_, size := utf8.DecodeRuneInString(line[at.bytes:])
			at.bytes += size
		}
		l.reached[i] = at
	}
	for _, r := range line[at.bytes:] {
		if len(shown) == maxLineShown {
			return shown, at.characters, "…"
		}
		shown = append(shown, r)
	}
	return shown, at.characters, ""
}

func colorSeverity(s cli.Style, severity lint.Severity) string {
	switch severity {
	case "error":
		return s.Error(string(severity))
	case "warning":
		return s.Color("3", string(severity))
	}
	return s.Color("6", string(severity))
}
