package tui

import (
	"cmp"
	"slices"
	"strconv"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/transcript"
)

// completer knows what can follow a command of the chat.
type completer struct {
	env     *env
	current *conversation.Current
	log     *transcript.View
	// known are the sessions that /sessions offers.
	known []conversation.SavedSession
}

// maxOffered is how many messages are offered to be copied.
const maxOffered = 9

// CompleteMessage are the newest messages, by their number from the end.
func (c *completer) CompleteMessage() []conversation.Completion {
	var list []conversation.Completion
	for _, i := range c.log.ListTurns() {
		if len(list) == maxOffered {
			break
		}
		e := &c.log.Entries[i]
		list = append(list, conversation.Completion{Text: strconv.Itoa(len(list) + 1), About: e.Name + ": " + terminal.FirstLine(e.Text), Whole: true})
	}
	return list
}

// CompleteMouse are who may have the mouse.
func (c *completer) CompleteMouse() []conversation.Completion {
	return []conversation.Completion{
		{Text: "on", About: "the wheel scrolls, a click chooses", Whole: true}, {Text: "off", About: "the terminal selects text", Whole: true},
	}
}

// CompleteDirection returns the directions of the present state for the author, if the model
// accepts directions.
func (c *completer) CompleteDirection() []conversation.Completion {
	if !c.env.opts.Directed || !c.current.Author || c.current.Session.Standing.IsFinished() {
		return nil
	}
	var list []conversation.Completion
	for i, v := range c.current.Session.Machine.ListDirections(c.current.Session.Standing) {
		list = append(list, conversation.Completion{Text: strconv.Itoa(i + 1), About: v.Words})
	}
	return list
}

// CompleteSession are the remembered sessions by the words that find them.
func (c *completer) CompleteSession() []conversation.Completion {
	var list []conversation.Completion
	for i := range c.known {
		k := &c.known[i]
		name := terminal.Clean(cmp.Or(k.Label, k.PersonaName))
		known := slices.ContainsFunc(list, func(o conversation.Completion) bool { return o.Text == name })
		if name == "" || known {
			continue
		}
		about := "with " + terminal.Clean(cmp.Or(k.PersonaName, k.Persona)) + " as " + terminal.Clean(k.PlayerName)
		if !k.UsedAt.IsZero() {
			about += ", " + conversation.AgoWords(c.env.opts.Now().Sub(k.UsedAt))
		}
		list = append(list, conversation.Completion{Text: name, About: about, Whole: true})
	}
	return list
}

// recallSessions reads them. A memory that fails offers nothing; the command says why.
func recallSessions(m conversation.Memory) tea.Cmd {
	return func() tea.Msg {
		known, err := m.Sessions()
		if err != nil {
			return nil
		}
		return sessionsKnownMsg{known}
	}
}

// CompletePanel are on and off, as arguments of the command.
func (c *completer) CompletePanel() []conversation.Completion {
	return []conversation.Completion{
		{Text: "on", About: "show it, in the next chats too", Whole: true},
		{Text: "off", About: "hide it, in the next chats too", Whole: true},
	}
}
