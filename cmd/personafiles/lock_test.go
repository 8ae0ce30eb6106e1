package personafiles_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/personas/assert"
)

const (
	server = "http://127.0.0.1:8787"
	hash   = "0159f8427bfdf54522d7e911f7c37391e28524e36722a486baaf60d2070349ac"
	stamp  = "2026-01-31T12:00:00.000Z"
)

func newEntry(file, server string) personafiles.LockEntry {
	return personafiles.LockEntry{File: file, Server: server, ID: "01936f6e-8c8b-7cc0-b36f-6a4b2d0b4d11", SHA256: hash, UpdatedAt: stamp}
}

const golden = `# As which personas the files here were saved. Written by parley; keep it in git.
version: 1
personas:
  - file: "a b/ünder \"it\".yaml"
    server: "http://127.0.0.1:8787"
    id: "01936f6e-8c8b-7cc0-b36f-6a4b2d0b4d11"
    sha256: "0159f8427bfdf54522d7e911f7c37391e28524e36722a486baaf60d2070349ac"
    updated_at: "2026-01-31T12:00:00.000Z"
  - file: "cat.yaml"
    server: "http://127.0.0.1:8787"
    id: "01936f6e-8c8b-7cc0-b36f-6a4b2d0b4d11"
    sha256: "0159f8427bfdf54522d7e911f7c37391e28524e36722a486baaf60d2070349ac"
    updated_at: "2026-01-31T12:00:00.000Z"
  - file: "cat.yaml"
    server: "https://elsewhere.example/base"
    id: "01936f6e-8c8b-7cc0-b36f-6a4b2d0b4d11"
    sha256: "0159f8427bfdf54522d7e911f7c37391e28524e36722a486baaf60d2070349ac"
    updated_at: "2026-01-31T12:00:00.000Z"
`

// TestForm: entries in any order produce the same text, which parses again.
func TestForm(t *testing.T) {
	l := &personafiles.Lock{}
	for _, e := range []personafiles.LockEntry{newEntry("cat.yaml", "https://elsewhere.example/base"), newEntry("cat.yaml", server), newEntry(`a b/ünder "it".yaml`, server), newEntry("cat.yaml", server)} {
		assert.NoError(t, l.PutEntry(e))
	}
	assert.Equal(t, string(l.Encode()), golden, "it is written as")
	again := assert.Value(personafiles.ParseLock("parley.lock", []byte(golden)))(t)
	assert.Equal(t, string(again.Encode()), golden)
	e, ok := again.FindEntry(server, "cat.yaml")
	assert.True(t, ok && e == newEntry("cat.yaml", server), "found %+v, %t", e, ok)
	_, ok = again.FindEntry(server, "a b/u\u0308nder \"it\".yaml")
	assert.True(t, ok, "a file in decomposed form was not found")
	_, ok = again.FindEntry("http://127.0.0.1:8788", "cat.yaml")
	assert.True(t, !ok, "another server's entry was found")
	got := again.FilesOf(server, newEntry("", "").ID)
	assert.Equal(t, len(got), 2, "the files of a persona are %+v", got)
}

func TestDamage(t *testing.T) {
	one := strings.Join(strings.SplitAfter(golden, "\n")[:8], "")
	with := func(from, to string) string { return strings.Replace(one, from, to, 1) }
	tests := []struct{ name, text, want string }{
		{"empty", "", "1:1: the document is empty"},
		{"cut", golden[:len(golden)/2], "9:5: id is missing"},
		{"binary", "\x00\x01", "1:1: "},
		{"a list", "- a\n", "1:1: here must be the members version, personas"},
		{"no version", with("version: 1\n", ""), "2:1: version is missing"},
		{"version 2", with("version: 1", "version: 2"), "2:10: version 2 was written by a later parley, this one knows 1"},
		{"version 0", with("version: 1", "version: 0"), "2:10: version must be 1"},
		{"version one", with("version: 1", "version: one"), "2:10: version must be 1"},
		{"another member", one + "more: 1\n", "2:1: there are other members than version, personas"},
		{"another member of an entry", one + "    more: 1\n", "4:5: there are other members than file,"},
		{"no list", "version: 1\npersonas: {}\n", "2:11: personas must be a list"},
		{"no id", with("    id: \"01936f6e-8c8b-7cc0-b36f-6a4b2d0b4d11\"\n", ""), "4:5: id is missing"},
		{"an id of two words", with("01936f6e-", "01936f6e "), "6:9: id is no persona's id"},
		{"a number", with(`"a b/ünder \"it\".yaml"`, "12"), "4:11: file must be a text"},
		{"a way out", with(`a b/`, "../"), "4:11: file is not a relative path"},
		{"from the root", with(`a b/`, "/"), "4:11: file is not a relative path"},
		{"a password", with("http://", "http://me:secret@"), "5:13: server is no address"},
		{"a short hash", with(hash, hash[2:]), "7:13: sha256 is not 64"},
		{"a hash in capitals", with(hash, strings.ToUpper(hash)), "7:13: sha256 is not 64"},
		{"no time", with(stamp, "yesterday"), "8:17: updated_at is no time"},
		{"twice", one + one[strings.Index(one, "  - "):], "9:5: a b/ünder"},
		{"a merge", "version: 1\n<<<<<<< HEAD\n" + golden, "2:1: a merge left its marks here"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := personafiles.ParseLock("parley.lock", []byte(tt.text))
			var damaged *personafiles.DamagedLockError
			assert.True(t, errors.As(err, &damaged) && strings.HasPrefix(err.Error(), "parley.lock:"+tt.want),
				"%s: %v, wanted %s", tt.name, err, tt.want)
			assert.True(t, err == nil || !strings.Contains(err.Error(), "secret"), "%s: the password is told: %v", tt.name, err)
		})
	}
}

