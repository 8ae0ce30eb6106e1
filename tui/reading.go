package tui

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// typist is what may be written in at the moment, so that letters are letters.
type typist interface{ IsTyping() bool }

// isTyping tells whether letters are written where the player is now. Without the preset
// vim they always are, where there is anything to write in.
func (r *root) isTyping() bool {
	if r.help != nil {
		return false
	}
	t, ok := r.child.(typist)
	return !ok || t.IsTyping()
}

// moveKey is the key that one of the preset vim stands for where nothing is written.
func (r *root) moveKey(msg tea.KeyMsg) tea.KeyMsg {
	if !r.keys.Vim || r.isTyping() {
		return msg
	}
	moved, ok := r.keys.MoveKey(msg)
	if !ok {
		return msg
	}
	return moved
}

// IsTyping tells whether letters go into the input or into a field of what is over it.
func (c *chat) IsTyping() bool {
	if c.over == nil {
		return !c.reading
	}
	t, ok := c.over.(typist)
	return ok && t.IsTyping()
}

// IsTyping tells whether letters narrow the list.
func (p *personaPicker) IsTyping() bool { return p.menu != nil && p.menu.IsTyping() }

// IsTyping tells whether letters narrow the list, or name a session.
func (s *sessionList) IsTyping() bool { return s.naming != nil || s.list.Menu.IsTyping() }

// beginsReading tells whether Esc, which has nothing to stop, begins to read (the preset
// vim).
func (c *chat) beginsReading() bool {
	idle := c.next == "" && c.retry == nil && c.queued == "" && c.wait == nil
	return c.keys.Vim && !c.reading && idle
}

// readingWords stand above the input while the conversation is read.
const readingWords = "reading: j k g G move, / searches, y copies, i writes"

// readKey takes a key while the conversation is read; false for one that does what it
// always does.
func (c *chat) readKey(msg tea.KeyMsg) (tea.Cmd, bool) {
	if !c.reading {
		return nil, false
	}
	letter := ""
	if msg.Type == tea.KeyRunes && !msg.Alt && !msg.Paste {
		letter = string(msg.Runes)
	}
	atEnding := c.isAtEnding() && c.ending.TakesKey(msg)
	switch {
	case atEnding: // The choices have these keys.
		return nil, false
	case key.Matches(msg, c.keys.Up):
		c.log.ScrollBy(-1)
	case key.Matches(msg, c.keys.Down):
		c.log.ScrollBy(1)
	case letter == "i", letter == "a", key.Matches(msg, c.keys.Send), msg.Paste:
		c.endReading()
		return nil, !msg.Paste
	case letter == "/":
		return c.SearchMessages(""), true
	case letter == "y":
		return c.copier.copyChosen(), true
	case letter == ":":
		c.endReading()
		c.input.SetText("/")
	case letter == "" && msg.Type != tea.KeySpace:
		return nil, false
	}
	return nil, true
}

func (c *chat) endReading() { c.reading, c.news = false, "" }
