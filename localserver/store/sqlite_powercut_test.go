package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/atomicfile"
)

// brittleDisk is a disk on which only synced data survives a power cut: of a file its content at
// that time, of a directory the names. It records the store's syncs. Of SQLite's own syncs it
// counts one: SQLite syncs the database before it restarts the log.
type brittleDisk struct {
	mu      sync.Mutex
	files   []syncedFile
	folders map[string]map[string]fs.FileInfo
	syncs   int
	broken  error
}

type syncedFile struct {
	info    fs.FileInfo
	content []byte
}

func (d *brittleDisk) disk() disk { return disk{d.syncFile, d.syncFolder} }

func (d *brittleDisk) syncFile(f *os.File) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.broken != nil {
		return d.broken
	}
	d.syncs++
	before, _ := d.contentOf(f.Name())
	if err := d.recordFile(f.Name()); err != nil {
		return err
	}
	after, _ := d.contentOf(f.Name())
	const salt, end = 16, 24 // www.sqlite.org/fileformat.html, 4.1
	database, isLog := strings.CutSuffix(f.Name(), "-wal")
	if isLog && len(before) >= end && len(after) >= end && !bytes.Equal(before[salt:end], after[salt:end]) {
		return d.recordFile(database)
	}
	return nil
}

func (d *brittleDisk) recordFile(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	content, err := os.ReadFile(path)
	os.SameFile(info, info) // Windows asks for the file's number only now.
	d.files = append([]syncedFile{{info, content}}, d.files...)
	return err
}

func (d *brittleDisk) contentOf(path string) ([]byte, bool) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, false
	}
	return d.contentOfFile(info)
}

func (d *brittleDisk) contentOfFile(info fs.FileInfo) ([]byte, bool) {
	for _, f := range d.files {
		if os.SameFile(f.info, info) {
			return f.content, true
		}
	}
	return nil, false
}

func (d *brittleDisk) syncFolder(path string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	if d.folders == nil {
		d.folders = map[string]map[string]fs.FileInfo{}
	}
	d.folders[path] = map[string]fs.FileInfo{}
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			os.SameFile(info, info)
			d.folders[path][e.Name()] = info
		}
	}
	return nil
}

// cutPower returns the path of a copy of a database in its state after a power cut.
func (d *brittleDisk) cutPower(t *testing.T, path string) (left string) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	folder, into := filepath.Dir(path), t.TempDir()
	assert.Must(t, d.folders[filepath.Dir(folder)][filepath.Base(folder)] != nil, "the folder %s is not synced", folder)
	for name, info := range d.folders[folder] {
		if strings.HasSuffix(name, "-shm") { // SQLite does not read it after a crash.
			continue
		}
		content, _ := d.contentOfFile(info)
		assert.NoError(t, os.WriteFile(filepath.Join(into, name), content, 0o600))
	}
	return filepath.Join(into, filepath.Base(path))
}

func (d *brittleDisk) waitForSync(t *testing.T) {
	t.Helper()
	count := func() int { d.mu.Lock(); defer d.mu.Unlock(); return d.syncs }
	before := count()
	for end := time.Now().Add(20 * time.Second); count() == before; time.Sleep(10 * time.Millisecond) {
		assert.Must(t, !time.Now().After(end), "nothing is synced")
	}
}

// openBrittle opens a database with Durability Normal on a brittle disk.
func openBrittle(t *testing.T) (s *Store, d *brittleDisk, path string) {
	t.Helper()
	d, path = &brittleDisk{}, filepath.Join(t.TempDir(), "data", "parley.db")
	return openAt(t, Options{Path: path, Durability: Normal, disk: d.disk()}), d, path
}

// reopen opens the database after a power cut.
func reopen(t *testing.T, d *brittleDisk, path string) *Store {
	t.Helper()
	left := d.cutPower(t, path)
	s := openAt(t, Options{Path: left})
	r := assert.Value(openToRead(t.Context(), left))(t)
	assert.NoError(t, errors.Join(r.checkSound(t.Context(), ownSteps().newest()), r.Close()))
	return s
}

// TestPowerCutKeepsAcknowledged: with Durability Normal everything but openings and turns is on the
// disk before it is acknowledged, from the first moment on.
func TestPowerCutKeepsAcknowledged(t *testing.T) {
	s, d, path := openBrittle(t)
	assert.Equal(t, countRows(t, reopen(t, d, path), "users"), 0, "a new database has users")
	withUsers(t, s)
	p := publishPersona(t, s, "gate", "cellar")
	draft := savePersona(t, s, PersonaSave{OwnerID: alice.ID, Doc: guardPersona("Draft", "gate")})
	for _, id := range []string{"kept", "revoked"} {
		assert.NoError(t, s.CreateKey(t.Context(), Key{ID: id, OwnerID: alice.ID, Name: id, Prefix: id, Hash: "hash of " + id, CreatedAt: time.Now()}))
	}
	assert.NoError(t, s.RevokeKey(t.Context(), "revoked", alice.ID))
	found := reopen(t, d, path)
	if _, err := found.KeyByHash(t.Context(), "hash of kept"); err != nil {
		t.Errorf("a key that was made: %v", err)
	}
	refused(found.KeyByHash(t.Context(), "hash of revoked"))(t, "a revoked key", ErrNotFound)
	left, err := found.ListPersonas(t.Context(), PersonaQuery{Viewer: alice.ID, Mine: true, PublicOnly: true, Limit: 9})
	assert.True(t, err == nil && len(left) == 1 && left[0].ID == p.ID, "published are %+v: %v", left, err)
	assert.NoError(t, s.DeletePersona(t.Context(), draft.ID, alice.ID))
	assert.Equal(t, countRows(t, reopen(t, d, path), "personas"), 1, "personas are left of one that was kept and one that was deleted")
	o := enterMachine(t, s, p, "gate", "v")
	assert.Value(s.ResetProgress(t.Context(), o.PlayerRef))(t)
	assert.Equal(t, countRows(t, reopen(t, d, path), "sessions"), 0, "a session that was deleted is back")
}

