package cmd

import (
	"github.com/parley-npc/parley/cmd/config"
	"github.com/parley-npc/parley/tui"
)

// screenMemory is the memory of sessions as the chat calls it.
type screenMemory struct {
	*Access
	service *service
}

func newScreenMemory(a *Access, s *service) tui.Memory { return screenMemory{a, s} }

// Recall gives what is known about the player with a persona. A memory that
// cannot be read is as none; what is wrong with it is said when it is written.
func (m screenMemory) Recall(persona string) (tui.Known, bool) {
	s, ok, err := m.service.sessions.Recall(m.service.address, persona)
	known := knownOf(s)
	known.Persona = persona
	return known, ok && err == nil
}

func knownOf(s config.Session) tui.Known {
	return tui.Known{
		Persona: s.PersonaID, PersonaName: s.PersonaName, UserSessionID: s.UserSessionID, PlayerName: s.PlayerName,
		PlayerGender: s.PlayerGender, Machine: s.MachineID, Label: s.Label, UsedAt: s.UsedAt,
	}
}

// Remember keeps the player's place.
func (m screenMemory) Remember(k tui.Known) error {
	return m.service.sessions.Remember(m.service.address, config.Session{
		PersonaID: k.Persona, PersonaName: k.PersonaName, UserSessionID: k.UserSessionID, PlayerName: k.PlayerName,
		PlayerGender: k.PlayerGender, MachineID: k.Machine, Label: k.Label, UsedAt: m.now().UTC(),
	})
}

// Sessions lists the player's sessions on the server.
func (m screenMemory) Sessions() ([]tui.Known, error) {
	list, err := m.service.sessions.List(m.service.address)
	known := make([]tui.Known, len(list))
	for i, s := range list {
		known[i] = knownOf(s)
	}
	return known, err
}

// Rename gives a session a label.
func (m screenMemory) Rename(persona, userSession, label string) error {
	return m.service.sessions.Rename(m.service.address, persona, userSession, label)
}

// Forget drops a session.
func (m screenMemory) Forget(persona, userSession string) error {
	return m.service.sessions.ForgetOne(m.service.address, persona, userSession)
}
