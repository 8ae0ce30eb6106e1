package settings_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
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
		assert.NoError(t, err, "session %d", i)
		assert.True(t, ok, "session %d is not stored", i)
		assert.Equal(t, s.UserSessionID, "u", "session %d", i)
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
	writeFile(t, filepath.Join(dir, "sessions.json"), "null")
	assert.NoError(t, s.Remember("a", settings.Session{PersonaID: "p"}))
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
	assert.Equal(t, got.UserSessionID, "one")
	assert.Equal(t, got.Label, "first try")
	assert.NoError(t, s.Rename("a", "p", "two", "second try"))
	list, err := s.List("a")
	assert.NoError(t, err)
	assert.Must(t, len(list) == 2, "%+v", list)
	assert.Equal(t, list[0].UserSessionID, "one")
	assert.Equal(t, list[1].Label, "second try")
	assert.NoError(t, s.ForgetOne("a", "p", "one"))
	got, ok, _ := s.Recall("a", "p")
	assert.True(t, ok, "both are forgotten")
	assert.Equal(t, got.UserSessionID, "two", "after one is forgotten")
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
	const text = `{"a": {"p": {"persona_id": "p", "user_session_id": "u", "player_name": "n",
		"player_gender": "male", "used_at": "2026-01-01T00:00:00Z"}}}`
	writeFile(t, filepath.Join(dir, "sessions.json"), text)
	s := settings.OpenSessions(dir)
	got, ok, err := s.Recall("a", "p")
	assert.NoError(t, err)
	assert.True(t, ok, "no session is recalled")
	assert.Equal(t, got.UserSessionID, "u")
	list, _ := s.List("a")
	assert.Equal(t, len(list), 1, "%+v", list)
}

func foundAt(second int, keys ...string) settings.FoundEndings {
	return settings.FoundEndings{Keys: keys, All: 4, FoundAt: time.Unix(int64(second), 0).UTC()}
}

// Endings are added, by several at once too, and nothing is lost.
func TestEndingsAreAdded(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "state")
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			err := settings.OpenEndings(dir).Add("s", "p", foundAt(i, fmt.Sprint("gate/", i), "gate/ACCEPT"))
			assert.True(t, err == nil, err)
		})
	}
	all.Wait()
	got := assert.Value(settings.OpenEndings(dir).Recall("s", "p"))(t)
	assert.Equal(t, len(got.Keys), 9)
	assert.Equal(t, got.All, 4)
	assert.Empty(t, assert.Value(settings.OpenEndings(dir).Recall("another", "p"))(t).Keys)
	info, err := os.Stat(filepath.Join(dir, "endings.json"))
	if err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("%v %v", info, err)
	}
}

// A file that is not ours costs its endings and nothing else; it is put aside.
func TestADamagedMemoryOfEndings(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"no JSON": "{", "empty": "", "null": "null", "a list": "[]", "numbers": `{"s": {"p": {"found": [1, 2]}}}`,
		"deep": strings.Repeat("[", 200_000), "long": `{"s": "` + strings.Repeat("x", 9<<20) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "endings.json")
			assert.NoError(t, os.WriteFile(path, []byte(text), 0o600))
			e := settings.OpenEndings(dir)
			assert.Empty(t, assert.Value(e.Recall("s", "p"))(t).Keys)
			assert.NoError(t, e.Add("s", "p", foundAt(1, "gate/ACCEPT")))
			assert.EqualSlices(t, assert.Value(e.Recall("s", "p"))(t).Keys, []string{"gate/ACCEPT"})
			assert.Equal(t, string(assert.Value(os.ReadFile(path+".damaged"))(t)), text, "what was there is lost")
		})
	}
}

func TestTheMemoryOfEndingsIsBounded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var text strings.Builder
	for i := range settings.MaxEndingPersonas + 50 {
		comma, foundAt := map[bool]string{true: ", "}[i > 0], time.Unix(int64(i), 0).UTC().Format(time.RFC3339)
		fmt.Fprintf(&text, `%s"p%d": {"found": ["a/ACCEPT"], "found_at": %q}`, comma, i, foundAt)
	}
	assert.NoError(t, os.WriteFile(filepath.Join(dir, "endings.json"), []byte(`{"s": {`+text.String()+`}}`), 0o600))
	var keys []string
	for i := range settings.MaxEndings + 10 {
		keys = append(keys, fmt.Sprint("part", i, "/ACCEPT"))
	}
	e := settings.OpenEndings(dir)
	assert.NoError(t, e.Add("t", "new", foundAt(1_000_000, keys...)))
	got, _ := e.Recall("t", "new")
	assert.Must(t, len(got.Keys) == settings.MaxEndings, "%d keys", len(got.Keys))
	assert.Equal(t, got.Keys[0], "part10/ACCEPT")
	for name, want := range map[string]int{"p0": 0, "p50": 0, "p51": 1, fmt.Sprint("p", settings.MaxEndingPersonas+49): 1} {
		got, _ := e.Recall("s", name)
		assert.Equal(t, len(got.Keys), want, "%s: %v", name, got.Keys)
	}
}