// TestPowerCutLosesASecond: turns are on the disk a second later.
func TestPowerCutLosesASecond(t *testing.T) {
	s, d, path := openBrittle(t)
	p := publishPersona(t, withUsers(t, s), "gate", "cellar")
	o := enterMachine(t, s, p, "gate", "v")
	sayLine(t, s, o.PlayerRef, "gate", "first", false)
	assert.Equal(t, countRows(t, reopen(t, d, path), "messages"), 0, "messages are on the disk already")
	d.waitForSync(t)
	assert.Equal(t, countRows(t, reopen(t, d, path), "messages"), 3, "messages are left after a second")
	sayLine(t, s, o.PlayerRef, "gate", "second", false)
	assert.NoError(t, s.UpsertUser(t.Context(), User{ID: "later", Email: "later@example.com"}))
	assert.Equal(t, countRows(t, reopen(t, d, path), "messages"), 5, "messages are left want all before what was synced")
}

// TestPowerCutAroundCheckpoints: the same holds while SQLite writes the log back.
func TestPowerCutAroundCheckpoints(t *testing.T) {
	s, d, path := openBrittle(t)
	p := publishPersona(t, withUsers(t, s), "gate", "cellar")
	o := enterMachine(t, s, p, "gate", "v")
	text := strings.Repeat("tell me a story ", 1<<16)
	for i := range 20 { // 40 MiB: the log starts again twice.
		sayLine(t, s, o.PlayerRef, "gate", text, false)
		assert.NoError(t, s.UpsertUser(t.Context(), User{ID: "u", Email: fmt.Sprint(i)}))
		if i%5 == 4 {
			n := countRows(t, reopen(t, d, path), "messages")
			assert.Must(t, n == 2*i+3, "%d messages are left of %d turns", n, i+1)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	content, _ := d.contentOf(path)
	assert.True(t, len(content) >= 16<<20, "the log did not start again: the database has %d bytes", len(content))
}

// TestFailedSyncIsTold: after a failed sync, nothing is acknowledged.
func TestFailedSyncIsTold(t *testing.T) {
	s, d, _ := openBrittle(t)
	p := publishPersona(t, withUsers(t, s), "gate", "cellar")
	d.mu.Lock()
	d.broken = errors.New("input/output error")
	d.mu.Unlock()
	checkRefuses(t, "a key", s.CreateKey(t.Context(), Key{ID: "k", OwnerID: alice.ID, Hash: "h", CreatedAt: time.Now()}), ErrUnsynced)
	d.mu.Lock()
	d.broken = nil // What the failed sync has lost does not come back.
	d.mu.Unlock()
	_, err := s.SaveOpening(t.Context(), newOpening(p, "gate", "v"))
	checkRefuses(t, "an opening", err, ErrUnsynced)
	checkRefuses(t, "Ping", s.Ping(t.Context()), ErrUnsynced)
	checkRefuses(t, "CheckKept", CheckKept(s), ErrUnsynced)
	assert.True(t, IsUnkept(err), "callers are not told why: %v", err)
}

// TestFailedSyncOfTurns: after a turn whose sync failed, the next one is refused.
func TestFailedSyncOfTurns(t *testing.T) {
	s, d, _ := openBrittle(t)
	p := publishPersona(t, withUsers(t, s), "gate", "cellar")
	d.mu.Lock()
	d.broken = errors.New("input/output error")
	d.mu.Unlock()
	o := enterMachine(t, s, p, "gate", "v")
	for end := time.Now().Add(20 * time.Second); CheckKept(s) == nil; time.Sleep(10 * time.Millisecond) {
		assert.Must(t, !time.Now().After(end), "the failed sync is not told")
	}
	refused(s.SaveTurn(t.Context(), nextTurn(mustLoad(t, s, o.PlayerRef, "gate"), "hello", false)))(t, "a turn", ErrUnsynced)
}

func TestSyncFolder(t *testing.T) {
	assert.NoError(t, atomicfile.SyncFolder(t.TempDir()))
	assert.NoError(t, realDisk().syncNames(filepath.Join(t.TempDir(), "parley.db")))
}
