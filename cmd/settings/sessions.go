package settings

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"github.com/parley-npc/parley/personas/atomicfile"
)

// A Session is this machine's record of a player's session with a persona. UserSessionID is the
// player's secret for sessions without a token.
type Session struct {
	PersonaID     string    `json:"persona_id"`
	PersonaName   string    `json:"persona_name,omitempty"`
	UserSessionID string    `json:"user_session_id"`
	PlayerName    string    `json:"player_name"`
	PlayerGender  string    `json:"player_gender"`
	MachineID     string    `json:"machine_id,omitempty"`
	Label         string    `json:"label,omitempty"`
	Place         string    `json:"place,omitempty"`      // where the session is, as text for the player
	LastWords     string    `json:"last_words,omitempty"` // the beginning of the last message
	Outcome       string    `json:"outcome,omitempty"`    // how the story ended, or "" if it has not ended
	Draft         string    `json:"draft,omitempty"`      // the player's unfinished message
	UnderWay      string    `json:"under_way,omitempty"`  // a turn whose reply was not received
	UsedAt        time.Time `json:"used_at"`
}

// MaxEarlier is how many sessions of a persona are stored besides the current one.
const MaxEarlier = 100

// Sessions stores sessions by server and persona. Several processes may use the store.
type Sessions struct{ path string }

// OpenSessions returns the store in a directory, which is created when first needed.
func OpenSessions(dir string) *Sessions {
	return &Sessions{path: filepath.Join(dir, "sessions.json")}
}

type sessionsFile map[string]map[string]personaSessions

// personaSessions has the current session with a persona, and the earlier ones, most recent first.
type personaSessions struct {
	Session
	Earlier []Session `json:"earlier,omitempty"`
}

// Recall returns the current session with a persona on a server, and whether there is one.
func (s *Sessions) Recall(server, persona string) (Session, bool, error) {
	all, err := s.readFile()
	if err != nil {
		return Session{}, false, err
	}
	k, ok := all[server][persona]
	return k.Session, ok, nil
}

// Remember stores a session as the current one with its persona. An empty label or persona name
// does not change the stored one.
func (s *Sessions) Remember(server string, session Session) error {
	return s.changeFile(func(all sessionsFile) {
		if all[server] == nil {
			all[server] = make(map[string]personaSessions)
		}
		all[server][session.PersonaID] = all[server][session.PersonaID].withPresent(session)
	})
}

// Add stores a session with a persona. The current session stays current.
func (s *Sessions) Add(server string, session Session) error {
	return s.changeFile(func(all sessionsFile) {
		if all[server] == nil {
			all[server] = make(map[string]personaSessions)
		}
		present := all[server][session.PersonaID]
		if present.PersonaID == "" {
			all[server][session.PersonaID] = personaSessions{Session: session}
			return
		}
		all[server][session.PersonaID] = present.withPresent(session).withPresent(present.Session)
	})
}

func (k personaSessions) withPresent(session Session) personaSessions {
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

// List returns all sessions on a server, most recently used first.
func (s *Sessions) List(server string) ([]Session, error) {
	all, err := s.readFile()
	if err != nil {
		return nil, err
	}
	var list []Session
	for _, k := range all[server] {
		list = append(list, k.allSessions()...)
	}
	slices.SortFunc(list, func(a, b Session) int {
		return cmp.Or(b.UsedAt.Compare(a.UsedAt), cmp.Compare(a.PersonaID, b.PersonaID), cmp.Compare(a.UserSessionID, b.UserSessionID))
	})
	return list, nil
}

// Rename sets the label of a session, or removes it for "". An unknown session is no error.
func (s *Sessions) Rename(server, persona, userSession, label string) error {
	return s.editList(server, persona, func(list []Session) []Session {
		for i := range list {
			if list[i].UserSessionID == userSession {
				list[i].Label = label
			}
		}
		return list
	})
}

// Forget removes all sessions with a persona.
func (s *Sessions) Forget(server, persona string) error {
	return s.changeFile(func(all sessionsFile) { delete(all[server], persona) })
}

// ForgetOne removes one session. After the current one, the most recent session becomes current.
func (s *Sessions) ForgetOne(server, persona, userSession string) error {
	return s.editList(server, persona, func(list []Session) []Session {
		return slices.DeleteFunc(list, func(known Session) bool { return known.UserSessionID == userSession })
	})
}

func (s *Sessions) editList(server, persona string, change func([]Session) []Session) error {
	return s.changeFile(func(all sessionsFile) {
		list := change(all[server][persona].allSessions())
		if len(list) == 0 {
			delete(all[server], persona)
			return
		}
		all[server][persona] = personaSessions{list[0], list[1:]}
	})
}

func (s *Sessions) readFile() (sessionsFile, error) {
	all := sessionsFile{}
	text, err := atomicfile.Read(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return nil, fmt.Errorf("stored sessions: %w", err)
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("the file of stored sessions %s is damaged (rename it to start with an empty one): %w", s.path, err)
	}
	return all, nil
}

func (s *Sessions) changeFile(edit func(sessionsFile)) error {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return fmt.Errorf("stored sessions: %w", err)
	}
	unlock, err := lockFile(s.path + ".lock")
	if err != nil {
		return fmt.Errorf("stored sessions: %w", err)
	}
	defer unlock()
	all, err := s.readFile()
	if err != nil {
		return err
	}
	edit(all)
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("stored sessions: %w", err)
	}
	return atomicfile.Write(s.path, append(text, '\n'), 0o600)
}

const lockPatience = 3 * time.Second

func lockFile(path string) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(context.Background(), lockPatience)
	defer cancel()
	return Lock(ctx, path)
}

// Lock acquires an exclusive lock on a file, which it creates if necessary. It waits until ctx is
// cancelled.
func Lock(ctx context.Context, path string) (unlock func(), err error) {
	if err := atomicfile.CheckNew(path); err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	l := flock.New(path, flock.SetPermissions(0o600))
	if _, err := l.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return func() { _ = l.Unlock() }, nil
}
