package tui

import (
	"context"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// obey does a slash command.
func (c *chat) obey(name, arg string) tea.Cmd {
	again := c.sure && name == commandReset
	c.sure, c.trouble = false, ""
	switch name {
	case commandHelp:
		return func() tea.Msg { return helpAskedMsg{} }
	case commandMachines:
		return c.machinesCommand(arg)
	case commandProgress:
		return c.askPlaces(true, false)
	case commandHistory:
		c.log.toTop()
	case commandReset:
		return c.reset(again)
	case commandQuit:
		return func() tea.Msg { return leaveAskedMsg{} }
	}
	return nil
}

// reset has to be said twice.
func (c *chat) reset(again bool) tea.Cmd {
	if !again {
		c.sure = true
		c.log.note(resetWarning(c.scene.machine), c.st.note)
		c.log.toEnd()
		return nil
	}
	v, m := c.visit, c.scene.machine
	return c.ask("clearing "+m.title, "", func(ctx context.Context, t ticket) tea.Msg {
		sc, err := c.desk.reset(ctx, v, m)
		if err != nil {
			return failedMsg{t, "", "not reset", err}
		}
		return movedMsg{t, sc, true}
	})
}

func (c *chat) machinesCommand(arg string) tea.Cmd {
	if arg == "" {
		return c.askPlaces(false, true)
	}
	at, err := findPlace(c.progress, arg)
	if err != nil {
		c.trouble = err.Error()
		return nil
	}
	return c.goTo(at.id, c.desk.enter)
}

// showMachines puts the list of machines over the conversation.
func (c *chat) showMachines(places []place) {
	choices := make([]choice, len(places))
	for i, at := range places {
		choices[i] = choice{title: at.title, about: at.about, tag: at.words(), locked: at.status == placeLocked}
		if at.id == c.scene.machine.id {
			choices[i].tag += ", here"
		}
		if choices[i].locked && at.hint != "" {
			choices[i].about = at.hint
		}
	}
	c.listed, c.machines = places, newMenu(c.st, c.keys, choices, "search")
	c.layOut()
}

func (c *chat) machinesKey(msg tea.KeyMsg) tea.Cmd {
	switch {
	case key.Matches(msg, c.keys.Cancel), key.Matches(msg, c.keys.Machines):
		if !c.machines.clear() {
			c.machines = nil
		}
		return nil
	case !key.Matches(msg, c.keys.Send):
		return c.machines.Update(msg)
	}
	i, ok := c.machines.chosen()
	if !ok || c.wait != nil {
		return nil
	}
	if c.listed[i].id == c.scene.machine.id {
		c.machines = nil
		return nil
	}
	return c.goTo(c.listed[i].id, c.desk.enter)
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