// TestHeld: many at once each keep an entry, and nothing is lost.
func TestHeld(t *testing.T) {
	folder, marks := t.TempDir(), filepath.Join(t.TempDir(), "locks")
	path := filepath.Join(folder, personafiles.LockName)
	var group sync.WaitGroup
	for i := range 20 {
		group.Go(func() {
			h, err := personafiles.HoldLock(context.Background(), path, marks)
			if err != nil {
				t.Error(err)
				return
			}
			defer h.Release()
			err = h.MoveEntry(fmt.Sprintf("%d.yaml", i), newEntry(fmt.Sprintf("%d.yaml", i), server))
			assert.True(t, err == nil, err)
		})
	}
	group.Wait()
	l, err := personafiles.ReadLock(path)
	if err != nil || len(l.FilesOf(server, newEntry("", "").ID)) != 20 {
		t.Errorf("%v:\n%s", err, l.Encode())
	}
	assert.Equal(t, len(assert.Value(os.ReadDir(folder))(t)), 1, "beside the lock")
}

func TestRefusals(t *testing.T) {
	folder, marks := t.TempDir(), t.TempDir()
	var unwritable *personafiles.UnwritableLockError
	if _, err := personafiles.HoldLock(context.Background(), filepath.Join(folder, "none", personafiles.LockName), marks); !errors.As(err, &unwritable) {
		t.Errorf("a folder that is not there: %v", err)
	}
	path := filepath.Join(folder, personafiles.LockName)
	h, err := personafiles.HoldLock(context.Background(), path, marks)
	assert.NoError(t, err)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = personafiles.HoldLock(ended, path, marks)
	assert.ErrorIs(t, err, context.Canceled, "a lock that another holds")
	assert.True(t, h.MoveEntry("../out.yaml", newEntry("../out.yaml", server)) != nil, "an entry that cannot be read again was kept")
	h.Release()
	h.Release()
	assert.NoError(t, os.WriteFile(path, []byte("version: 9\n"), 0o600))
	_, err = personafiles.HoldLock(context.Background(), path, marks)
	assert.True(t, err != nil, "a damaged lock was held")
	text, _ := os.ReadFile(path)
	assert.Equal(t, string(text), "version: 9\n", "a damaged lock was written over")
}

func TestPlace(t *testing.T) {
	top := t.TempDir()
	deep := filepath.Join(top, "a", "b")
	assert.NoError(t, os.MkdirAll(deep, 0o755))
	check := func(wantPath, wantName string) {
		t.Helper()
		path, name, err := personafiles.FindLock(filepath.Join(deep, "cat.yaml"))
		assert.True(t, err == nil && path == filepath.Join(wantPath, personafiles.LockName) && name == wantName,
			"%s in %s: %v", name, path, err)
	}
	check(deep, "cat.yaml")
	assert.NoError(t, os.WriteFile(filepath.Join(top, ".parley.yaml"), nil, 0o600))
	check(top, "a/b/cat.yaml")
	assert.NoError(t, os.WriteFile(filepath.Join(top, "a", ".parley.yaml"), nil, 0o600))
	check(filepath.Join(top, "a"), "b/cat.yaml")
}

func TestAnyEntryIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := &personafiles.Lock{}
		for range rapid.IntRange(0, 4).Draw(t, "entries") {
			e := newEntry(rapid.String().Draw(t, "file"), rapid.SampledFrom([]string{server, "https://a.example", "http://[::1]:1/x"}).Draw(t, "server"))
			if l.PutEntry(e) != nil {
				continue
			}
		}
		again, err := personafiles.ParseLock("parley.lock", l.Encode())
		if err != nil || string(again.Encode()) != string(l.Encode()) {
			t.Fatalf("%v:\n%s", err, l.Encode())
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(golden))
	f.Add([]byte("version: 1\npersonas: []\n"))
	f.Add([]byte(`{"version": 1, "personas": [{"file": "a", "server": "http://x", "id": "1", "sha256": "` + hash + `", "updated_at": "` + stamp + `"}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		l, err := personafiles.ParseLock("parley.lock", text)
		if err != nil {
			var damaged *personafiles.DamagedLockError
			assert.Must(t, errors.As(err, &damaged) && damaged.Line >= 1 && damaged.Column >= 1,
				"an error without a place: %v", err)
			return
		}
		again, err := personafiles.ParseLock("parley.lock", l.Encode())
		if err != nil || string(again.Encode()) != string(l.Encode()) {
			t.Fatalf("%v:\n%s", err, l.Encode())
		}
	})
}
