package cmd

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/tui"
)

// report writes findings as file:line:column: message [check], each with its
// source line and a marker under the place.
func (a *app) report(w io.Writer, f *personaFile) error {
	lines := bytes.Split(f.source, []byte("\n"))
	for _, found := range f.findings {
		head := fmt.Sprintf("%s:%d:%d:", found.File, found.Line, found.Column)
		_, err := fmt.Fprintf(w, "%s %s: %s [%s]\n%s", tui.Clean(head), found.Severity, tui.Clean(found.Message), found.Check, marked(lines, found))
		if err != nil {
			return err
		}
	}
	return nil
}

const widestLine = 160

// marked is the source line of a finding and the marker under it; a line that
// is too wide, or a place outside the text, gives nothing.
func marked(lines [][]byte, found finding) string {
	if found.Line < 1 || found.Line > len(lines) {
		return ""
	}
	line := strings.TrimRight(string(lines[found.Line-1]), "\r")
	if utf8.RuneCountInString(line) > widestLine || !utf8.ValidString(line) {
		return ""
	}
	runes := []rune(line)
	start := min(max(found.Column-1, 0), len(runes))
	end := len(runes)
	if found.EndLine == found.Line {
		end = min(max(found.EndColumn-1, start), len(runes))
	}
	before, at := tui.Clean(string(runes[:start])), tui.Clean(string(runes[start:end]))
	marker := "^" + strings.Repeat("~", max(ansi.StringWidth(at)-1, 0))
	return fmt.Sprintf("  | %s\n  | %s%s\n", tui.Clean(line), strings.Repeat(" ", ansi.StringWidth(before)), marker)
}

// count says how many there are of a thing, with the plural.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
