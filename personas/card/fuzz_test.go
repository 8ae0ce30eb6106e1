package card_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/card"
	"github.com/parley-npc/parley/personas/lint"
)

// checkCard checks that a card's persona reads back, has no lint errors, and exports to a card.
func checkCard(t *testing.T, content []byte) {
	t.Helper()
	c, err := card.Read(content)
	if err != nil {
		return
	}
	p, _, err := c.Persona()
	assert.NoError(t, err)
	again := parseFile(t, p)
	assert.Empty(t, lint.Refusals(&again, nil))
	made := assert.Value(card.FromPersona(&again))(t)
	text := assert.Value(made.JSON())(t)
	_, err = card.Read(text)
	assert.NoError(t, err, "%v\n%s", err, text)
}

func FuzzJSON(f *testing.F) {
	for _, text := range []string{cardV1, cardV2, cardV3, `{"spec": "chara_card_v4", "data": {"name": "{{user}}", "assets": [1, {"uri": "data:,"}], "character_book": {"entries": {}}}}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(checkCard)
}

func FuzzPNG(f *testing.F) {
	f.Add([]byte("tEXt"), []byte("chara\x00e30="))
	f.Add([]byte("zTXt"), slices.Concat([]byte("ccv3\x00\x00"), deflate(f, []byte(`{"name": "a"}`))))
	f.Add([]byte("iTXt"), []byte("chara\x00\x00\x00\x00\x00{}"))
	f.Fuzz(func(t *testing.T, kind, data []byte) {
		checkCard(t, withChunks(t, slices.Concat(chunkHead(uint32(len(data)), string(kind)), data, []byte("1234"))))
		checkCard(t, slices.Concat([]byte("\x89PNG\r\n\x1a\n"), kind, data))
	})
}

func FuzzArchive(f *testing.F) {
	f.Add(makeArchive(f, zipFile{"card.json", []byte(cardV1)}, zipFile{"a/b.png", []byte("x")}))
	f.Add([]byte("PK\x05\x06"))
	f.Fuzz(checkCard)
}

func FuzzMacros(f *testing.F) {
	f.Add("{{char}} {{random:a,{{user}}}} <BOT>", "{{// {{roll:6}} }}", "@@depth 4\n@@@x\n{{original}}")
	f.Fuzz(func(t *testing.T, name, text, lore string) {
		node := func(s string) string {
			text := assert.Value(json.Marshal(s))(t)
			return string(text)
		}
		checkCard(t, []byte(`{"spec": "chara_card_v2", "data": {"name": `+node(name)+`, "description": `+node(text)+`, "first_mes": `+node(text)+`, "mes_example": `+node("{{user}}: "+text+"\n{{char}}: "+lore)+
			`, "character_book": {"entries": [{"keys": [`+node(name)+`, "a"], "content": `+node(lore)+`}, {"keys": ["b"], "constant": true, "content": `+node(text)+`}]}}}`))
	})
}
