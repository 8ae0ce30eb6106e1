package tui

import (
	"fmt"
	"strconv"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/tui/picker"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/transcript"
)

// SearchMessages lists what both have said, to be narrowed by words. Enter goes
// there, the key for copying copies.
func (a *actions) SearchMessages(words string) tea.Cmd {
	return a.withStory(func() tea.Cmd {
		a.openTurns("What was said", "Enter goes there, "+a.keys.Copy.Help().Key+" copies, letters search, Esc goes back", words, a.goToTurn)
		return nil
	})
}

func (a *actions) goToTurn(turn int) (tea.Cmd, bool) {
	a.log.ShowEntry(turn)
	return nil, true
}

// openTurns lists the turns; choose is told the entry.
func (a *actions) openTurns(title, foot, words string, choose func(entry int) (tea.Cmd, bool)) {
	turns := a.log.ListTurns()
	choices := make([]picker.Choice, len(turns))
	for i, at := range turns {
		e := &a.log.Entries[at]
		choices[i] = picker.Choice{Title: e.Name + ":", About: terminal.Clean(e.Text), Tag: strconv.Itoa(i + 1)}
	}
	list := picker.NewList(a.st, a.keys, choices, "search")
	list.Dense, list.Excerpt = true, true
	list.BeginSearch()
	list.Search.SetValue(words)
	list.NarrowList()
	a.openOverlay(&picker.Overlay{
		Menu: list, Close: a.keys.Search, Title: title, Foot: foot,
		Choose: func(i int) (tea.Cmd, bool) { return choose(turns[i]) },
		Also: func(press tea.KeyMsg, i int) (tea.Cmd, bool, bool) {
			if i < 0 || !key.Matches(press, a.keys.Copy) {
				return nil, false, false
			}
			return a.copier.copyTurn(turns[i]), true, true
		},
	})
}

// CopyMessage copies a message, the first being the newest; without a number it
// lists them to choose one.
func (a *actions) CopyMessage(number string) tea.Cmd {
	turns := a.log.ListTurns()
	if number == "" {
		a.openTurns("Copy a message", "Enter copies, letters search, Esc goes back", "",
			func(entry int) (tea.Cmd, bool) { return a.copier.copyTurn(entry), true })
		return nil
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > len(turns) {
		a.trouble = fmt.Sprintf("there is no message %q to copy: it goes from 1, the newest, to %d", terminal.Clean(number), len(turns))
		return nil
	}
	return a.copier.copyTurn(turns[n-1])
}

// copyChosen copies the message that was clicked on, else the character's last words.
func (c *messageCopier) copyChosen() tea.Cmd {
	if chosen := c.log.Chosen; chosen > 0 && chosen <= len(c.log.Entries) {
		return c.copyTurn(chosen - 1)
	}
	return c.copyLast()
}

// copyLast copies the character's last words.
func (c *messageCopier) copyLast() tea.Cmd {
	for _, i := range c.log.ListTurns() {
		if c.log.Entries[i].Kind == transcript.CharacterTurn {
			return c.copyTurn(i)
		}
	}
	c.trouble = "there is nothing to copy yet"
	return nil
}
