package card_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/card"
	"github.com/parley-npc/parley/personas/examples"
	"github.com/parley-npc/parley/personas/lint"
	"github.com/parley-npc/parley/personas/personatest"
	"github.com/parley-npc/parley/personas/plaintext"
)

func mustExport(t testing.TB, p *personas.Persona) (*card.Export, []byte) {
	t.Helper()
	made := assert.Value(card.FromPersona(p))(t)
	text := assert.Value(made.JSON())(t)
	return made, text
}

// TestRoundTrip: an imported card that is exported and imported again makes the same persona.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	face := encodePNG(t, drawFace(100, 150))
	large := encodePNG(t, drawFace(300, 450))
	onTheWeb := strings.Replace(cardV3, "embeded://assets/icon/main.png", "https://example.com/a.png", 1)
	for name, content := range map[string][]byte{
		"V1": []byte(cardV1), "V2": []byte(cardV2), "V3": []byte(cardV3), "in a PNG": withChunks(t, textChunk("chara", cardV2)),
		"in a large PNG": slices.Concat(large[:33], textChunk("ccv3", cardV3), large[33:]),
		"CHARX":          makeArchive(t, zipFile{"card.json", []byte(cardV3)}, zipFile{"assets/icon/main.png", face}),
		"icon elsewhere": slices.Concat(large[:33], textChunk("ccv3", onTheWeb), large[33:]),
		"no assets":      []byte(strings.Replace(cardV3, `"assets": [{`, `"assets": [], "other": [{`, 1)),
	} {
		p, _ := mustConvert(t, content)
		p = parseFile(t, p)
		_, text := mustExport(t, &p)
		again, _ := mustConvert(t, text)
		again = parseFile(t, again)
		if !reflect.DeepEqual(p, again) {
			one, _ := json.MarshalIndent(p, "", " ")
			two, _ := json.MarshalIndent(again, "", " ")
			t.Errorf("%s: %s\nbecomes\n%s", name, one, two)
		}
		assert.Equal(t, mustRead(t, text).Version, card.V3, "%s is not V3", name)
	}
}

// TestRoundTripByPNG: a written PNG card can be read again, and has the same picture if that was a PNG.
func TestRoundTripByPNG(t *testing.T) {
	t.Parallel()
	p, _ := mustConvert(t, withChunks(t, textChunk("chara", cardV2)))
	made, _ := mustExport(t, &p)
	content, err := made.PNG()
	assert.NoError(t, err)
	again, _ := mustConvert(t, content)
	assert.DeepEqual(t, p, again)
	assert.Contains(t, string(content), "tEXtchara\x00", "a version is missing")
	assert.Contains(t, string(content), "tEXtccv3\x00", "a version is missing")
	p.Portrait = ""
	made, _ = mustExport(t, &p)
	_, err = made.PNG()
	assert.ErrorContains(t, err, "no portrait", "without a picture")
}

