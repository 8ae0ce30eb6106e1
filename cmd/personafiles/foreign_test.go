package personafiles_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/card"
	"github.com/parley-npc/parley/personas/examples"
)

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
	const none = "it cannot be imported; `parley persona new` begins a persona"
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
		{"face.png", string(makePNG(t, 8)), "a PNG picture", none}, {"a.zip", cardArchive(t, "a.txt", ""), "a zip archive", none},
		{"a.jpg", "\xff\xd8\xff\xe0", "a JPEG picture", none}, {"a.webp", "RIFF\x24\x00\x00\x00WEBPVP8 ", "a WebP picture", none},
		{"a.yarn", yarn, "a Yarn Spinner script", none}, {"a.txt", yarn, "a Yarn Spinner script", none}, {"b.ink", "Hello.\n", "an ink script", none}, {"b.txt", ink, "an ink script", none},
		{"c.json", `{"inkVersion":21,"root":[["^Hi","\n",null],"done",null],"listDefs":{}}`, "a compiled ink story", none},
		{"d.rpy", "define e = Character(\"E\")\n", "a Ren'Py script", none}, {"d.txt", "label start:\n    e \"Hello.\"\n    return\n", "a Ren'Py script", none},
		{"nlu.yml", "version: \"3.1\"\nnlu:\n- intent: greet\n  examples: |\n    - hey\n", "Rasa training data", none},
		{"domain.yml", "intents:\n  - greet\nresponses:\n  utter_greet:\n  - text: Hey\n", "Rasa training data", none}, {"nlu.md", "## intent:greet\n- hey\n", "Rasa training data", none},
		{"e.json", `{"id": "light", "initial": "green", "states": {"green": {"on": {"TIMER": "red"}}, "red": {}}}`, "an XState machine", none},
		{"e.ts", "export const m = createMachine({ id: 'a', initial: 'idle', states: { idle: {} } });\n", "an XState machine", none},
		{"f.twee", ":: Start\nHello [[there]]\n", "a Twine story", none}, {"g.json", `{"entries": {"0": {"uid": 0, "key": ["a"], "content": "b"}}}`, "a lorebook without a character", none},
	} {
		for how, check := range map[string]personafiles.CheckFunc{"lint": personafiles.CheckSource, "run": personafiles.CheckRunnable, "parse": personafiles.ParseSource} {
			f := check(test.name, []byte(test.text))
			if len(f.Findings) != 1 || f.IsSound() || f.Foreign == "" {
				t.Errorf("%s, %s: %+v", test.name, how, f.Findings)
				continue
			}
			if m := f.Findings[0].Message; !strings.HasPrefix(m, "this is "+test.what+", not a persona file") || !strings.Contains(m, test.todo) {
				t.Errorf("%s, %s: %s", test.name, how, m)
			}
		}
	}
}

// TestPersonasAreNotForeign: no persona, sound or broken, is taken for another format, nor is an unknown format.
func TestPersonasAreNotForeign(t *testing.T) {
	t.Parallel()
	texts := map[string]string{
		"begun.yaml":     "name: Tom\ndescription: A cat.\n",
		"looks.json":     `{"name": "A", "description": "b", "machines": [], "initial": "x", "states": {}, "first_mes": "a", "scenario": "b", "spec": "chara_card_v2", "data": {"name": "a"}}`,
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
	if !ok || failure.Code != cli.ExitNo || !strings.Contains(err.Error(), "is a PNG picture, not a persona file") || !strings.Contains(failure.Hint, "`parley persona import ") {
		t.Errorf("%v", err)
	}
	_, source, err := personafiles.ReadCard(&cli.Streams{}, path)
	assert.True(t, err == nil && len(source) >= personas.MaxFile, "as a card: %d bytes, %v", len(source), err)
}
