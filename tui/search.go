package tui

import (
	"fmt"
	"strconv"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// SearchMessages lists what both have said, to be narrowed by words. Enter goes
// there, the key for copying copies.
func (a *actions) SearchMessages(words string) tea.Cmd {
	a.openTurns("What was said", "Enter goes there, "+a.keys.Copy.Help().Key+" copies, letters search, Esc goes back", words, a.goToTurn)
	return nil
}

func (a *actions) goToTurn(turn int) (tea.Cmd, bool) {
	a.log.showEntry(turn)
	return nil, true
}

// openTurns lists the turns; choose is told the entry.
func (a *actions) openTurns(title, foot, words string, choose func(entry int) (tea.Cmd, bool)) {
	turns := a.log.listTurns()
	choices := make([]choice, len(turns))
	for i, at := range turns {
		e := &a.log.entries[at]
		choices[i] = choice{title: e.name + ":", about: Clean(e.text), tag: strconv.Itoa(i + 1)}
	}
	list := newList(a.st, a.keys, choices, "search")
	list.dense, list.excerpt = true, true
	list.search.SetValue(words)
	list.narrowList()
	a.openOverlay(&listOverlay{
		menu: list, close: a.keys.Search, title: title, foot: foot,
		choose: func(i int) (tea.Cmd, bool) { return choose(turns[i]) },
		also: func(press tea.KeyMsg, i int) (tea.Cmd, bool, bool) {
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
	turns := a.log.listTurns()
	if number == "" {
		a.openTurns("Copy a message", "Enter copies, letters search, Esc goes back", "",
			func(entry int) (tea.Cmd, bool) { return a.copier.copyTurn(entry), true })
		return nil
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > len(turns) {
		a.trouble = fmt.Sprintf("there is no message %q to copy: it goes from 1, the newest, to %d", Clean(number), len(turns))
		return nil
	}
	return a.copier.copyTurn(turns[n-1])
}

// copyLast copies the character's last words.
func (c *messageCopier) copyLast() tea.Cmd {
	for _, i := range c.log.listTurns() {
		if c.log.entries[i].kind == characterTurn {
			return c.copyTurn(i)
		}
	}
	c.trouble = "there is nothing to copy yet"
	return nil
}
