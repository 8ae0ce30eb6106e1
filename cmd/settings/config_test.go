package settings_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/personas/assert"
)

func newLookup(env map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { v, ok := env[name]; return v, ok }
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	assert.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	assert.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

// TestPrecedence adds one source after the other; each new one wins.
func TestPrecedence(t *testing.T) {
	home := t.TempDir()
	env := map[string]string{"PARLEY_CONFIG_DIR": home}
	project := filepath.Join(t.TempDir(), "a", "b")
	writeFile(t, filepath.Join(project, "x"), "")
	from := settings.Sources{Lookup: newLookup(env), Folder: project, Dirs: settings.Dirs{OS: "linux", Lookup: newLookup(env)}}
	user := filepath.Join(home, "config.yaml")
	above := filepath.Join(filepath.Dir(project), settings.ProjectFile)
	steps := []struct {
		add           func()
		value, origin string
	}{
		{func() {}, "http://127.0.0.1:8787", "default"},
		{func() { writeFile(t, user, "server: http://user\n") }, "http://user", user + ":1"},
		{func() { writeFile(t, above, "server: http://project\n") }, "http://project", above + ":1"},
		{func() { env["PARLEY_SERVER"] = "http://env" }, "http://env", "PARLEY_SERVER"},
		{func() { from.Flags = map[settings.Key]string{settings.Server: "http://flag"} }, "http://flag", "flag --server"},
	}
	for _, step := range steps {
		t.Run(step.value, func(t *testing.T) {
			step.add()
			s := assert.Value(settings.Load(from))(t)
			got := s.Get(settings.Server)
			assert.True(t, got.Value == step.value && got.Origin == step.origin, "got %+v, want %s from %s", got, step.value, step.origin)
		})
	}
}

func TestBadSettingsFileIsNamed(t *testing.T) {
	for _, text := range []string{"servr: x\n", "server: [\n", "- a\n"} {
		home := t.TempDir()
		writeFile(t, filepath.Join(home, "config.yaml"), text)
		env := newLookup(map[string]string{"PARLEY_CONFIG_DIR": home})
		_, err := settings.Load(settings.Sources{Lookup: env, Dirs: settings.Dirs{OS: "linux", Lookup: env}})
		assert.ErrorContains(t, err, "config.yaml", text)
	}
}

func TestDirs(t *testing.T) {
	tests := []struct {
		os   string
		env  map[string]string
		want string
	}{
		{"linux", map[string]string{"HOME": "/h"}, filepath.Join("/h", ".local", "share", "parley")},
		{"linux", map[string]string{"HOME": "/h", "XDG_DATA_HOME": "/x"}, filepath.Join("/x", "parley")},
		{"linux", map[string]string{"HOME": "/h", "XDG_DATA_HOME": "relative"}, filepath.Join("/h", ".local", "share", "parley")},
		{"darwin", map[string]string{"HOME": "/h"}, filepath.Join("/h", "Library", "Application Support", "parley")},
		{"windows", map[string]string{"LOCALAPPDATA": "/l"}, filepath.Join("/l", "Parley")},
		{"linux", map[string]string{"PARLEY_DATA_DIR": "/own"}, "/own"},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.os, tt.env), func(t *testing.T) {
			got := assert.Value(settings.Dirs{OS: tt.os, Lookup: newLookup(tt.env)}.Data())(t, "%s %v", tt.os, tt.env)
			assert.Equal(t, got, tt.want, "%s %v", tt.os, tt.env)
		})
	}
	_, err := (settings.Dirs{OS: "linux", Lookup: newLookup(nil)}).Data()
	assert.ErrorIs(t, err, settings.ErrNoHome, "no home")
}

// TestSessionsFromManyAtOnce: sessions written through separate values at once are all found again.
func TestSessionsFromManyAtOnce(t *testing.T) {
	dir := t.TempDir()
	var group sync.WaitGroup
	for i := range 20 {
		group.Go(func() {
			s := settings.Session{PersonaID: fmt.Sprint(i), UserSessionID: "u", PlayerName: "n"}
			err := settings.OpenSessions(dir).Remember("http://a", s)
			assert.True(t, err == nil, err)
		})
	}
	group.Wait()
	for i := range 20 {
		s, ok, err := settings.OpenSessions(dir).Recall("http://a", fmt.Sprint(i))
		assert.True(t, ok && err == nil && s.UserSessionID == "u", "session %d: %+v %v %v", i, s, ok, err)
	}
	_, ok, _ := settings.OpenSessions(dir).Recall("http://b", "1")
	assert.True(t, !ok, "another server's session was recalled")
}

func TestForgetAndDamage(t *testing.T) {
	dir := t.TempDir()
	s := settings.OpenSessions(dir)
	assert.NoError(t, s.Remember("a", settings.Session{PersonaID: "p"}))
	assert.NoError(t, s.Remember("a", settings.Session{PersonaID: "p", UserSessionID: "second"}))
	assert.NoError(t, s.Forget("a", "p"))
	_, ok, _ := s.Recall("a", "p")
	assert.True(t, !ok, "forgotten, but recalled")
	writeFile(t, filepath.Join(dir, "sessions.json"), "{")
	assert.ErrorContains(t, s.Remember("a", settings.Session{PersonaID: "p"}), "damaged", "damaged file")
}

// TestSeveralSessions: one of a persona's sessions is the present one, and reuse keeps labels and names.
func TestSeveralSessions(t *testing.T) {
	s := settings.OpenSessions(t.TempDir())
	remember := func(id, label string, minute int) {
		t.Helper()
		known := settings.Session{PersonaID: "p", PersonaName: "Mira", UserSessionID: id, Label: label, UsedAt: time.Date(2026, 1, 1, 0, minute, 0, 0, time.UTC)}
		assert.NoError(t, s.Remember("a", known))
	}
	remember("one", "first try", 1)
	remember("two", "", 2)
	remember("one", "", 3)
	got, _, _ := s.Recall("a", "p")
	assert.True(t, got.UserSessionID == "one" && got.Label == "first try", "present: %+v", got)
	assert.NoError(t, s.Rename("a", "p", "two", "second try"))
	list, err := s.List("a")
	assert.True(t, err == nil && len(list) == 2 && list[0].UserSessionID == "one" && list[1].Label == "second try",
		"%+v %v", list, err)
	assert.NoError(t, s.ForgetOne("a", "p", "one"))
	got, ok, _ := s.Recall("a", "p")
	assert.True(t, ok && got.UserSessionID == "two", "after one is forgotten: %+v", got)
	assert.NoError(t, s.ForgetOne("a", "p", "two"))
	_, ok, _ = s.Recall("a", "p")
	assert.True(t, !ok, "all are forgotten, and one is recalled")
	for i := range settings.MaxEarlier + 3 {
		remember(fmt.Sprint(i), "", i)
	}
	list, _ = s.List("a")
	if len(list) != settings.MaxEarlier+1 || list[len(list)-1].UserSessionID != "2" {
		t.Errorf("%d are kept, the oldest is %s", len(list), list[len(list)-1].UserSessionID)
	}
}

func TestSessionsOfOldFiles(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "sessions.json"), `{"a": {"p": {"persona_id": "p", "user_session_id": "u", "player_name": "n", "player_gender": "male", "used_at": "2026-01-01T00:00:00Z"}}}`)
	s := settings.OpenSessions(dir)
	got, ok, err := s.Recall("a", "p")
	assert.True(t, ok && err == nil && got.UserSessionID == "u", "%+v %v %v", got, ok, err)
	list, _ := s.List("a")
	assert.Equal(t, len(list), 1, "%+v", list)
}
