package tui

import (
	"context"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// obey does a slash command.
func (c *chat) obey(name, arg string) tea.Cmd {
	wanted := command(name)
	switch {
	case wanted == nil || wanted.do == nil:
		return nil
	case wanted.alone && c.wait != nil:
		c.trouble = c.oneMoment()
		return nil
	}
	c.sure = c.sure && wanted.Name == commandReset
	c.trouble = ""
	return wanted.do(c, arg)
}

// shortcut does the command whose key was pressed, if there is one.
func (c *chat) shortcut(msg tea.KeyMsg) (tea.Cmd, bool) {
	for _, known := range Commands() {
		if known.key != nil && key.Matches(msg, known.key(&c.keys)) {
			return c.obey(known.Name, ""), true
		}
	}
	switch {
	case key.Matches(msg, c.keys.Palette):
		c.openPalette()
	case key.Matches(msg, c.keys.Copy):
		return c.copyLast(), true
	case key.Matches(msg, c.keys.Suspend):
		c.trouble = "there is no shell to go back to from here: " + c.keys.Leave.Help().Key + " leaves, your place is kept"
	default:
		return nil, false
	}
	return nil, true
}

func (c *chat) helpCommand(string) tea.Cmd { return func() tea.Msg { return helpAskedMsg{} } }

func (c *chat) quitCommand(string) tea.Cmd { return func() tea.Msg { return leaveAskedMsg{} } }

func (c *chat) personasCommand(string) tea.Cmd { return c.leave() }

func (c *chat) progressCommand(string) tea.Cmd { return c.askPlaces(true, false) }

func (c *chat) historyCommand(string) tea.Cmd {
	c.log.toTop()
	return nil
}

// resetCommand has to be said twice.
func (c *chat) resetCommand(string) tea.Cmd {
	if !c.sure {
		c.sure = true
		c.tellPlayer(resetWarning(c.scene.machine))
		return nil
	}
	v, m := c.visit, c.scene.machine
	return c.ask("clearing "+m.title, func(ctx context.Context, t ticket) tea.Msg {
		sc, err := c.desk.reset(ctx, v, m)
		if err != nil {
			return failedMsg{t, "", "not reset", err}
		}
		return movedMsg{t, sc, true}
	})
}

// tellPlayer notes something in the transcript and shows it.
func (c *chat) tellPlayer(text string) {
	c.log.note(text, toneNews)
	c.log.toEnd()
}

func (c *chat) endingKey(msg tea.KeyMsg) tea.Cmd {
	if !key.Matches(msg, c.keys.Send) {
		c.ending.move(msg)
		return nil
	}
	switch next := c.ending.chosen(); next.kind {
	case goOn:
		return c.goTo(next.machine, c.desk.enter)
	case playAgain:
		return c.goTo(c.scene.machine.id, c.desk.begin)
	}
	return c.leave()
}
