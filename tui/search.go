package tui

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/views"
)

func (c *chat) searchMessages(words string) tea.Cmd {
	return c.readStory(func() tea.Cmd {
		foot := "Enter goes there, " + c.env.keys.Copy.Help().Key + " copies, " + c.messageKeyWords() + ", Esc"
		c.openTurns("What was said", foot, words, func(turn int) (tea.Cmd, bool) {
			c.log.ShowEntry(turn)
			return nil, true
		})
		return nil
	})
}

func (c *chat) messageKeyWords() string {
	var words []string
	for _, does := range []struct {
		binding key.Binding
		what    string
	}{{c.env.keys.TakeBack, "takes back"}, {c.env.keys.Reword, "rewords"}, {c.env.keys.Fork, "forks"}} {
		if len(does.binding.Keys()) > 0 {
			words = append(words, does.binding.Help().Key+" "+does.what)
		}
	}
	return strings.Join(words, ", ")
}

func (c *chat) openTurns(title, foot, words string, choose func(entry int) (tea.Cmd, bool)) {
	turns := c.log.ListTurns()
	choices := make([]views.Choice, len(turns))
	for i, at := range turns {
		e := &c.log.Entries[at]
		choices[i] = views.Choice{Title: e.Name + ":", About: terminal.Clean(e.Text), Tag: strconv.Itoa(i + 1)}
	}
	list := views.NewList(c.env.st, c.env.keys, choices, "search")
	list.Dense, list.Excerpt = true, true
	list.BeginSearch()
	list.Search.SetValue(words)
	list.NarrowList()
	c.over = &views.ListOverlay{
		Menu: list, Close: c.env.keys.Search, Title: title, Foot: foot,
		Choose: func(i int) (tea.Cmd, bool) { return choose(turns[i]) },
		Also: func(press tea.KeyMsg, i int) (tea.Cmd, bool, bool) {
			if i < 0 {
				return nil, false, false
			}
			if key.Matches(press, c.env.keys.Copy) {
				return c.copyTurn(turns[i]), true, true
			}
			cmd, took := c.handleMessageKey(press, turns[i])
			return cmd, took, took
		},
	}
}

func (c *chat) copyMessage(number string) tea.Cmd {
	turns := c.log.ListTurns()
	if number == "" {
		c.openTurns("Copy a message", "Enter copies, letters search, Esc goes back", "",
			func(entry int) (tea.Cmd, bool) { return c.copyTurn(entry), true })
		return nil
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > len(turns) {
		c.trouble = fmt.Sprintf("message %q does not exist: write a number from 1 (the newest) to %d",
			terminal.Clean(number), len(turns))
		return nil
	}
	return c.copyTurn(turns[n-1])
}

func (c *chat) copyChosen() tea.Cmd {
	if chosen := c.log.Chosen; chosen > 0 && chosen <= len(c.log.Entries) {
		return c.copyTurn(chosen - 1)
	}
	for _, i := range c.log.ListTurns() {
		if c.log.Entries[i].Kind == views.CharacterTurn {
			return c.copyTurn(i)
		}
	}
	c.trouble = "there are no messages to copy yet"
	return nil
}

func (c *chat) copyTurn(entry int) tea.Cmd {
	e := &c.log.Entries[entry]
	return c.copyText(fmt.Sprintf("what %s said (%d characters)", e.Name, terminal.CountCharacters(e.Text)), e.Text)
}

// copyText copies text to the system clipboard, and to tmux or the terminal. The terminal's
// clipboard (OSC 52) also works over ssh.
func (c *chat) copyText(what, text string) tea.Cmd {
	c.trouble = ""
	return c.runAsync(func(ctx context.Context) func() tea.Cmd {
		news, err := "", errNoTmux
		if c.env.opts.CopyTmux != nil {
			news = "copied to tmux (its prefix and ] paste it) and sent to your terminal: "
			err = c.env.opts.CopyTmux(ctx, text)
		}
		if err != nil {
			news = "sent to your terminal's clipboard, paste to check: "
			err = terminal.CopyThroughTerminal(c.env.opts.Out, text)
			if c.env.opts.Multiplexed {
				news = "sent to tmux; if you cannot paste it, run tmux set -s set-clipboard on: "
			}
		}
		if c.env.opts.Copy != nil && c.env.opts.Copy(ctx, text) == nil {
			news, err = "copied ", nil
		}
		return func() tea.Cmd {
			if err != nil {
				c.trouble = "not copied: " + c.env.requester.ExplainError(err)
				return nil
			}
			c.news = news + what
			return nil
		}
	})
}
