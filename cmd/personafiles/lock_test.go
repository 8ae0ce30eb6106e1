package personafiles_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/card"
	"github.com/parley-npc/parley/personas/examples"
)

const (
	server = "http://127.0.0.1:8787"
	hash   = "0159f8427bfdf54522d7e911f7c37391e28524e36722a486baaf60d2070349ac"
	stamp  = "2026-01-31T12:00:00.000Z"
)

func newEntry(file, server string) personafiles.LockEntry {
	return personafiles.LockEntry{File: file, Server: server, ID: "01936f6e-8c8b-7cc0-b36f-6a4b2d0b4d11", SHA256: hash, UpdatedAt: stamp}
}

const golden = `# The personas as which the files here were saved. Written by parley; keep it in git.
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
	for _, e := range []personafiles.LockEntry{
		newEntry("cat.yaml", "https://elsewhere.example/base"), newEntry("cat.yaml", server),
		newEntry(`a b/ünder "it".yaml`, server), newEntry("cat.yaml", server),
	} {
		assert.NoError(t, l.PutEntry(e))
	}
	assert.Equal(t, string(l.Encode()), golden, "it is written as")
	again := assert.Value(personafiles.ParseLock("parley.lock", []byte(golden)))(t)
	assert.Equal(t, string(again.Encode()), golden)
	e, ok := again.FindEntry(server, "cat.yaml")
	assert.True(t, ok, "cat.yaml was not found")
	assert.Equal(t, e, newEntry("cat.yaml", server))
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
		{"cut", golden[:len(golden)/2], "9:5: id is no persona's id"},
		{"binary", "\x00\x01", "1:1: "},
		{"no version", with("version: 1\n", ""), "2:1: expected the members version"},
		{"version 2", with("version: 1", "version: 2"), "2:10: version 2 was written by a later parley; this parley reads only version 1"},
		{"another member", one + "more: 1\n", "2:1: expected the members version"},
		{"another member of an entry", one + "    more: 1\n", "4:5: expected texts called file,"},
		{"no id", with("    id: \"01936f6e-8c8b-7cc0-b36f-6a4b2d0b4d11\"\n", ""), "4:5: id is no persona's id"},
		{"an id of two words", with("01936f6e-", "01936f6e "), "6:9: id is no persona's id"},
		{"a number", with(`"a b/ünder \"it\".yaml"`, "12"), "4:5: expected texts called file,"},
		{"a way out", with(`a b/`, "../"), "4:11: file is not a relative path"},
		{"a password", with("http://", "http://me:secret@"), "5:13: server is not an address"},
		{"a short hash", with(hash, hash[2:]), "7:13: sha256 is not 64"},
		{"a hash in capitals", with(hash, strings.ToUpper(hash)), "7:13: sha256 is not 64"},
		{"no time", with(stamp, "yesterday"), "8:17: updated_at is not a time"},
		{"twice", one + one[strings.Index(one, "  - "):], "9:5: a b/ünder"},
		{"a merge", "version: 1\n<<<<<<< HEAD\n" + golden, "2:1: a merge conflict is not resolved here"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := personafiles.ParseLock("parley.lock", []byte(tt.text))
			var damaged *personafiles.DamagedLockError
			assert.Must(t, errors.As(err, &damaged), "%v", err)
			assert.True(t, strings.HasPrefix(err.Error(), "parley.lock:"+tt.want), "%v, wanted %s", err, tt.want)
			assert.NotContains(t, err.Error(), "secret", "the password is told")
		})
	}
}

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
		assert.NoError(t, err)
		assert.Equal(t, path, filepath.Join(wantPath, personafiles.LockName))
		assert.Equal(t, name, wantName)
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

const (
	foreignV1 = `{"name": "A", "description": "b", "personality": "c", "scenario": "d", "first_mes": "e", "mes_example": "f"}`
	foreignV2 = `{"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "A"}}`
	foreignV3 = `{"spec": "chara_card_v3", "spec_version": "3.0", "data": {"name": "A"}}`
)

// cardPNG is a picture with a text chunk.
func cardPNG(t *testing.T, keyword, text string) string {
	t.Helper()
	data := append([]byte(keyword+"\x00"), base64.StdEncoding.EncodeToString([]byte(text))...)
	chunk := append([]byte("tEXt"), data...)
	out := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	out = binary.BigEndian.AppendUint32(append(out, chunk...), crc32.ChecksumIEEE(chunk))
	face := makePNG(t, 8)
	return string(face[:33]) + string(out) + string(face[33:])
}

