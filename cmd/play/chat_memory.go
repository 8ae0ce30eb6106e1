package play

import (
	"github.com/parley-npc/parley/cmd/config"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/tui/conversation"
)

// screenMemory is the memory of sessions as the chat calls it.
type screenMemory struct {
	*service.Access
	service *service.Service
}

func newScreenMemory(a *service.Access, s *service.Service) conversation.Memory {
	return screenMemory{a, s}
}

// Recall gives what is known about the player with a persona. A memory that
// cannot be read is as none; what is wrong with it is said when it is written.
func (m screenMemory) Recall(persona string) (conversation.SavedSession, bool) {
	s, ok, err := m.service.Sessions.Recall(m.service.Address, persona)
	known := knownOf(s)
	known.Persona = persona
	return known, ok && err == nil
}

func knownOf(s config.Session) conversation.SavedSession {
	return conversation.SavedSession{
		Persona: s.PersonaID, PersonaName: s.PersonaName, UserSessionID: s.UserSessionID, PlayerName: s.PlayerName,
		PlayerGender: s.PlayerGender, Machine: s.MachineID, Label: s.Label, UsedAt: s.UsedAt,
	}
}

// Remember keeps the player's place.
func (m screenMemory) Remember(k conversation.SavedSession) error {
	return m.service.Sessions.Remember(m.service.Address, config.Session{
		PersonaID: k.Persona, PersonaName: k.PersonaName, UserSessionID: k.UserSessionID, PlayerName: k.PlayerName,
		PlayerGender: k.PlayerGender, MachineID: k.Machine, Label: k.Label, UsedAt: m.Now().UTC(),
	})
}

// Sessions lists the player's sessions on the server.
func (m screenMemory) Sessions() ([]conversation.SavedSession, error) {
	list, err := m.service.Sessions.List(m.service.Address)
	known := make([]conversation.SavedSession, len(list))
	for i, s := range list {
		known[i] = knownOf(s)
	}
	return known, err
}

// Rename gives a session a label.
func (m screenMemory) Rename(persona, userSession, label string) error {
	return m.service.Sessions.Rename(m.service.Address, persona, userSession, label)
}

// Forget drops a session.
func (m screenMemory) Forget(persona, userSession string) error {
	return m.service.Sessions.ForgetOne(m.service.Address, persona, userSession)
}
