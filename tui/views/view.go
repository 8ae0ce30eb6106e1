package views

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/tui/terminal"
)

// Overlay is the side panel over the whole window, for windows too narrow for it beside the
// conversation, and for content that does not fit there.
type Overlay struct {
	Keys          KeyMap
	Panel         *Panel
	top           int
	width, height int
	// lines are what there is to read, made for made.
	lines []string
	made  sideKey
}

// The panel's maximum size: a wider bar shows no more, and nobody reads more lines.
const (
	widestPanel  = 72
	longestPanel = 1000
)

// Update takes keys.
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

// visibleRows is how many lines are read at once, between the title and the foot.
func (o *Overlay) visibleRows() int { return max(o.height-3, 1) }

// pageStep is the number of lines in a page step; two lines stay in sight.
func (o *Overlay) pageStep() int { return max(o.visibleRows()-2, 1) }

// ScrollBy moves by n lines; up is negative.
func (o *Overlay) ScrollBy(by int) {
	o.top = max(min(o.top+by, len(o.currentLines())-o.visibleRows()), 0)
}

// currentLines is what there is to read now.
func (o *Overlay) currentLines() []string {
	width := min(o.width-2, widestPanel)
	if now := o.Panel.sideKey(width, longestPanel); o.lines == nil || now != o.made {
		o.lines, o.made = o.Panel.panelSections(width, longestPanel), now
	}
	return o.lines
}

// Resize lays it out for a window.
func (o *Overlay) Resize(width, height int) {
	o.width, o.height = width, height
	o.ScrollBy(0)
}

// DrawLines are the window's lines.
func (o *Overlay) DrawLines() []string {
	all := o.currentLines()
	shown := append([]string(nil), all[min(o.top, len(all)):]...)
	foot := "Esc goes back"
	if len(shown) > o.visibleRows() {
		foot = "Down reads on, Esc goes back"
	}
	lines := []string{HeaderLine(o.Panel.St, "Where you stand", o.Panel.User.Persona.CharacterName(), o.width), ""}
	for _, line := range terminal.FitLines(shown, o.width-1, o.visibleRows()) {
		lines = append(lines, " "+line)
	}
	return append(lines, FooterLine(o.Panel.St, foot, o.width))
}

// ApplyStyles forgets what was drawn in other colours.
func (o *Overlay) ApplyStyles() { o.lines = nil }
