package chat

import (
	"time"

	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/tui/conversation"
)

type screenMemory struct {
	remote *service.Service
	now    func() time.Time
}

// Recall returns the stored session with a persona, or false after an error.
func (m screenMemory) Recall(persona string) (conversation.SavedSession, bool) {
	s, ok, err := m.remote.Sessions.Recall(m.remote.Address, persona)
	known := toSavedSession(s)
	known.Persona = persona
	return known, ok && err == nil
}

func toSavedSession(s settings.Session) conversation.SavedSession {
	return conversation.SavedSession{
		Persona: s.PersonaID, PersonaName: s.PersonaName, UserSessionID: s.UserSessionID, PlayerName: s.PlayerName,
		PlayerGender: s.PlayerGender, Machine: s.MachineID, Label: s.Label, UsedAt: s.UsedAt,
		Place: s.Place, LastWords: s.LastWords, Outcome: s.Outcome, Draft: s.Draft, UnderWay: s.UnderWay,
	}
}

func (m screenMemory) Remember(session conversation.SavedSession) error {
	return m.remote.Sessions.Remember(m.remote.Address, settings.Session{
		PersonaID: session.Persona, PersonaName: session.PersonaName, UserSessionID: session.UserSessionID,
		PlayerName: session.PlayerName, PlayerGender: session.PlayerGender, MachineID: session.Machine,
		Label: session.Label, UsedAt: m.now().UTC(), Place: session.Place, LastWords: session.LastWords,
		Outcome: session.Outcome, Draft: session.Draft, UnderWay: session.UnderWay,
	})
}

func (m screenMemory) Sessions() ([]conversation.SavedSession, error) {
	list, err := m.remote.Sessions.List(m.remote.Address)
	known := make([]conversation.SavedSession, len(list))
	for i, s := range list {
		known[i] = toSavedSession(s)
	}
	return known, err
}

func (m screenMemory) Rename(persona, userSession, label string) error {
	return m.remote.Sessions.Rename(m.remote.Address, persona, userSession, label)
}

func (m screenMemory) Forget(persona, userSession string) error {
	return m.remote.Sessions.ForgetOne(m.remote.Address, persona, userSession)
}

func (o *chatOptions) endingMemory(p *place) conversation.EndingMemory {
	dir := p.keptIn
	if dir == "" && !p.service.ThrowAway {
		dir, _ = o.Dirs().State() // "" on failure
	}
	if dir == "" {
		return nil
	}
	return &screenEndings{found: settings.OpenEndings(dir), place: p.service.Address, now: o.Now}
}

type screenEndings struct {
	found *settings.Endings
	place string
	now   func() time.Time
}

func (m *screenEndings) RecallEndings(persona string) conversation.FoundEndings {
	found, err := m.found.Recall(m.place, persona)
	if err != nil {
		return conversation.FoundEndings{}
	}
	return conversation.FoundEndings{Keys: found.Keys, All: found.All}
}

func (m *screenEndings) KeepEndings(persona string, found conversation.FoundEndings) error {
	return m.found.Add(m.place, persona, settings.FoundEndings{Keys: found.Keys, All: found.All, FoundAt: m.now().UTC()})
}
