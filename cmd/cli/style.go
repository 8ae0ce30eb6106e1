package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/term"
	"github.com/muesli/termenv"
	"github.com/rogpeppe/go-internal/diff"
)

// A Style colours text for a stream, or returns text unchanged if colours are off.
type Style struct {
	Renderer *lipgloss.Renderer
}

// NewStyle returns the style of stderr.
func (s *Streams) NewStyle() Style { return s.StyleFor(s.TTY.Err) }

// StyleFor returns the style of a stream. terminal reports whether the stream is a terminal.
func (s *Streams) StyleFor(terminal bool) Style {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(termenv.Ascii)
	if s.UsesColorOn(terminal) {
		r.SetColorProfile(termenv.ANSI)
	}
	r.SetHasDarkBackground(true)
	return Style{Renderer: r}
}

// UsesColor reports whether stderr is coloured, by the environment and --no-color.
func (s *Streams) UsesColor() bool { return s.UsesColorOn(s.TTY.Err) }

// UsesColorOn is UsesColor for any stream. terminal reports whether the stream is a terminal.
func (s *Streams) UsesColorOn(terminal bool) bool {
	if s.NoColor || s.Env("NO_COLOR") != "" || s.Env("TERM") == "dumb" {
		return false
	}
	if force := s.Env("CLICOLOR_FORCE"); force != "" && force != "0" {
		return true
	}
	return terminal && s.Env("CLICOLOR") != "0"
}

// Error returns text in bold red.
func (s Style) Error(text string) string {
	return s.Renderer.NewStyle().Foreground(lipgloss.Color("1")).Bold(true).Render(text)
}

// Color returns text in a terminal colour. code is a number from 0 to 15.
func (s Style) Color(code, text string) string {
	if p := s.Renderer.ColorProfile(); !strings.ContainsAny(text, "\t\r\n") {
		return p.String(text).Foreground(p.Color(code)).String() // same result as lipgloss, but faster
	}
	return s.Renderer.NewStyle().Foreground(lipgloss.Color(code)).Render(text)
}

func (s Style) Bold(text string) string {
	return s.Renderer.NewStyle().Bold(true).Render(text)
}

func (s Style) Faint(text string) string {
	return s.Renderer.NewStyle().Faint(true).Render(text)
}

// Say writes a line to stderr, unless --quiet is set.
func (s *Streams) Say(format string, args ...any) {
	if !s.Quiet {
		fmt.Fprintf(s.Err, format+"\n", args...)
	}
}

// Warn writes a line to stderr, even with --quiet.
func (s *Streams) Warn(format string, args ...any) {
	fmt.Fprintf(s.Err, format+"\n", args...)
}

// Width returns the width of the terminal on stdout in cells, or 0 if unknown.
func (s *Streams) Width() int {
	width, _ := s.size()
	return width
}

func (s *Streams) size() (width, height int) {
	if s.TTY.Stdout == nil {
		return 0, 0
	}
	width, height, err := term.GetSize(s.TTY.Stdout.Fd())
	if err != nil {
		return 0, 0
	}
	return width, height
}

// UnifiedDiff returns a unified diff, or "" for equal texts. note ("formatted") marks the second
// name.
func UnifiedDiff(name, note, before, after string) string {
	if before == after {
		return ""
	}
	output := string(diff.Diff("before", []byte(before), "after", []byte(after)))
	hunks := strings.SplitN(output, "\n", 4)[3] // after the lines diff, --- and +++
	return fmt.Sprintf("--- %s\n+++ %s (%s)\n%s", name, name, note, hunks)
}
