package settings

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// A Session is a record of a session with a persona. UserSessionID may be a secret.
type Session struct {
	PersonaID     string    `json:"persona_id"`
	PersonaName   string    `json:"persona_name,omitempty"`
	UserSessionID string    `json:"user_session_id"`
	PlayerName    string    `json:"player_name"`
	PlayerGender  string    `json:"player_gender"`
	MachineID     string    `json:"machine_id,omitempty"`
	Label         string    `json:"label,omitempty"`
	Place         string    `json:"place,omitempty"`
	LastWords     string    `json:"last_words,omitempty"`
	Outcome       string    `json:"outcome,omitempty"`
	Draft         string    `json:"draft,omitempty"`
	UnderWay      string    `json:"under_way,omitempty"`
	UsedAt        time.Time `json:"used_at"`
}

// MaxEarlier is the maximum number of stored sessions with a persona, without the current session.
const MaxEarlier = 100

// Sessions stores sessions by server and persona, in a file or in memory.
type Sessions struct {
	file jsonFile[map[string]personaSessions]
}

// OpenSessions returns the store in a directory. The first change creates the directory.
func OpenSessions(dir string) *Sessions {
	path := filepath.Join(dir, "sessions.json")
	return &Sessions{file: jsonFile[map[string]personaSessions]{
		path: path, name: "stored sessions", patience: lockTimeout,
		damaged: func(cause error) error {
			if cause == nil {
				return nil
			}
			return fmt.Errorf(
				"the file of stored sessions %s is damaged (rename it to start with an empty one): %w", path, cause)
		},
	}}
}

// NewMemorySessions returns a store in memory.
func NewMemorySessions() *Sessions {
	return &Sessions{file: jsonFile[map[string]personaSessions]{memory: map[string]map[string]personaSessions{}}}
}

// personaSessions embeds the current session. Earlier has the most recent session first.
type personaSessions struct {
	Session
	Earlier []Session `json:"earlier,omitempty"`
}

// Recall returns the current session with a persona, and whether the session exists.
func (s *Sessions) Recall(server, persona string) (current Session, ok bool, err error) {
	err = s.file.view(func(all map[string]map[string]personaSessions) {
		var known personaSessions
		known, ok = all[server][persona]
		current = known.Session
	})
	return current, ok, err
}

// List returns all sessions on a server, most recently used first.
func (s *Sessions) List(server string) ([]Session, error) {
	var list []Session
	err := s.file.view(func(all map[string]map[string]personaSessions) {
		for _, k := range all[server] {
			list = append(list, k.allSessions()...)
		}
	})
	slices.SortFunc(list, func(a, b Session) int {
		byID := cmp.Or(cmp.Compare(a.PersonaID, b.PersonaID), cmp.Compare(a.UserSessionID, b.UserSessionID))
		return cmp.Or(b.UsedAt.Compare(a.UsedAt), byID)
	})
	return list, err
}

// Remember makes a session current. Stored values replace an empty label or persona name.
func (s *Sessions) Remember(server string, session Session) error {
	return s.change(server, session.PersonaID, func(known personaSessions) personaSessions {
		return known.withCurrent(session)
	})
}

// Add stores a session with a persona. The current session stays current.
func (s *Sessions) Add(server string, session Session) error {
	return s.change(server, session.PersonaID, func(known personaSessions) personaSessions {
		if known.PersonaID == "" {
			return personaSessions{Session: session}
		}
		return known.withCurrent(session).withCurrent(known.Session)
	})
}

// Rename sets the label of a session. An unknown session is ignored.
func (s *Sessions) Rename(server, persona, userSession, label string) error {
	return s.change(server, persona, func(known personaSessions) personaSessions {
		list := known.allSessions()
		for i := range list {
			if list[i].UserSessionID == userSession {
				list[i].Label = label
			}
		}
		return newPersonaSessions(list)
	})
}

// Forget removes all sessions with a persona.
func (s *Sessions) Forget(server, persona string) error {
	return s.change(server, persona, func(personaSessions) personaSessions { return personaSessions{} })
}

