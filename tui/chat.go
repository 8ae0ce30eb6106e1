package tui

import (
	"fmt"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// chat is the screen of a conversation: transcript, input, side panel, and at an
// ending the card with what comes next. It gives keys and answers to the parts that
// they are for, and lays out what these show.
type chat struct {
	*actions
	completer *completer
	pop       *popup // what can follow a slash
	side      *sidePanel

	width, height int
}

func newChat(e *env, v *visit, sc *scene) *chat {
	d := newDialogue(e, v)
	d.take(sc)
	d.unpack()
	a := &actions{dialogue: d, copier: &copier{e, d.notices, d.log}}
	return &chat{actions: a, completer: &completer{env: e, current: d.current, log: d.log}, pop: &popup{}, side: &sidePanel{current: d.current, st: e.st}}
}

// Update routes; whatever comes, what stands below the transcript is measured
// again.
func (c *chat) Update(msg tea.Msg) tea.Cmd {
	defer c.layOut()
	switch msg := msg.(type) {
	case tea.KeyMsg:
		return c.key(msg)
	case wordsCameMsg:
		return c.heard(msg)
	case replyArrivedMsg:
		return c.replied(msg)
	case failedMsg:
		return c.failed(msg)
	case seenMsg:
		return c.saw(msg)
	case holdTickMsg:
		return c.holdTicked(msg)
	case movedMsg:
		return c.moved(msg)
	case placesArrivedMsg:
		c.placed(msg)
	case placesFailedMsg:
		if msg.asked && msg.session == c.scene.session {
			c.trouble = "the machines could not be read: " + c.desk.explain(msg.err)
		}
	case waitTickMsg:
		return c.tick(msg)
	case sessionsReadMsg:
		return c.sessionsRead(msg)
	case sessionsKnownMsg:
		c.completer.known = msg.known
	case copiedMsg:
		c.copier.copied(msg)
	case editedMsg:
		c.edited(msg)
	case savedMsg:
		c.saved(msg)
	case judgedMsg:
		c.judged(msg)
	case directionAskedMsg:
		return c.directionAsked(msg)
	}
	return nil
}

func (c *chat) key(msg tea.KeyMsg) tea.Cmd {
	c.news = ""
	switch {
	case c.over != nil:
		return c.overlaid(msg)
	case c.pop.takes(msg, c.keys):
		return c.popped(msg)
	case key.Matches(msg, c.keys.PageUp):
		c.log.page(-1)
	case key.Matches(msg, c.keys.PageDown):
		c.log.page(1)
	case key.Matches(msg, c.keys.Top):
		c.log.toTop()
	case key.Matches(msg, c.keys.Bottom):
		c.log.toEnd()
	case key.Matches(msg, c.keys.Cancel):
		return c.cancel()
	case c.ending != nil && c.wait == nil && !c.typing() && c.ending.takes(msg):
		return c.endingKey(msg)
	case key.Matches(msg, c.keys.Send):
		return c.send()
	default:
		if cmd, ok := c.shortcut(msg); ok {
			return cmd
		}
		return c.write(msg)
	}
	return nil
}

func (c *chat) write(msg tea.KeyMsg) tea.Cmd {
	c.trouble = c.input.Update(msg)
	c.touched()
	return nil
}

// pasted takes a paste of keys. Of one that can't be part of the message nothing
// stays; of one with several lines nothing is sent, and the player is told that
// his terminal does not mark pastes.
func (c *chat) pasted(msg pastedMsg) tea.Cmd {
	c.news, c.trouble = "", ""
	if msg.text == "" || c.input.write(msg.text, true) != "" {
		c.input.takeBack(msg.led)
		c.touched()
		c.trouble = tooMuchPasted(msg.characters)
		return nil
	}
	c.touched()
	switch {
	case msg.enter:
		return c.send()
	case msg.lines > 1 && c.trouble == "":
		c.news = fmt.Sprintf("%s lines pasted: Enter sends them", grouped(msg.lines))
	}
	return nil
}