func TestLintIgnores(t *testing.T) {
	top := t.TempDir()
	home := t.TempDir()
	env := newLookup(map[string]string{"PARLEY_CONFIG_DIR": home})
	from := settings.Sources{Lookup: env, Folder: filepath.Join(top, "a", "b"), Dirs: settings.Dirs{OS: "linux", Lookup: env}}
	writeFile(t, filepath.Join(top, "a", "b", "x"), "")
	file := filepath.Join(top, settings.ProjectFile)
	tests := []struct{ text, fault string }{
		{"server: http://a\nlint:\n  ignore:\n    - {check: a, files: [x/**], reason: r}\n    - check: b\n", ""},
		{"lint: {ignore: []}\n", ""},
		{"lint: {ignore: a}\n", "is not a list"},
		{"lint: {ignore: [a]}\n", "is not a list"},
		{"lint: {ignore: [{check: a, file: b}]}\n", `unknown field "file"`},
		{"lint: {ignore: [{check: a, files: b}]}\n", "is not a list"},
		{"lint: {ignore: [{files: [b]}]}\n", "lint.ignore[0]: the name of the check is missing"},
		{"lint: {ignore: [{check: a}, {check: a, files: ['[']}]}\n", "lint.ignore[1]"},
		{"lint: {ignored: []}\n", `unknown setting "lint.ignored"`},
	}
	for i, test := range tests {
		t.Run(fmt.Sprintf("%q", test.text), func(t *testing.T) {
			writeFile(t, file, test.text)
			s, err := settings.Load(from)
			if test.fault != "" {
				assert.ErrorContains(t, err, test.fault)
				assert.ErrorContains(t, err, file)
				return
			}
			if err != nil {
				t.Errorf("%q: %v", test.text, err)
				return
			}
			all := s.LintIgnores()
			if i == 0 && (len(all) != 2 || all[0].Check != "a" || all[0].Files[0] != "x/**" || all[0].Reason != "r" || all[0].Folder != top || all[1].Origin != file) {
				t.Errorf("read %+v", all)
			}
		})
	}
	writeFile(t, file, "")
	writeFile(t, filepath.Join(home, "config.yaml"), tests[0].text)
	_, err := settings.Load(from)
	assert.ErrorContains(t, err, "lint.ignore", "lint.ignore in the user's file")
}

// TestLintSeverities: members of lint.severity have a place, and come only from a project's file.
func TestLintSeverities(t *testing.T) {
	top, home := t.TempDir(), t.TempDir()
	env := newLookup(map[string]string{"PARLEY_CONFIG_DIR": home})
	from := settings.Sources{Lookup: env, Folder: top, Dirs: settings.Dirs{OS: "linux", Lookup: env}}
	file := filepath.Join(top, settings.ProjectFile)
	writeFile(t, file, "lint:\n  severity:\n    todo-left: error\n    dead-end: off\n    stuck-loop: \"off\"\n")
	s, err := settings.Load(from)
	assert.NoError(t, err)
	want := []settings.LintSeverity{{"todo-left", "error", file + ":3"}, {"dead-end", "off", file + ":4"}, {"stuck-loop", "off", file + ":5"}}
	assert.EqualSlices(t, s.LintSeverities(), want)
	for text, fault := range map[string]string{
		"lint: {severity: {todo-left: grave}}\n": ":1: lint.severity.todo-left must be error, warning, info or off",
		"lint: {severity: {todo-left: 2}}\n":     "must be error, warning, info or off",
		"lint: {severity: [todo-left]}\n":        "expected settings",
		"lint: {severities: {}}\n":               "did you mean lint.severity?",
	} {
		writeFile(t, file, text)
		_, err := settings.Load(from)
		assert.ErrorContains(t, err, fault, "%q", text)
	}
	writeFile(t, file, "")
	writeFile(t, filepath.Join(home, "config.yaml"), "lint: {severity: {todo-left: off}}\n")
	_, err = settings.Load(from)
	assert.ErrorContains(t, err, "lint.severity belongs in a project's", "lint.severity in the user's file")
}

// TestTop: the repository's top wins over the project file, which wins over the folder itself.
func TestTop(t *testing.T) {
	top := t.TempDir()
	folder := filepath.Join(top, "a", "b", "c")
	writeFile(t, filepath.Join(folder, "x"), "")
	assert.Equal(t, settings.FindProjectTop(folder), folder, "alone")
	writeFile(t, filepath.Join(top, "a", "b", settings.ProjectFile), "")
	assert.Equal(t, settings.FindProjectTop(folder), filepath.Join(top, "a", "b"), "with a project file")
	writeFile(t, filepath.Join(top, "a", ".git", "HEAD"), "")
	assert.Equal(t, settings.FindProjectTop(folder), filepath.Join(top, "a"), "with a repository")
}