// TestExportOfChanges: the author's changes are written, and everything else stays as in the card.
func TestExportOfChanges(t *testing.T) {
	t.Parallel()
	p, _ := mustConvert(t, []byte(cardV2))
	p = parseFile(t, p)
	p.Name = "Oda"
	p.PerplexityDescription = "A keeper of bridges."
	p.Machines[0].States[0].Offline.Opening = []string{"{{persona_name}} nods at {{player_name}}, {{player_gender}}.", "Hm."}
	p.Offline.Answers = append(p.Offline.Answers[1:], personas.Answer{Ask: []string{"river"}, Say: []string{"It is deep, {{player_name}}.", "Deep."}})
	made, text := mustExport(t, &p)
	c := mustRead(t, text)
	assert.Equal(t, c.Name, "Oda")
	assert.Equal(t, c.CreatorNotes, "A keeper of bridges.")
	assert.Equal(t, c.FirstMessage, "{{char}} nods at {{user}}, [player_gender].")
	assert.EqualSlices(t, c.AlternateGreetings, []string{"Hm."})
	assert.Equal(t, c.Description, "{{char}} keeps the toll bridge. {{user}} wants to cross.", "an unchanged member")
	assert.Equal(t, c.SystemPrompt, "You are {{char}}. {{original}}", "an unchanged member")
	assert.True(t, c.ExampleMessages != "", "an unchanged member: %+v", c)
	var keys []string
	for _, e := range c.Book {
		keys = append(keys, strings.Join(e.Keys, "+"))
	}
	assert.EqualSlices(t, keys, []string{"toll+fee", "x", "secret", "/colou?r/i", "river"})
	assert.Equal(t, c.Book[4].Content, "It is deep, {{user}}.")
	assert.Equal(t, c.Book[4].Order, 6)
	for _, kept := range []string{`"own": 1`, `"unheard_of"`, `12345678901234567890`, `"depth_prompt"`} {
		assert.Contains(t, string(text), kept)
	}
	assert.Contains(t, listNotes(made.Report.Left), "answers: 1 line besides the first ones")
	p.IdentityPrompt = "You are {{persona_name}}, a keeper."
	_, text = mustExport(t, &p)
	c = mustRead(t, text)
	assert.Equal(t, c.Description, "You are {{char}}, a keeper.", "with another prompt")
	assert.Equal(t, c.SystemPrompt+c.Personality+c.Scenario+c.ExampleMessages, "", "with another prompt")
	assert.Equal(t, len(c.Book), 4, "with another prompt")
}

// TestExportOfSamples: each sample becomes a card with its texts that can be read again.
func TestExportOfSamples(t *testing.T) {
	t.Parallel()
	for _, name := range examples.Names() {
		p := personatest.Sample(t, name)
		made, text := mustExport(t, p)
		c := mustRead(t, text)
		assert.Equal(t, c.Name, p.Name, name)
		assert.True(t, c.Description != "", "%s has no description", name)
		assert.True(t, c.FirstMessage != "", "%s has no first message", name)
		assert.True(t, c.CreatorNotes != "", "%s has no notes", name)
		assert.NotContains(t, c.Description+c.FirstMessage, "{{p", name)
		assert.True(t, len(made.Report.Left) >= len(p.Machines), "%s: %s", name, listNotes(made.Report.Left))
		again, _ := mustConvert(t, text)
		parseFile(t, again)
	}
}

// TestBadXCard: a member that is not a card is refused with a message that suggests a remedy.
func TestBadXCard(t *testing.T) {
	t.Parallel()
	for _, value := range []string{`1`, `{}`, `{"spec": "chara_card_v3"}`} {
		p := personas.Persona{Name: "a", Extra: personas.Members{{Name: card.Member, Value: json.RawMessage(value)}}}
		_, err := card.FromPersona(&p)
		assert.ErrorContains(t, err, "x-card is not a valid card", value)
	}
}

// TestExportEscapesHidden: characters that a terminal interprets are written as escapes, and are read back unchanged.
func TestExportEscapesHidden(t *testing.T) {
	const name = "\u009b31m\u202eN\U000e0041\u0085"
	p := personas.Persona{Name: name, Description: "d", IdentityPrompt: "p", Machines: []personas.Machine{{Key: "m"}}}
	made := assert.Value(card.FromPersona(&p))(t)
	text := assert.Value(made.JSON())(t)
	assert.True(t, !bytes.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII && plaintext.IsObeyed(r) }), "%q", text)
	var read struct{ Data struct{ Name string } }
	err := json.Unmarshal(text, &read)
	assert.True(t, err == nil && read.Data.Name == name, "%v: %q, want %q", err, read.Data.Name, name)
}

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
			return string(assert.Value(json.Marshal(s))(t))
		}
		checkCard(t, []byte(`{"spec": "chara_card_v2", "data": {"name": `+node(name)+`, "description": `+node(text)+`, "first_mes": `+node(text)+`, "mes_example": `+node("{{user}}: "+text+"\n{{char}}: "+lore)+
			`, "character_book": {"entries": [{"keys": [`+node(name)+`, "a"], "content": `+node(lore)+`}, {"keys": ["b"], "constant": true, "content": `+node(text)+`}]}}}`))
	})
}
