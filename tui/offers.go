package tui

import (
	"cmp"
	"slices"
	"strconv"

	tea "github.com/charmbracelet/bubbletea"
)

// completer knows what can follow a command of the chat.
type completer struct {
	*env
	*current
	log *transcript
	// known are the sessions that /sessions offers.
	known []SavedSession
}

// maxOffered is how many messages are offered to be copied.
const maxOffered = 9

// CompleteMessage are the newest messages, by their number from the end.
func (c *completer) CompleteMessage() []Completion {
	var list []Completion
	for _, i := range c.log.listTurns() {
		if len(list) == maxOffered {
			break
		}
		e := &c.log.entries[i]
		list = append(list, Completion{Text: strconv.Itoa(len(list) + 1), About: e.name + ": " + firstLine(e.text), Whole: true})
	}
	return list
}

// CompleteDirection are what words can do in the present state, where it is known that
// directions are taken.
func (c *completer) CompleteDirection() []Completion {
	if !c.opts.Directed || c.session.standing.isFinished() {
		return nil
	}
	var list []Completion
	for i, v := range c.session.machine.listDirections(c.session.standing) {
		list = append(list, Completion{Text: strconv.Itoa(i + 1), About: v.words})
	}
	return list
}

// CompleteSession are the remembered sessions by the words that find them.
func (c *completer) CompleteSession() []Completion {
	var list []Completion
	for i := range c.known {
		k := &c.known[i]
		name := Clean(cmp.Or(k.Label, k.PersonaName))
		known := slices.ContainsFunc(list, func(o Completion) bool { return o.Text == name })
		if name == "" || known {
			continue
		}
		about := "with " + Clean(cmp.Or(k.PersonaName, k.Persona)) + " as " + Clean(k.PlayerName)
		if !k.UsedAt.IsZero() {
			about += ", " + agoWords(c.opts.Now().Sub(k.UsedAt))
		}
		list = append(list, Completion{Text: name, About: about, Whole: true})
	}
	return list
}

// sessionsKnownMsg: what the memory holds, to be offered behind /sessions.
type sessionsKnownMsg struct{ known []SavedSession }

// recallSessions reads them. A memory that fails offers nothing; the command says why.
func recallSessions(m Memory) tea.Cmd {
	return func() tea.Msg {
		known, err := m.Sessions()
		if err != nil {
			return nil
		}
		return sessionsKnownMsg{known}
	}
}
