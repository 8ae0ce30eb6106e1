package cmd

import (
	"cmp"
	"slices"
	"sync"

	"github.com/parley-npc/parley/cmd/config"
	"github.com/parley-npc/parley/tui/conversation"
)

// memory is where the sessions of a player are kept (config.Sessions).
type memory interface {
	Recall(server, persona string) (config.Session, bool, error)
	Remember(server string, session config.Session) error
	List(server string) ([]config.Session, error)
	Rename(server, persona, userSession, label string) error
	Forget(server, persona string) error
	ForgetOne(server, persona, userSession string) error
}

// forgetful is a memory of sessions that lives as long as the process. It is of
// one server.
type forgetful struct {
	mu   sync.Mutex
	list []config.Session // the one that was used last first
}

func newForgetful() *forgetful { return &forgetful{} }

func (f *forgetful) Recall(_, persona string) (config.Session, bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := slices.IndexFunc(f.list, func(s config.Session) bool { return s.PersonaID == persona })
	if i < 0 {
		return config.Session{}, false, nil
	}
	return f.list[i], true, nil
}

func (f *forgetful) Remember(_ string, session config.Session) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	same := func(s config.Session) bool {
		return s.PersonaID == session.PersonaID && s.UserSessionID == session.UserSessionID
	}
	if i := slices.IndexFunc(f.list, same); i >= 0 {
		session.Label = cmp.Or(session.Label, f.list[i].Label)
		session.PersonaName = cmp.Or(session.PersonaName, f.list[i].PersonaName)
	}
	f.list = slices.Insert(slices.DeleteFunc(f.list, same), 0, session)
	return nil
}

func (f *forgetful) List(string) ([]config.Session, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.list), nil
}

func (f *forgetful) Rename(_, persona, userSession, label string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.list {
		if s := &f.list[i]; s.PersonaID == persona && s.UserSessionID == userSession {
			s.Label = label
		}
	}
	return nil
}

func (f *forgetful) Forget(_, persona string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = slices.DeleteFunc(f.list, func(s config.Session) bool { return s.PersonaID == persona })
	return nil
}

func (f *forgetful) ForgetOne(_, persona, userSession string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = slices.DeleteFunc(f.list, func(s config.Session) bool {
		return s.PersonaID == persona && s.UserSessionID == userSession
	})
	return nil
}

// screenMemory is the memory of sessions as the chat calls it.
type screenMemory struct {
	*app
	service *service
}

func (a *app) memoryOf(s *service) conversation.Memory { return screenMemory{a, s} }

// Recall gives what is known about the player with a persona. A memory that
// cannot be read is as none; what is wrong with it is said when it is written.
func (m screenMemory) Recall(persona string) (conversation.SavedSession, bool) {
	s, ok, err := m.service.sessions.Recall(m.service.address, persona)
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
	return m.service.sessions.Remember(m.service.address, config.Session{
		PersonaID: k.Persona, PersonaName: k.PersonaName, UserSessionID: k.UserSessionID, PlayerName: k.PlayerName,
		PlayerGender: k.PlayerGender, MachineID: k.Machine, Label: k.Label, UsedAt: m.now().UTC(),
	})
}

// Sessions lists the player's sessions on the server.
func (m screenMemory) Sessions() ([]conversation.SavedSession, error) {
	list, err := m.service.sessions.List(m.service.address)
	known := make([]conversation.SavedSession, len(list))
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