func cardArchive(t *testing.T, name, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(name)
	if err == nil {
		_, err = w.Write([]byte(text))
	}
	assert.NoError(t, err)
	assert.NoError(t, z.Close())
	return b.String()
}

// TestForeignFiles: a file of another program gets one finding, with its format and advice.
func TestForeignFiles(t *testing.T) {
	t.Parallel()
	yarn, ink := "title: Start\ntags:\n---\nOdo: Hello.\n===\n", "-> knot\n=== knot ===\nHello.\n* Yes -> END\n"
	const none = "it cannot be imported; begin a persona with `parley persona new`"
	for _, test := range []struct{ name, text, what, todo string }{
		{"v1.json", foreignV1, "a character card V1", "`parley persona import v1.json` makes a persona of it"},
		{"two words.json", foreignV2, "a character card V2", "`parley persona import 'two words.json'`"},
		{"v3.json", foreignV3, "a character card V3", "`parley persona import v3.json`"},
		{"v1.png", cardPNG(t, "chara", foreignV1), "a character card V1", "`parley persona import v1.png`"},
		{"v3.png", cardPNG(t, "ccv3", foreignV3), "a character card V3", "`parley persona import v3.png`"},
		{"v3.charx", cardArchive(t, "card.json", foreignV3), "a character card V3", "`parley persona import v3.charx`"},
		{"card.yaml", foreignV2, "a character card V2", "`parley persona import card.yaml`"},
		{"cut.json", foreignV2[:60], "a character card", "it cannot be read: the card's JSON ends too early"},
		{"bad.png", cardPNG(t, "chara", `{"spec":`), "a character card", "it cannot be read: the card's JSON ends too early"},
		{"face.png", string(makePNG(t, 8)), "a file of the type image/png", none}, {"a.zip", cardArchive(t, "a.txt", ""), "a file of the type application/zip", none},
		{"a.jpg", "\xff\xd8\xff\xe0", "a file of the type image/jpeg", none}, {"a.webp", "RIFF\x24\x00\x00\x00WEBPVP8 ", "a file of the type image/webp", none},
		{"a.yarn", yarn, "a Yarn Spinner script", none}, {"a.txt", yarn, "a Yarn Spinner script", none},
		{"b.ink", "Hello.\n", "an ink script", none}, {"b.txt", ink, "an ink script", none},
		{"c.json", `{"inkVersion":21,"root":[["^Hi","\n",null],"done",null],"listDefs":{}}`, "a compiled ink story", none},
		{"d.rpy", "define e = Character(\"E\")\n", "a Ren'Py script", none}, {"d.txt", "label start:\n    e \"Hello.\"\n    return\n", "a Ren'Py script", none},
		{"nlu.yml", "version: \"3.1\"\nnlu:\n- intent: greet\n  examples: |\n    - hey\n", "Rasa training data", none},
		{"domain.yml", "intents:\n  - greet\nresponses:\n  utter_greet:\n  - text: Hey\n", "Rasa training data", none},
		{"nlu.md", "## intent:greet\n- hey\n", "Rasa training data", none},
		{"e.json", `{"id": "light", "initial": "green", "states": {"green": {"on": {"TIMER": "red"}}, "red": {}}}`, "an XState machine", none},
		{"e.ts", "export const m = createMachine({ id: 'a', initial: 'idle', states: { idle: {} } });\n", "an XState machine", none},
		{"f.twee", ":: Start\nHello [[there]]\n", "a Twine story", none},
		{"g.json", `{"entries": {"0": {"uid": 0, "key": ["a"], "content": "b"}}}`, "a lorebook without a character", none},
	} {
		for how, check := range map[string]personafiles.CheckFunc{
			"lint": personafiles.CheckSource, "run": personafiles.CheckRunnable, "parse": personafiles.ParseSource,
		} {
			f := check(test.name, []byte(test.text))
			if len(f.Findings) != 1 || f.IsSound() || f.Foreign == "" {
				t.Errorf("%s, %s: %+v", test.name, how, f.Findings)
				continue
			}
			message := f.Findings[0].Message
			prefix := "this is " + test.what + ", not a persona file"
			assert.True(t, strings.HasPrefix(message, prefix), "%s, %s: %s", test.name, how, message)
			assert.Contains(t, message, test.todo, "%s, %s", test.name, how)
		}
	}
}

