package panel

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/tui/keymap"
	"github.com/parley-npc/parley/tui/styles"
	"github.com/parley-npc/parley/tui/terminal"
)

// Overlay is the side panel over the whole window, for windows that have no room
// for it beside the conversation, and for all of it where it has more to say than
// fits there.
type Overlay struct {
	Keys          keymap.Map
	Panel         *Panel
	top           int
	width, height int
	// lines are what there is to read, made for made.
	lines []string
	made  sideKey
}

// The panel's greatest measures: wider than this a bar says no more, and more
// lines nobody reads.
const (
	widestPanel  = 72
	longestPanel = 1000
)

// Update takes keys.
func (p *Overlay) Update(msg tea.Msg) (tea.Cmd, bool) {
	press, pressed := msg.(tea.KeyMsg)
	if !pressed {
		return nil, false
	}
	k := &p.Keys
	switch {
	case key.Matches(press, k.Cancel, k.Send, k.Standing):
		return nil, true
	case key.Matches(press, k.Up):
		p.ScrollBy(-1)
	case key.Matches(press, k.Down):
		p.ScrollBy(1)
	case key.Matches(press, k.PageUp):
		p.ScrollBy(-p.pageStep())
	case key.Matches(press, k.PageDown):
		p.ScrollBy(p.pageStep())
	}
	return nil, false
}

// visibleRows is how many lines are read at once, between the title and the foot.
func (p *Overlay) visibleRows() int { return max(p.height-3, 1) }

// pageStep is how far a page goes; two lines stay in sight.
func (p *Overlay) pageStep() int { return max(p.visibleRows()-2, 1) }

// ScrollBy moves by n lines; up is negative.
func (p *Overlay) ScrollBy(by int) {
	p.top = max(min(p.top+by, len(p.currentLines())-p.visibleRows()), 0)
}

// currentLines is what there is to read now.
func (p *Overlay) currentLines() []string {
	width := min(p.width-2, widestPanel)
	if now := p.Panel.sideKey(width, longestPanel); p.lines == nil || now != p.made {
		p.lines, p.made = p.Panel.panelSections(width, longestPanel), now
	}
	return p.lines
}

// Resize lays it out for a window.
func (p *Overlay) Resize(width, height int) {
	p.width, p.height = width, height
	p.ScrollBy(0)
}

// DrawLines are the window's lines.
func (p *Overlay) DrawLines() []string {
	all := p.currentLines()
	shown := append([]string(nil), all[min(p.top, len(all)):]...)
	foot := "Esc goes back"
	if len(shown) > p.visibleRows() {
		foot = "Down reads on, Esc goes back"
	}
	lines := []string{styles.HeaderLine(p.Panel.St, "Where you stand", p.Panel.User.Persona.CharacterName(), p.width), ""}
	for _, line := range terminal.FitLines(shown, p.width-1, p.visibleRows()) {
		lines = append(lines, " "+line)
	}
	return append(lines, styles.FooterLine(p.Panel.St, foot, p.width))
}

// ApplyStyles forgets what was drawn in other colours.
func (p *Overlay) ApplyStyles() { p.lines = nil }
