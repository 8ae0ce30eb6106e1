package play

import (
	"time"

	"github.com/parley-npc/parley/cmd/config"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/tui"
)

// screenMemory is the memory of sessions as the chat calls it.
type screenMemory struct {
	remote *service.Service
	now    func() time.Time
}

// Recall gives what is known of the player's session with a persona. A memory that cannot
// be read knows nothing; what is wrong with it is said when it is written.
func (m screenMemory) Recall(persona string) (tui.Known, bool) {
	s, ok, err := m.remote.Sessions.Recall(m.remote.Address, persona)
	known := toKnown(s)
	known.Persona = persona
	return known, ok && err == nil
}

func toKnown(s config.Session) tui.Known {
	return tui.Known{
		Persona: s.PersonaID, PersonaName: s.PersonaName, UserSessionID: s.UserSessionID, PlayerName: s.PlayerName,
		PlayerGender: s.PlayerGender, Machine: s.MachineID, Label: s.Label, UsedAt: s.UsedAt,
	}
}

// Remember keeps the player's place.
func (m screenMemory) Remember(k tui.Known) error {
	return m.remote.Sessions.Remember(m.remote.Address, config.Session{
		PersonaID: k.Persona, PersonaName: k.PersonaName, UserSessionID: k.UserSessionID, PlayerName: k.PlayerName,
		PlayerGender: k.PlayerGender, MachineID: k.Machine, Label: k.Label, UsedAt: m.now().UTC(),
	})
}

// Sessions lists the player's sessions on the server.
func (m screenMemory) Sessions() ([]tui.Known, error) {
	list, err := m.remote.Sessions.List(m.remote.Address)
	known := make([]tui.Known, len(list))
	for i, s := range list {
		known[i] = toKnown(s)
	}
	return known, err
}

// Rename gives a session a label.
func (m screenMemory) Rename(persona, userSession, label string) error {
	return m.remote.Sessions.Rename(m.remote.Address, persona, userSession, label)
}

// Forget drops a session.
func (m screenMemory) Forget(persona, userSession string) error {
	return m.remote.Sessions.ForgetOne(m.remote.Address, persona, userSession)
}
