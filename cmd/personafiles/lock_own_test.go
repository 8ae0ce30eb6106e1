package personafiles_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/personas/assert"
)

// TestOwnEntries: an entry is of one lock, server, file and persona, the last counts, damaged ones never.
func TestOwnEntries(t *testing.T) {
	t.Parallel()
	memory, project := t.TempDir(), t.TempDir()
	lock := filepath.Join(project, personafiles.LockName)
	mine := newEntry("cat.yaml", server)
	own := personafiles.ReadOwnEntries(memory, lock)
	assert.True(t, !own.HasEntry(mine), "an entry is one's own before it was written")
	for range 2 { // the second time it is known
		assert.NoError(t, own.AddEntry(mine))
	}
	newer := mine
	newer.SHA256, newer.UpdatedAt = strings.Repeat("0", 64), "2027-01-31T12:00:00Z"
	aimed := mine
	aimed.ID = "another"
	for name, tt := range map[string]struct {
		memory, lock string
		entry        personafiles.LockEntry
		own          bool
	}{
		"it":                          {memory, lock, mine, true},
		"a later version of it":       {memory, lock, newer, true},
		"another persona":             {memory, lock, aimed, false},
		"another file":                {memory, lock, newEntry("dog.yaml", server), false},
		"another server":              {memory, lock, newEntry("cat.yaml", server+"0"), false},
		"another project":             {memory, filepath.Join(t.TempDir(), personafiles.LockName), mine, false},
		"a lock of another name":      {memory, lock + "2", mine, false},
		"a folder that is not there":  {filepath.Join(memory, "none"), lock, mine, false},
		"no folder to remember it in": {"", lock, mine, false},
	} {
		assert.Equal(t, personafiles.ReadOwnEntries(tt.memory, tt.lock).HasEntry(tt.entry), tt.own, name)
	}
	assert.NoError(t, own.AddEntry(aimed))
	again := personafiles.ReadOwnEntries(memory, lock)
	assert.True(t, !again.HasEntry(mine) && again.HasEntry(aimed), "the persona of before is still believed")
	files, err := filepath.Glob(filepath.Join(memory, "*.own"))
	assert.Must(t, err == nil && len(files) == 1, "%v, %v", files, err)
	text, err := os.ReadFile(files[0])
	assert.NoError(t, err, text)
	assert.Equal(t, strings.Count(string(text), "\n"), 2, text)
	for _, damage := range []string{strings.ReplaceAll(string(text), project, "/elsewhere"), string(text)[:20], "\x00\xff", "{}\n[]\n"} {
		assert.NoError(t, os.WriteFile(files[0], []byte(damage), 0o600))
		assert.True(t, !personafiles.ReadOwnEntries(memory, lock).HasEntry(aimed), "%q is believed", damage)
	}
}

// TestEntriesMoveAndGo: a file with a new name has one entry, and a persona that is gone none.
func TestEntriesMoveAndGo(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), personafiles.LockName)
	h := assert.Value(personafiles.HoldLock(t.Context(), path, t.TempDir()))(t)
	defer h.Release()
	other := newEntry("dog.yaml", server)
	other.ID = "another"
	for _, e := range []personafiles.LockEntry{newEntry("cat.yaml", server), newEntry("cat.yaml", server+"0"), other} {
		assert.NoError(t, h.MoveEntry(e.File, e))
	}
	check := func(want ...string) {
		t.Helper()
		l := assert.Value(personafiles.ReadLock(path))(t)
		var got []string
		for line := range strings.Lines(string(l.Encode())) {
			if _, file, ok := strings.Cut(line, "- file: "); ok {
				got = append(got, strings.Trim(strings.TrimSpace(file), `"`))
			}
		}
		assert.Equal(t, strings.Join(got, " "), strings.Join(want, " "), "there are %v, want %v", got, want)
	}
	assert.NoError(t, h.MoveEntry("cat.yaml", newEntry("new.yaml", server)))
	check("cat.yaml", "dog.yaml", "new.yaml") // the first is of another server
	assert.NoError(t, h.DropPersona(server, newEntry("", "").ID))
	check("cat.yaml", "dog.yaml")
	assert.NoError(t, h.DropPersona(server, "nobody"))
	check("cat.yaml", "dog.yaml")
}
