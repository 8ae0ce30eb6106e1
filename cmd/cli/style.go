package cli

import (
	"fmt"
	"io"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/term"
	"github.com/muesli/termenv"
)

// Style is the little colour that commands use on stderr and in tables.
type Style struct {
	Renderer *lipgloss.Renderer
}

func (a *Streams) NewStyle() Style { return a.StyleFor(a.TTY.Err) }

// StyleFor is the style of a stream that is a terminal or not.
func (a *Streams) StyleFor(terminal bool) Style {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(termenv.Ascii)
	if a.UsesColorOn(terminal) {
		r.SetColorProfile(termenv.ANSI)
	}
	r.SetHasDarkBackground(true)
	return Style{Renderer: r}
}

// UsesColor tells whether talk on stderr is coloured: NO_COLOR, CLICOLOR_FORCE,
// TERM=dumb and --no-color are honoured.
func (a *Streams) UsesColor() bool { return a.UsesColorOn(a.TTY.Err) }

func (a *Streams) UsesColorOn(terminal bool) bool {
	if a.NoColor || a.Env("NO_COLOR") != "" || a.Env("TERM") == "dumb" {
		return false
	}
	force := a.Env("CLICOLOR_FORCE")
	return terminal || force != "" && force != "0"
}

func (s Style) Error(text string) string {
	return s.Renderer.NewStyle().Foreground(lipgloss.Color("1")).Bold(true).Render(text)
}

// Color is one of the terminal's 16 colours.
func (s Style) Color(code, text string) string {
	return s.Renderer.NewStyle().Foreground(lipgloss.Color(code)).Render(text)
}

func (s Style) Bold(text string) string {
	return s.Renderer.NewStyle().Bold(true).Render(text)
}

func (s Style) Faint(text string) string {
	return s.Renderer.NewStyle().Faint(true).Render(text)
}

// Say writes talk to stderr, which --quiet silences.
func (a *Streams) Say(format string, args ...any) {
	if !a.Quiet {
		fmt.Fprintf(a.Err, format+"\n", args...)
	}
}

// Warn writes to stderr what --quiet must not hide: that something failed or is
// not as it was asked for, where that is no error of the whole command.
func (a *Streams) Warn(format string, args ...any) {
	fmt.Fprintf(a.Err, format+"\n", args...)
}

// Width is the width of the terminal behind stdout in cells, 0 when unknown.
func (a *Streams) Width() int {
	if a.TTY.Stdout == nil {
		return 0
	}
	width, _, err := term.GetSize(a.TTY.Stdout.Fd())
	if err != nil {
		return 0
	}
	return width
}