// TestPersonasAreNotForeign: no persona, sound or broken, is taken for another format, nor is an unknown format.
func TestPersonasAreNotForeign(t *testing.T) {
	t.Parallel()
	texts := map[string]string{
		"begun.yaml": "name: Tom\ndescription: A cat.\n",
		"looks.json": `{"name": "A", "description": "b", "machines": [], "initial": "x", "states": {}, ` +
			`"first_mes": "a", "scenario": "b", "spec": "chara_card_v2", "data": {"name": "a"}}`,
		"broken.yaml":    "name: A\npersona_identity_prompt: |\n  title: x\n  ---\n  ===\nlabel start: [\n== a\n-> b\n",
		"yarn.yaml":      "title: x\npersona_identity_prompt: p\n---\n===\n",
		"other.yaml":     "a: 1\nb: [2, 3]\n",
		"arrow.yaml":     "name: a -> b\n",
		"empty.yaml":     "",
		"text.yaml":      "Hello there.\n",
		"package.json":   `{"name": "a", "description": "b", "version": "1.0.0", "scripts": {}}`,
		"compose.yaml":   "version: \"3\"\nservices:\n  a: {image: b}\n",
		"conflict.yaml":  "name: A\n<<<<<<< here\npersona_identity_prompt: a\n=======\npersona_identity_prompt: b\n>>>>>>> there\n",
		"workflow.yaml":  "name: CI\non: push\njobs: {}\n",
		"imported.yaml":  string(importedCard(t)),
		"kubernetes.yml": "apiVersion: v1\nkind: ConfigMap\ndata: {name: a}\n",
	}
	for _, name := range examples.Names() {
		source := assert.Value(examples.Read(name))(t)
		texts[name+".yaml"] = string(source)
		texts[name+"-cut.yaml"] = string(source[:len(source)/2])
	}
	for name, text := range texts {
		assert.Equal(t, personafiles.CheckSource(name, []byte(text)).Foreign, "", name)
	}
}

// importedCard is a persona file that was made of a card.
func importedCard(t *testing.T) []byte {
	t.Helper()
	c := assert.Value(card.Read([]byte(foreignV3)))(t)
	p, _, err := c.Persona()
	assert.NoError(t, err)
	text := assert.Value(card.EncodeYAML(p))(t)
	return text
}

// TestLargeCards: a picture that is too large for a persona file may be a card, and is not read.
func TestLargeCards(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "odo.png")
	assert.NoError(t, os.WriteFile(path, append(makePNG(t, 8), make([]byte, personas.MaxFile)...), 0o600))
	_, err := personafiles.ReadPersonaFile(&cli.Streams{}, path)
	failure, ok := err.(*cli.Failure)
	assert.Must(t, ok, "%v", err)
	assert.Equal(t, failure.Code, cli.ExitNo)
	assert.ErrorContains(t, err, "is a file of the type image/png, not a persona file")
	assert.Contains(t, failure.Hint, "`parley persona import ")
	_, source, err := personafiles.ReadCard(&cli.Streams{}, path)
	assert.NoError(t, err)
	assert.True(t, len(source) >= personas.MaxFile, "as a card: %d bytes", len(source))
}

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
	assert.True(t, !again.HasEntry(mine), "the persona of before is still believed")
	assert.True(t, again.HasEntry(aimed), "the new persona is forgotten")
	files, err := filepath.Glob(filepath.Join(memory, "*.own"))
	assert.Must(t, err == nil && len(files) == 1, "%v, %v", files, err)
	text := assert.Value(os.ReadFile(files[0]))(t)
	for _, damage := range []string{strings.ReplaceAll(string(text), project, "/elsewhere"), string(text)[:20], "\x00\xff", "{}"} {
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
	for _, id := range []string{newEntry("", "").ID, "nobody"} {
		assert.NoError(t, h.Drop(func(e personafiles.LockEntry) bool { return e.Server == server && e.ID == id }))
		check("cat.yaml", "dog.yaml")
	}
}
