package localserver

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

func mountSmallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skip("only root can make a small disk, TestOpenOnFullDisk of localserver/store needs none: ", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

func fillDisk(t *testing.T, dir string) (fill string) {
	t.Helper()
	fill = filepath.Join(dir, "fill")
	assert.Must(t, os.WriteFile(fill, make([]byte, 8<<20), 0o600) != nil, "the disk is not full")
	return fill
}

// TestFullDisk: with a full disk, a server reads and is not ready, and recovers with space.
func TestFullDisk(t *testing.T) {
	skipOnPostgres(t)
	dir := mountSmallDisk(t, "4m")
	h := begin(t, onDisk(filepath.Join(dir, "data")))
	path := strings.Replace(wire.PathPersona, "{persona_id}", h.savePersona(gatePersona), 1)
	h.send("", "GET", "/readyz", "").want(200)
	fill := fillDisk(t, dir)
	h.waitForReadiness(503)
	h.checkFull("POST", wire.PathSave, largePersona(200_000), "disk of the data folder is full")
	h.send(alice, "GET", path, "").want(200)
	assert.NoError(t, os.Remove(fill))
	h.waitForReadiness(200)
	h.savePersona(gatePersona)
}

func (h *harness) checkFull(method, path, body, want string) {
	h.Helper()
	r := h.send(alice, method, path, body)
	r.fails(503, wire.CodeUnavailable)
	assert.Contains(h, string(r.body), want, path)
}

func (h *harness) waitForReadiness(status int) {
	h.Helper()
	for end := time.Now().Add(20 * time.Second); h.send("", "GET", "/readyz", "").status != status; {
		assert.Must(h, !time.Now().After(end), "/readyz is never %d", status)
		time.Sleep(100 * time.Millisecond)
	}
}

// TestStartOnFullDiskAfterKill: the log of a killed server is read, with and without its index.
func TestStartOnFullDiskAfterKill(t *testing.T) {
	skipOnPostgres(t)
	for _, files := range [][]string{{"parley.db", "parley.db-wal", "parley.db-shm"}, {"parley.db", "parley.db-wal"}} {
		t.Run(caseName(len(files), "files"), func(t *testing.T) {
			dir := mountSmallDisk(t, "4m")
			data := filepath.Join(dir, "data")
			h := begin(t, onDisk(filepath.Join(t.TempDir(), "data")))
			path := strings.Replace(wire.PathPersona, "{persona_id}", h.savePersona(gatePersona), 1)
			assert.NoError(t, os.Mkdir(data, 0o700))
			for _, name := range append(files, "dev-key.json") {
				content, err := os.ReadFile(filepath.Join(h.Dir(), name))
				if err == nil {
					err = os.WriteFile(filepath.Join(data, name), content, 0o600)
				}
				assert.NoError(t, err)
			}
			fillDisk(t, dir)
			full := begin(t, onDisk(data))
			full.broken = true // The log may not fit either at the end.
			full.send(alice, "GET", path, "").want(200)
			full.checkFull("POST", wire.PathSave, largePersona(200_000), "the disk of the data folder")
			_ = full.Close()
			assert.Value(datafolder.WriteSnapshot(t.Context(), Database{}.Place(data), filepath.Join(t.TempDir(), "copy"), false, nil))(t)
		})
	}
}

func largePersona(size int) string {
	const head, tail = `{"name": "Large", "description": "Much", "persona_identity_prompt": "Talk.", "machines": [{"machine_key": "m", "states": [{"state_key": "a", "is_initial_state": true, "x-author": [`,
		`0]}, {"state_key": "b", "is_terminal_state": true}], "transitions": [{"from_state_key": "a", "to_state_key": "b", "decision_type": "pass"}]}]}`
	const line = `{"a": "b"}, `
	return head + strings.Repeat(line, max(0, size-len(head)-len(tail))/len(line)) + tail
}
