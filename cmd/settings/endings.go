package settings

import (
	"os"
	"path/filepath"
	"slices"
	"time"
)

// FoundEndings holds the endings that a player has found with a persona. All is the number of
// endings that the persona has, or 0 if unknown.
type FoundEndings struct {
	Keys    []string  `json:"found"`
	All     int       `json:"all,omitempty"`
	FoundAt time.Time `json:"found_at"`
}

// Limits on the stored endings. If there are too many personas, the persona with the oldest FoundAt
// is removed first.
const (
	MaxEndings         = 200   // per persona
	MaxEndingPersonas  = 1_000 // on all servers together
	maxEndingsFileSize = 8 << 20
)

// Endings stores found endings by server and persona. Several processes may use the store.
type Endings struct {
	file jsonFile[map[string]FoundEndings] // by server address and persona
}

// OpenEndings returns the store in a directory. A damaged file is renamed to endings.json.damaged,
// because a chat must start without the endings.
func OpenEndings(dir string) *Endings {
	path := filepath.Join(dir, "endings.json")
	return &Endings{file: jsonFile[map[string]FoundEndings]{
		path: path, name: "stored endings", patience: lockPatience, maxSize: maxEndingsFileSize,
		damaged: func(error) error {
			_ = os.Rename(path, path+".damaged") // If renaming fails, the file is overwritten.
			return nil
		},
	}}
}

// Recall returns the endings found with a persona on a server. An unreadable file is an error.
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
		if delete(all[server], persona); len(all[server]) == 0 {
			delete(all, server)
		}
	}
}

func findOldest(all map[string]map[string]FoundEndings) (server, persona string) {
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
