package views

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/tui/terminal"
)

// Pager shows and scrolls a text over the whole window.
type Pager struct {
	St   *Styles
	Keys KeyMap
	// Title and About are the left and right texts of the first line.
	Title, About string
	// Lines returns the text for a width in cells.
	Lines func(width int) []string
	// Foot returns the last line of the window. first and end bound the visible lines. all is the
	// number of lines.
	Foot func(first, end, all int) string
	// Close contains keys besides Esc and Enter that close the pager.
	Close []key.Binding
	// AtEnd shows the end at first and after a resize.
	AtEnd bool

	top           int
	width, height int
}

// FootMore returns a function for Pager.Foot with a hint about further lines.
func FootMore(closes string) func(first, end, all int) string {
	return func(_, end, all int) string {
		if end < all {
			return "Down shows more, " + closes
		}
		return closes
	}
}

// Update handles a key, and reports whether the pager closes.
func (p *Pager) Update(msg tea.Msg) (tea.Cmd, bool) {
	press, pressed := msg.(tea.KeyMsg)
	keys, page := &p.Keys, max(p.visibleRows()-2, 1)
	switch {
	case !pressed:
	case key.Matches(press, p.Close...), key.Matches(press, keys.Cancel, keys.Send):
		return nil, true
	case key.Matches(press, keys.Up):
		p.ScrollBy(-1)
	case key.Matches(press, keys.Down):
		p.ScrollBy(1)
	case key.Matches(press, keys.PageUp):
		p.ScrollBy(-page)
	case key.Matches(press, keys.PageDown):
		p.ScrollBy(page)
	case key.Matches(press, keys.Top):
		p.ScrollBy(-p.top)
	case key.Matches(press, keys.Bottom):
		p.ScrollBy(len(p.Lines(p.width)))
	}
	return nil, false
}

func (p *Pager) visibleRows() int { return max(p.height-3, 1) }

// ScrollBy scrolls down by a number of lines, or up for a negative number.
func (p *Pager) ScrollBy(step int) {
	p.top = max(min(p.top+step, len(p.Lines(p.width))-p.visibleRows()), 0)
}

// Resize sets the size of the window.
func (p *Pager) Resize(width, height int) {
	showsEnd := p.width == 0 || p.top >= len(p.Lines(p.width))-p.visibleRows()
	keepsEnd := p.AtEnd && showsEnd
	p.width, p.height = width, height
	p.ScrollBy(0)
	if keepsEnd {
		p.ScrollBy(len(p.Lines(p.width)))
	}
}

// DrawLines returns the lines of the window.
func (p *Pager) DrawLines() []string {
	all := p.Lines(p.width)
	shown := append([]string(nil), all[min(p.top, len(all)):]...)
	lines := []string{HeaderLine(p.St, p.Title, p.About, p.width), ""}
	lines = append(lines, terminal.FitLines(shown, p.width, p.visibleRows())...)
	foot := p.Foot(p.top, min(p.top+p.visibleRows(), len(all)), len(all))
	return append(lines, FooterLine(p.St, foot, p.width))
}
