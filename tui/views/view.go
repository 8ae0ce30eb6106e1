package views

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/tui/terminal"
)

// Overlay shows the side panel over the whole window, if the window is too narrow for the panel or
// the panel is too low for its content.
type Overlay struct {
	Keys          KeyMap
	Panel         *Panel
	top           int
	width, height int
	// lines is a cache, valid while made is the panel's present sideKey.
	lines []string
	made  sideKey
}

// The maximum width and length of the panel.
const (
	widestPanel  = 72
	longestPanel = 1000
)

// Update handles a key, and reports whether the overlay closes.
func (o *Overlay) Update(msg tea.Msg) (tea.Cmd, bool) {
	press, pressed := msg.(tea.KeyMsg)
	if !pressed {
		return nil, false
	}
	k := &o.Keys
	switch {
	case key.Matches(press, k.Cancel, k.Send, k.Standing):
		return nil, true
	case key.Matches(press, k.Up):
		o.ScrollBy(-1)
	case key.Matches(press, k.Down):
		o.ScrollBy(1)
	case key.Matches(press, k.Top):
		o.ScrollBy(-longestPanel)
	case key.Matches(press, k.Bottom):
		o.ScrollBy(longestPanel)
	case key.Matches(press, k.PageUp):
		o.ScrollBy(-o.pageStep())
	case key.Matches(press, k.PageDown):
		o.ScrollBy(o.pageStep())
	}
	return nil, false
}

func (o *Overlay) visibleRows() int { return max(o.height-3, 1) }

func (o *Overlay) pageStep() int { return max(o.visibleRows()-2, 1) }

// ScrollBy scrolls down by a number of lines, or up if it is negative.
func (o *Overlay) ScrollBy(by int) {
	o.top = max(min(o.top+by, len(o.currentLines())-o.visibleRows()), 0)
}

func (o *Overlay) currentLines() []string {
	width := min(o.width-2, widestPanel)
	if now := o.Panel.sideKey(width, longestPanel); o.lines == nil || now != o.made {
		o.lines, o.made = o.Panel.panelSections(width, longestPanel), now
	}
	return o.lines
}

// Resize sets the size of the window.
func (o *Overlay) Resize(width, height int) {
	o.width, o.height = width, height
	o.ScrollBy(0)
}

// DrawLines returns the lines of the window.
func (o *Overlay) DrawLines() []string {
	all := o.currentLines()
	shown := append([]string(nil), all[min(o.top, len(all)):]...)
	foot := "Esc goes back"
	if len(shown) > o.visibleRows() {
		foot = "Down shows more, Esc goes back"
	}
	lines := []string{HeaderLine(o.Panel.St, "Where you stand", o.Panel.User.Persona.CharacterName(), o.width), ""}
	for _, line := range terminal.FitLines(shown, o.width-1, o.visibleRows()) {
		lines = append(lines, " "+line)
	}
	return append(lines, FooterLine(o.Panel.St, foot, o.width))
}

// ApplyStyles discards the lines that were drawn in other colours.
func (o *Overlay) ApplyStyles() { o.lines = nil }
