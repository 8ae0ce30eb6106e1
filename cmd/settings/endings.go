package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/parley-npc/parley/personas/atomicfile"
)

// FoundEndings holds the endings that a player has found with a persona. All is the number of the
// persona's endings, or 0 if unknown.
type FoundEndings struct {
	Keys    []string  `json:"found"`
	All     int       `json:"all,omitempty"`
	FoundAt time.Time `json:"found_at"`
}

// Limits on the stored endings. The persona without new endings for the longest time is removed
// first.
const (
	MaxEndings         = 200   // per persona
	MaxEndingPersonas  = 1_000 // on all servers together
	maxEndingsFileSize = 8 << 20
)

// Endings stores found endings by server and persona. Several processes may use the store.
type Endings struct{ path string }

// OpenEndings returns the store in a directory, which is created when first needed.
func OpenEndings(dir string) *Endings { return &Endings{path: filepath.Join(dir, "endings.json")} }

type endingsFile map[string]map[string]FoundEndings

// Recall returns the endings found with a persona on a server. An unreadable file is an error, and
// a damaged file is empty.
func (e *Endings) Recall(server, persona string) (FoundEndings, error) {
	all, err := e.readFile()
	return all[server][persona], err
}

// Add adds found endings under a lock. It renames a damaged file and starts a new one.
func (e *Endings) Add(server, persona string, found FoundEndings) error {
	if err := os.MkdirAll(filepath.Dir(e.path), 0o700); err != nil {
		return fmt.Errorf("stored endings: %w", err)
	}
	unlock, err := lockFile(e.path + ".lock")
	if err != nil {
		return fmt.Errorf("stored endings: %w", err)
	}
	defer unlock()
	all, err := e.readFile()
	if err != nil {
		return err
	}
	if all[server] == nil {
		all[server] = map[string]FoundEndings{}
	}
	all[server][persona] = all[server][persona].withEndings(found)
	all.dropOldest()
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("stored endings: %w", err)
	}
	return atomicfile.Write(e.path, append(text, '\n'), 0o600)
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

func (all endingsFile) dropOldest() {
	n := 0
	for _, known := range all {
		n += len(known)
	}
	for ; n > MaxEndingPersonas; n-- {
		server, persona := all.findOldest()
		if delete(all[server], persona); len(all[server]) == 0 {
			delete(all, server)
		}
	}
}

func (all endingsFile) findOldest() (server, persona string) {
	var oldest time.Time
	for s, known := range all {
		for p, found := range known {
			if server == "" && persona == "" || found.FoundAt.Before(oldest) {
				server, persona, oldest = s, p, found.FoundAt
			}
		}
	}
	return server, persona
}

// readFile renames an invalid file to FILE.damaged, because a chat must start without the endings.
func (e *Endings) readFile() (endingsFile, error) {
	all := endingsFile{}
	text, err := atomicfile.Read(e.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return all, nil
	case err != nil:
		return all, fmt.Errorf("stored endings: %w", err)
	}
	if damaged := len(text) > maxEndingsFileSize || json.Unmarshal(text, &all) != nil || all == nil; damaged {
		_ = os.Rename(e.path, e.path+".damaged") // If renaming fails, the file is overwritten.
		return endingsFile{}, nil
	}
	return all, nil
}
