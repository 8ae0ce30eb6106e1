package tui

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// panelView is the side panel over the whole window, for windows that have no room
// for it beside the conversation, and for all of it where it has more to say than
// fits there.
type panelView struct {
	keys          keyMap
	panel         *sidePanel
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
func (p *panelView) Update(msg tea.Msg) (tea.Cmd, bool) {
	press, pressed := msg.(tea.KeyMsg)
	if !pressed {
		return nil, false
	}
	k := &p.keys
	switch {
	case key.Matches(press, k.Cancel, k.Send, k.Standing):
		return nil, true
	case key.Matches(press, k.Up):
		p.scrollBy(-1)
	case key.Matches(press, k.Down):
		p.scrollBy(1)
	case key.Matches(press, k.PageUp):
		p.scrollBy(-p.pageStep())
	case key.Matches(press, k.PageDown):
		p.scrollBy(p.pageStep())
	}
	return nil, false
}

// visibleRows is how many lines are read at once, between the title and the foot.
func (p *panelView) visibleRows() int { return max(p.height-3, 1) }

// pageStep is how far a page goes; two lines stay in sight.
func (p *panelView) pageStep() int { return max(p.visibleRows()-2, 1) }

func (p *panelView) scrollBy(by int) {
	p.top = max(min(p.top+by, len(p.currentLines())-p.visibleRows()), 0)
}

// currentLines is what there is to read now.
func (p *panelView) currentLines() []string {
	width := min(p.width-2, widestPanel)
	if now := p.panel.sideKey(width, longestPanel); p.lines == nil || now != p.made {
		p.lines, p.made = p.panel.panelSections(width, longestPanel), now
	}
	return p.lines
}

func (p *panelView) resize(width, height int) {
	p.width, p.height = width, height
	p.scrollBy(0)
}

func (p *panelView) drawLines() []string {
	all := p.currentLines()
	shown := append([]string(nil), all[min(p.top, len(all)):]...)
	foot := "Esc goes back"
	if len(shown) > p.visibleRows() {
		foot = "Down reads on, Esc goes back"
	}
	lines := []string{headerLine(p.panel.st, "Where you stand", p.panel.user.persona.characterName(), p.width), ""}
	for _, line := range fitLines(shown, p.width-1, p.visibleRows()) {
		lines = append(lines, " "+line)
	}
	return append(lines, footerLine(p.panel.st, foot, p.width))
}

// applyStyles forgets what was drawn in other colours.
func (p *panelView) applyStyles() { p.lines = nil }
