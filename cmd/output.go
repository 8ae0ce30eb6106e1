package cmd

import (
	"fmt"
	"io"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/term"
	"github.com/muesli/termenv"
)

// style is the little colour that commands use on stderr and in tables.
type style struct {
	renderer *lipgloss.Renderer
}

func (a *Streams) NewStyle() style { return a.styleFor(a.tty.err) }

// styleFor is the style of a stream that is a terminal or not.
func (a *Streams) styleFor(terminal bool) style {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(termenv.Ascii)
	if a.UsesColorOn(terminal) {
		r.SetColorProfile(termenv.ANSI)
	}
	r.SetHasDarkBackground(true)
	return style{renderer: r}
}

// UsesColor tells whether talk on stderr is coloured: NO_COLOR, CLICOLOR_FORCE,
// TERM=dumb and --no-color are honoured.
func (a *Streams) UsesColor() bool { return a.UsesColorOn(a.tty.err) }

func (a *Streams) UsesColorOn(terminal bool) bool {
	if a.NoColor || a.Env("NO_COLOR") != "" || a.Env("TERM") == "dumb" {
		return false
	}
	force := a.Env("CLICOLOR_FORCE")
	return terminal || force != "" && force != "0"
}

func (s style) Error(text string) string {
	return s.renderer.NewStyle().Foreground(lipgloss.Color("1")).Bold(true).Render(text)
}

// Color is one of the terminal's 16 colours.
func (s style) Color(code, text string) string {
	return s.renderer.NewStyle().Foreground(lipgloss.Color(code)).Render(text)
}

func (s style) bold(text string) string {
	return s.renderer.NewStyle().Bold(true).Render(text)
}

func (s style) faint(text string) string {
	return s.renderer.NewStyle().Faint(true).Render(text)
}

// say writes talk to stderr, which --quiet silences.
func (a *Streams) say(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintf(a.err, format+"\n", args...)
	}
}

// warn writes to stderr what --quiet must not hide: that something failed or is
// not as it was asked for, where that is no error of the whole command.
func (a *Streams) warn(format string, args ...any) {
	fmt.Fprintf(a.err, format+"\n", args...)
}

// width is the width of the terminal behind stdout in cells, 0 when unknown.
func (a *Streams) width() int {
	if a.tty.stdout == nil {
		return 0
	}
	width, _, err := term.GetSize(a.tty.stdout.Fd())
	if err != nil {
		return 0
	}
	return width
}
