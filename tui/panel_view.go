package tui

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// panelView is the side panel over the whole window, for windows that have no room
// for it beside the conversation, and for all of it where it has more to say than
// fits there.
type panelView struct {
	*env
	panel         *sidePanel
	top           int
	width, height int
	// lines are what there is to read, made for made.
	lines []string
	made  sideKey
}

// ShowState opens the panel.
func (a *actions) ShowState(string) tea.Cmd {
	a.open(&panelView{env: a.env, panel: &sidePanel{current: a.current, st: a.st}})
	return nil
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
		p.scroll(-1)
	case key.Matches(press, k.Down):
		p.scroll(1)
	case key.Matches(press, k.PageUp):
		p.scroll(-p.page())
	case key.Matches(press, k.PageDown):
		p.scroll(p.page())
	}
	return nil, false
}

// room is how many lines are read at once, between the title and the foot.
func (p *panelView) room() int { return max(p.height-3, 1) }

// page is how far a page goes; two lines stay in sight.
func (p *panelView) page() int { return max(p.room()-2, 1) }

func (p *panelView) scroll(by int) {
	p.top = max(min(p.top+by, len(p.read())-p.room()), 0)
}

// read is what there is to read now.
func (p *panelView) read() []string {
	width := min(p.width-2, widestPanel)
	if now := p.panel.sideKey(width, longestPanel); p.lines == nil || now != p.made {
		p.lines, p.made = p.panel.panelSections(width, longestPanel), now
	}
	return p.lines
}

func (p *panelView) resize(width, height int) {
	p.width, p.height = width, height
	p.scroll(0)
}

func (p *panelView) view() []string {
	all := p.read()
	shown := append([]string(nil), all[min(p.top, len(all)):]...)
	foot := "Esc goes back"
	if len(shown) > p.room() {
		foot = "Down reads on, Esc goes back"
	}
	lines := []string{header(p.st, "Where you stand", p.panel.visit.cast.characterName(), p.width), ""}
	for _, line := range fit(shown, p.width-1, p.room()) {
		lines = append(lines, " "+line)
	}
	return append(lines, footer(p.st, foot, p.width))
}

// dress forgets what was drawn in other colours.
func (p *panelView) dress() { p.lines = nil }
