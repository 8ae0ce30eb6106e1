package localserver

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// onDisk lets a server keep its data in a folder.
func onDisk(dir string) func(*Options) { return func(o *Options) { o.Data = dir } }

func skipWhereFilesAreHeld(t *testing.T) {
	t.Helper()
	skipOnPostgres(t)
	if os.PathSeparator == '\\' {
		t.Skip("Windows does not let go of a file in use")
	}
}

// replaceFile puts another file of the same content in a file's place.
func replaceFile(path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := os.Rename(path, path+"-old"); err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o600)
}

// TestLostDatabase: if a file of the database is missing or replaced, the server does not store
// anything and reports that, in its log even without requests. Reading still works.
func TestLostDatabase(t *testing.T) {
	skipWhereFilesAreHeld(t)
	cases := map[string]func(path string) error{
		"deleted":        os.Remove,
		"log deleted":    func(path string) error { return os.Remove(path + "-wal") },
		"index gone":     func(path string) error { return os.Remove(path + "-shm") },
		"folder moved":   func(path string) error { return os.Rename(filepath.Dir(path), filepath.Dir(path)+"-gone") },
		"folder deleted": func(path string) error { return os.RemoveAll(filepath.Dir(path)) },
		"another one":    replaceFile,
	}
	for name, lose := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := begin(t, onDisk(filepath.Join(t.TempDir(), "data")))
			h.broken = true
			h.send("", "GET", "/readyz", "").want(200)
			id := h.savePersona(gatePersona)
			assert.NoError(t, lose(datafolder.DatabaseFile(h.Dir())))
			h.checkLost("POST", wire.PathSave, gatePersona)
			h.checkLost("GET", "/readyz", "")
			h.send(alice, "GET", strings.Replace(wire.PathPersona, "{persona_id}", id, 1), "").want(200)
			h.waitForLog("the database is unavailable: nothing can be stored")
		})
	}
}

func (h *harness) checkLost(method, path, body string) {
	h.Helper()
	r := h.send(alice, method, path, body)
	r.fails(503, wire.CodeUnavailable)
	assert.Contains(h, string(r.body), "deleted or moved", path)
}

func (h *harness) waitForLog(text string) {
	h.Helper()
	for end := time.Now().Add(20 * time.Second); !strings.Contains(h.journal.String(), text); {
		assert.Must(h, !time.Now().After(end), "the log does not say %q: %s", text, h.journal)
		time.Sleep(20 * time.Millisecond)
	}
}

// TestDatabaseComesBack: if the same file gets its name back, the server stores data again.
func TestDatabaseComesBack(t *testing.T) {
	skipWhereFilesAreHeld(t)
	h := begin(t, onDisk(filepath.Join(t.TempDir(), "data")))
	path := datafolder.DatabaseFile(h.Dir())
	assert.NoError(t, os.Rename(path, path+"-away"))
	h.checkLost("POST", wire.PathSave, gatePersona)
	h.waitForLog("the database is unavailable: nothing can be stored")
	assert.NoError(t, os.Rename(path+"-away", path))
	h.savePersona(gatePersona)
	h.send("", "GET", "/readyz", "").want(200)
	h.waitForLog("the database is available again")
}

// TestLostDatabaseSparesGames: every turn, every key and every reset is refused too.
func TestLostDatabaseSparesGames(t *testing.T) {
	skipWhereFilesAreHeld(t)
	h := begin(t, onDisk(filepath.Join(t.TempDir(), "data")))
	h.broken = true
	id, key := h.publishPersona(), h.key(alice)
	initPath := strings.Replace(wire.PathInitSession, "{persona_id}", id, 1)
	messagePath := strings.Replace(wire.PathMessage, "{persona_id}", id, 1)
	h.send("", "POST", initPath, initJSON("ann")).want(200)
	assert.NoError(t, os.Remove(datafolder.DatabaseFile(h.Dir())))
	h.send("", "POST", initPath, initJSON("bob")).fails(503, wire.CodeUnavailable)
	h.send("", "POST", messagePath, messageJSON("ann", "Hello")).fails(503, wire.CodeUnavailable)
	h.send(alice, "POST", wire.PathAPIKeys, `{"name": "more"}`).fails(503, wire.CodeUnavailable)
	h.send(key, "GET", wire.PathSDKPersonas, "").want(200)
}
