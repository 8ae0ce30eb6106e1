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
		"no JSON": "{", "empty": "", "null": "null", "a list": "[]", "numbers": `{"s": {"p": {"found": [1, 2]}}}`, "deep": strings.Repeat("[", 200_000), "long": `{"s": "` + strings.Repeat("x", 9<<20) + `"}`,
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
		fmt.Fprintf(&text, `%s"p%d": {"found": ["a/ACCEPT"], "found_at": %q}`, map[bool]string{true: ", "}[i > 0], i, time.Unix(int64(i), 0).UTC().Format(time.RFC3339))
	}
	assert.NoError(t, os.WriteFile(filepath.Join(dir, "endings.json"), []byte(`{"s": {`+text.String()+`}}`), 0o600))
	var keys []string
	for i := range settings.MaxEndings + 10 {
		keys = append(keys, fmt.Sprint("part", i, "/ACCEPT"))
	}
	e := settings.OpenEndings(dir)
	assert.NoError(t, e.Add("t", "new", foundAt(1_000_000, keys...)))
	got, _ := e.Recall("t", "new")
	assert.True(t, len(got.Keys) == settings.MaxEndings && got.Keys[0] == "part10/ACCEPT", "%d keys", len(got.Keys))
	for name, want := range map[string]int{"p0": 0, "p50": 0, "p51": 1, fmt.Sprint("p", settings.MaxEndingPersonas+49): 1} {
		got, _ := e.Recall("s", name)
		assert.Equal(t, len(got.Keys), want, "%s: %v", name, got.Keys)
	}
}
