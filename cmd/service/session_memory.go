package service

import (
	"cmp"
	"slices"
	"sync"

	"github.com/parley-npc/parley/cmd/settings"
)

// A SessionMemory stores a player's sessions by server and persona. The methods are those of
// settings.Sessions, which stores the sessions on disk.
type SessionMemory interface {
	Recall(server, persona string) (settings.Session, bool, error)
	Remember(server string, session settings.Session) error
	Add(server string, session settings.Session) error
	List(server string) ([]settings.Session, error)
	Rename(server, persona, userSession, label string) error
	Forget(server, persona string) error
	ForgetOne(server, persona, userSession string) error
}

type processMemory struct {
	mu   sync.Mutex
	list []settings.Session // most recently used first
}

// NewProcessMemory returns a SessionMemory for one server that lasts as long as the process.
func NewProcessMemory() SessionMemory { return &processMemory{} }

func (f *processMemory) Recall(_, persona string) (settings.Session, bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := slices.IndexFunc(f.list, func(s settings.Session) bool { return s.PersonaID == persona })
	if i < 0 {
		return settings.Session{}, false, nil
	}
	return f.list[i], true, nil
}

func (f *processMemory) Remember(_ string, session settings.Session) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	same := func(s settings.Session) bool {
		return s.PersonaID == session.PersonaID && s.UserSessionID == session.UserSessionID
	}
	if i := slices.IndexFunc(f.list, same); i >= 0 {
		session.Label = cmp.Or(session.Label, f.list[i].Label)
		session.PersonaName = cmp.Or(session.PersonaName, f.list[i].PersonaName)
	}
	f.list = slices.Insert(slices.DeleteFunc(f.list, same), 0, session)
	return nil
}

func (f *processMemory) Add(_ string, session settings.Session) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = append(f.list, session)
	return nil
}

func (f *processMemory) List(string) ([]settings.Session, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.list), nil
}

func (f *processMemory) Rename(_, persona, userSession, label string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.list {
		if s := &f.list[i]; s.PersonaID == persona && s.UserSessionID == userSession {
			s.Label = label
		}
	}
	return nil
}

func (f *processMemory) Forget(_, persona string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = slices.DeleteFunc(f.list, func(s settings.Session) bool { return s.PersonaID == persona })
	return nil
}

func (f *processMemory) ForgetOne(_, persona, userSession string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = slices.DeleteFunc(f.list, func(s settings.Session) bool {
		return s.PersonaID == persona && s.UserSessionID == userSession
	})
	return nil
}