// ForgetOne removes one session. The most recent other session may become current.
func (s *Sessions) ForgetOne(server, persona, userSession string) error {
	return s.change(server, persona, func(known personaSessions) personaSessions {
		list := slices.DeleteFunc(known.allSessions(), func(k Session) bool { return k.UserSessionID == userSession })
		return newPersonaSessions(list)
	})
}

func (s *Sessions) change(server, persona string, edit func(personaSessions) personaSessions) error {
	return s.file.change(func(all map[string]map[string]personaSessions) {
		changed := edit(all[server][persona])
		if changed.PersonaID == "" {
			delete(all[server], persona)
			return
		}
		if all[server] == nil {
			all[server] = map[string]personaSessions{}
		}
		all[server][persona] = changed
	})
}

func newPersonaSessions(list []Session) personaSessions {
	if len(list) == 0 {
		return personaSessions{}
	}
	return personaSessions{list[0], list[1:]}
}

func (k personaSessions) withCurrent(session Session) personaSessions {
	var others []Session
	for _, known := range k.allSessions() {
		if known.UserSessionID != session.UserSessionID {
			others = append(others, known)
			continue
		}
		session.Label = cmp.Or(session.Label, known.Label)
		session.PersonaName = cmp.Or(session.PersonaName, known.PersonaName)
	}
	return personaSessions{session, others[:min(len(others), MaxEarlier)]}
}

func (k personaSessions) allSessions() []Session {
	if k.PersonaID == "" {
		return nil
	}
	return append([]Session{k.Session}, k.Earlier...)
}

// FoundEndings holds the endings found with a persona. All is the total, or 0 if unknown.
type FoundEndings struct {
	Keys    []string  `json:"found"`
	All     int       `json:"all,omitempty"`
	FoundAt time.Time `json:"found_at"`
}

// MaxEndings and MaxEndingPersonas limit the stored endings. The oldest are removed first.
const (
	MaxEndings         = 200   // per persona
	MaxEndingPersonas  = 1_000 // of all servers
	maxEndingsFileSize = 8 << 20
)

// Endings stores found endings by server and persona. Several processes may use the store.
type Endings struct {
	file jsonFile[map[string]FoundEndings]
}

// OpenEndings returns the store in a directory. A damaged file is renamed and ignored.
func OpenEndings(dir string) *Endings {
	path := filepath.Join(dir, "endings.json")
	return &Endings{file: jsonFile[map[string]FoundEndings]{
		path: path, name: "stored endings", patience: lockTimeout, maxSize: maxEndingsFileSize,
		damaged: func(error) error {
			_ = os.Rename(path, path+".damaged")
			return nil
		},
	}}
}

// Recall returns the endings found with a persona. An unreadable file is an error.
func (e *Endings) Recall(server, persona string) (found FoundEndings, err error) {
	err = e.file.view(func(all map[string]map[string]FoundEndings) { found = all[server][persona] })
	return found, err
}

// Add adds found endings under a lock.
func (e *Endings) Add(server, persona string, found FoundEndings) error {
	return e.file.change(func(all map[string]map[string]FoundEndings) {
		if all[server] == nil {
			all[server] = map[string]FoundEndings{}
		}
		all[server][persona] = all[server][persona].withEndings(found)
		dropOldest(all)
	})
}

func (f FoundEndings) withEndings(more FoundEndings) FoundEndings {
	keys := slices.Clone(f.Keys)
	for _, key := range more.Keys {
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	more.Keys = keys[max(len(keys)-MaxEndings, 0):]
	return more
}

func dropOldest(all map[string]map[string]FoundEndings) {
	n := 0
	for _, known := range all {
		n += len(known)
	}
	for ; n > MaxEndingPersonas; n-- {
		server, persona := findOldest(all)
		delete(all[server], persona)
		if len(all[server]) == 0 {
			delete(all, server)
		}
	}
}

func findOldest(all map[string]map[string]FoundEndings) (server, persona string) {
	var oldest time.Time
	for address, known := range all {
		for id, found := range known {
			if server == "" && persona == "" || found.FoundAt.Before(oldest) {
				server, persona, oldest = address, id, found.FoundAt
			}
		}
	}
	return server, persona
}
