package cmd

import (
	"fmt"
	"io"
	"time"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/term"
	"github.com/muesli/termenv"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/tui/terminal"
)

// style is the little colour that commands use on stderr and in tables.
type style struct {
	renderer *lipgloss.Renderer
}

func (a *app) newStyle() style { return a.styleFor(a.tty.err) }

// styleFor is the style of a stream that is a terminal or not.
func (a *app) styleFor(terminal bool) style {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(termenv.Ascii)
	if a.tintFor(terminal) {
		r.SetColorProfile(termenv.ANSI)
	}
	r.SetHasDarkBackground(true)
	return style{renderer: r}
}

// tint tells whether talk on stderr is coloured: NO_COLOR, CLICOLOR_FORCE,
// TERM=dumb and --no-color are honoured.
func (a *app) tint() bool { return a.tintFor(a.tty.err) }

func (a *app) tintFor(terminal bool) bool {
	if a.noTint || a.env("NO_COLOR") != "" || a.env("TERM") == "dumb" {
		return false
	}
	force := a.env("CLICOLOR_FORCE")
	return terminal || force != "" && force != "0"
}

func (s style) bad(text string) string {
	return s.renderer.NewStyle().Foreground(lipgloss.Color("1")).Bold(true).Render(text)
}

// colour is one of the terminal's 16 colours.
func (s style) colour(code, text string) string {
	return s.renderer.NewStyle().Foreground(lipgloss.Color(code)).Render(text)
}

func (s style) bold(text string) string {
	return s.renderer.NewStyle().Bold(true).Render(text)
}

func (s style) faint(text string) string {
	return s.renderer.NewStyle().Faint(true).Render(text)
}

// say writes talk to stderr, which --quiet silences.
func (a *app) say(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintf(a.err, format+"\n", args...)
	}
}

// warn writes to stderr what --quiet must not hide: that something failed or is
// not as it was asked for, where that is no error of the whole command.
func (a *app) warn(format string, args ...any) {
	fmt.Fprintf(a.err, format+"\n", args...)
}

// sayRetry tells a person that a call is tried again and when.
func (a *app) sayRetry(r client.Retry) {
	if a.tty.err && !a.screen {
		a.say("%s", a.style.faint(fmt.Sprintf("%s; trying again in %s", terminal.Clean(r.Reason), r.Wait.Round(100*time.Millisecond))))
	}
}

// width is the width of the terminal behind stdout in cells, 0 when unknown.
func (a *app) width() int {
	if a.tty.stdout == nil {
		return 0
	}
	width, _, err := term.GetSize(a.tty.stdout.Fd())
	if err != nil {
		return 0
	}
	return width
}
