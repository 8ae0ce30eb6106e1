package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/tui/program"
)

type mouseAskedMsg struct{ on bool }

func (c *chat) toggleMouse(arg string) tea.Cmd {
	on := !c.env.opts.Mouse
	switch strings.ToLower(arg) {
	case "":
	case "on":
		on = true
	case "off":
		on = false
	default:
		c.trouble = "the mouse can be on or off: use /mouse on or /mouse off"
		return nil
	}
	return func() tea.Msg { return mouseAskedMsg{on} }
}

const (
	mouseTaken  = "The chat uses the mouse: the wheel scrolls, a click chooses."
	mouseGiven  = "The terminal uses the mouse: select text as usual."
	mouseSelect = "To select text hold Shift (Option on a Mac)"
)

func (r *root) setMouse(on bool) tea.Cmd {
	r.env.opts.Mouse = on
	r.hint = mouseGiven
	if on {
		r.hint = mouseTaken
	}
	if shown := r.env.keys.ShownKey("mouse"); shown != "" {
		r.hint += " " + shown + " changes that."
	}
	if !on {
		return tea.DisableMouse
	}
	return r.enableMouse()
}

// enableMouse enables mouse reports. Other programs on the terminal disable them.
func (r *root) enableMouse() tea.Cmd {
	if !r.env.opts.Mouse {
		return nil
	}
	return tea.EnableMouseCellMotion
}

func (r *root) handleMouse(msg tea.MouseMsg) tea.Cmd {
	switch {
	case !r.env.opts.Mouse || r.tooSmall():
		return nil
	case msg.Button == tea.MouseButtonWheelUp && msg.Action == tea.MouseActionPress:
		return r.turnWheel(-1, tea.KeyUp)
	case msg.Button == tea.MouseButtonWheelDown && msg.Action == tea.MouseActionPress:
		return r.turnWheel(1, tea.KeyDown)
	case msg.Button == tea.MouseButtonLeft && msg.Action == tea.MouseActionMotion:
		if r.toldSelection {
			return nil
		}
		r.toldSelection, r.hint = true, mouseSelect+"."
		if shown := r.env.keys.ShownKey("mouse"); shown != "" {
			r.hint = mouseSelect + ", or press " + shown + " first."
		}
	case msg.Button == tea.MouseButtonLeft && msg.Action == tea.MouseActionPress:
		r.hint = ""
		return r.clickAt(msg.X, msg.Y)
	}
	return nil
}

const wheelLines = 3

func (r *root) turnWheel(direction int, press tea.KeyType) tea.Cmd {
	lines := wheelLines
	if r.showsList() {
		lines = 1
	}
	return r.handleWheel(program.WheelTurnedMsg{Lines: direction * lines, Press: tea.KeyMsg{Type: press}})
}

func (r *root) showsList() bool {
	c, talking := r.child.(*chat)
	switch {
	case r.help != nil:
		return false
	case !talking:
		return true
	case c.overlay == nil:
		return c.completions.isOpen()
	}
	_, reads := c.overlay.(lineClicker)
	return reads
}

type lineClicker interface {
	ClickLine(line int) (cmd tea.Cmd, done bool)
}

func (r *root) clickAt(x, y int) tea.Cmd {
	switch child := r.child.(type) {
	case *personaPicker:
		if r.help == nil && child.menu != nil && child.trouble == "" && child.menu.ClickLine(y-overPicker) {
			return child.submit()
		}
	case *chat:
		if r.help == nil {
			defer child.layOut()
			return child.clickAt(x, y)
		}
	}
	if r.help != nil && y == r.height-1 {
		r.help = nil
	}
	return nil
}

const overPicker = 2

func (s *sessionList) ClickLine(line int) (tea.Cmd, bool) {
	if s.naming != nil || s.forgetting {
		return nil, false
	}
	return s.list.ClickLine(line)
}

func (c *chat) clickAt(x, y int) tea.Cmd {
	c.news = ""
	if c.overlay != nil {
		return c.clickOver(y)
	}
	below := c.belowLines()
	top, first := 1+c.airHeight(), c.height-len(below)
	switch {
	case y < top || x >= c.width-c.sideWidth():
		return nil
	case y < first:
		return c.clickMessage(c.log.EntryAt(y - top))
	}
	return c.clickBelow(x-c.columnMargin(), y-first, below)
}

func (c *chat) clickOver(y int) tea.Cmd {
	if y == c.height-1 {
		return c.updateOverlay(tea.KeyMsg{Type: tea.KeyEsc})
	}
	clicker, lists := c.overlay.(lineClicker)
	if !lists {
		return nil
	}
	current := c.overlay
	cmd, done := clicker.ClickLine(y)
	if done && c.overlay == current {
		c.overlay = nil
	}
	return cmd
}

func (c *chat) clickMessage(entry int) tea.Cmd {
	if entry >= 0 && c.log.Chosen == entry+1 {
		c.log.ChooseEntry(-1)
		return c.copyTurn(entry)
	}
	if c.log.ChooseEntry(entry) {
		c.news = "chosen: a click or " + c.env.keys.Copy.Help().Key + " copies it, " +
			c.messageKeyWords() + ", Esc deselects it"
	}
	return nil
}

const helpCells = 9

func (c *chat) clickBelow(x, line int, below []string) tea.Cmd {
	text := strings.Trim(ansi.Strip(below[line]), " ›>")
	switch {
	case line <= len(c.airAbove()):
		c.log.ScrollToEnd()
	case line == len(below)-1 && x >= c.columnWidth()-helpCells:
		return c.showHelp("")
	case c.state == stateEnded && c.ending.ClickLine(below[line]):
		return c.takeStep(c.ending.ChosenStep())
	case c.completions.chooseText(text):
		return c.handleCompletionKey(tea.KeyMsg{Type: tea.KeyEnter})
	}
	return nil
}

func (p *completions) chooseText(text string) bool {
	for i, row := range p.rows {
		if strings.HasPrefix(text, "/"+row.Name+" ") {
			p.cursor, p.chosen = i, true
			return true
		}
	}
	return false
}
