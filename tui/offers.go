package tui

import (
	"cmp"
	"slices"
	"strconv"

	tea "github.com/charmbracelet/bubbletea"
)

// maxOffered is how many messages are offered to be copied.
const maxOffered = 9

// copyOffers are the newest messages, by their number from the end.
func copyOffers(c *chat) []offer {
	var list []offer
	for _, i := range c.log.turns() {
		if len(list) == maxOffered {
			break
		}
		e := &c.log.entries[i]
		list = append(list, offer{text: strconv.Itoa(len(list) + 1), about: e.name + ": " + firstLine(e.text), ends: true})
	}
	return list
}

// directOffers are what words can do in the present state, where it is known that
// directions are taken.
func directOffers(c *chat) []offer {
	if !c.opts.Directed || c.scene.at.finished() {
		return nil
	}
	var list []offer
	for i, v := range c.scene.machine.verdicts(c.scene.at) {
		list = append(list, offer{text: strconv.Itoa(i + 1), about: v.words})
	}
	return list
}

// sessionOffers are the remembered sessions by the words that find them.
func sessionOffers(c *chat) []offer {
	var list []offer
	for i := range c.known {
		k := &c.known[i]
		name := Clean(cmp.Or(k.Label, k.PersonaName))
		known := slices.ContainsFunc(list, func(o offer) bool { return o.text == name })
		if name == "" || known {
			continue
		}
		about := "with " + Clean(cmp.Or(k.PersonaName, k.Persona)) + " as " + Clean(k.PlayerName)
		if !k.UsedAt.IsZero() {
			about += ", " + ago(c.opts.Now().Sub(k.UsedAt))
		}
		list = append(list, offer{text: name, about: about, ends: true})
	}
	return list
}

// sessionsKnownMsg: what the memory holds, to be offered behind /sessions.
type sessionsKnownMsg struct{ known []Known }

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
