package card_test

import (
	"archive/zip"
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/card"
)

// cardV1, cardV2 and cardV3 are cards as programs write them.
const (
	cardV1 = `{"name": "Ada", "description": "{{char}} mends clocks.", "personality": "patient", "scenario": "A shop at noon.",
		"first_mes": "Is it the spring, <USER>?", "mes_example": "<START>\n{{user}}: hi\nAda: Hello.", "avatar": "none", "create_date": "2023-5-4"}`
	cardV2 = `{"spec": "chara_card_v2", "spec_version": "2.0", "name": "Odo", "data": {"name": "Odo", "description": "{{char}} keeps the toll bridge. {{user}} wants to cross.",
		"personality": "gruff, fair", "scenario": "A bridge at dusk.", "first_mes": "*{{char}} lowers the pole.* Two coppers, {{user}}.",
		"mes_example": "<START>\n{{user}}: Let me pass.\n{{char}}: Coin first.\n", "creator_notes": "for tests", "system_prompt": "You are {{char}}. {{original}}",
		"post_history_instructions": "Stay short.", "alternate_greetings": ["Bridge is shut."], "tags": ["guard"], "creator": "x", "character_version": "1",
		"character_book": {"entries": [
			{"keys": ["toll", "fee"], "content": "The toll is two coppers.", "enabled": true, "insertion_order": 2, "extensions": {"own": 1}},
			{"keys": ["war"], "content": "@@depth 4\n\nThe war ended at this bridge.", "enabled": true, "insertion_order": 1, "extensions": {}},
			{"keys": ["x"], "content": "Always the river.", "enabled": true, "constant": true, "insertion_order": 3, "extensions": {}},
			{"keys": ["secret"], "content": "Off.", "enabled": false, "insertion_order": 4, "extensions": {}},
			{"keys": ["/colou?r/i"], "content": "Red.", "enabled": true, "insertion_order": 5, "extensions": {}}], "extensions": {}},
		"extensions": {"depth_prompt": {"depth": 4, "prompt": ""}, "big": 12345678901234567890, "small": 1e-7}, "unheard_of": [1, null, {"a": true}]}}`
	cardV3 = `{"spec": "chara_card_v3", "spec_version": "3.0", "data": {"name": "Ines of the Lamp", "nickname": "Ines", "description": "Ines keeps a light.", "personality": "",
		"scenario": "", "first_mes": "{{char}} waves. {{// not yet}}{{random:Evening,Morning}}, {{User}}. It is {{time}}.", "mes_example": "", "creator_notes": "old",
		"creator_notes_multilingual": {"en": "A keeper.", "de": "Eine Wärterin."}, "system_prompt": "", "post_history_instructions": "", "alternate_greetings": [],
		"group_only_greetings": ["Hello all."], "tags": [], "creator": "", "character_version": "", "extensions": {}, "source": ["https://example.com/1"],
		"assets": [{"type": "icon", "uri": "embeded://assets/icon/main.png", "name": "main", "ext": "png"},
			{"type": "emotion", "uri": "embeded://assets/emotion/happy.png", "name": "happy", "ext": "png"},
			{"type": "background", "uri": "https://example.com/b.png", "name": "main", "ext": "png"}]}}`
)

func drawFace(width, height int) image.Image {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	seed := uint32(1)
	for i := range m.Pix {
		seed = seed*1664525 + 1013904223
		m.Pix[i] = byte(seed >> 24)
		if i%4 == 3 {
			m.Pix[i] = 255
		}
	}
	m.Set(0, 0, color.NRGBA{255, 0, 0, 255})
	return m
}

func encodePNG(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	assert.NoError(t, png.Encode(&b, m))
	return b.Bytes()
}

func chunk(kind string, data []byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	out = append(append(out, kind...), data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}

func withChunks(t testing.TB, chunks ...[]byte) []byte {
	t.Helper()
	face := encodePNG(t, drawFace(12, 18))
	const behindHead = 8 + 25
	return slices.Concat(face[:behindHead], slices.Concat(chunks...), face[behindHead:])
}

func textChunk(keyword, text string) []byte {
	return chunk("tEXt", []byte(keyword+"\x00"+base64.StdEncoding.EncodeToString([]byte(text))))
}

func deflate(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z, _ := zlib.NewWriterLevel(&b, zlib.BestCompression)
	assert.Value(z.Write(data))(t)
	assert.NoError(t, z.Close())
	return b.Bytes()
}

// zipFile is a file of an archive.
type zipFile struct {
	name string
	data []byte
}

func makeArchive(t testing.TB, files ...zipFile) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range files {
		w, err := z.CreateHeader(&zip.FileHeader{Name: f.name, Method: zip.Deflate})
		if err == nil {
			_, err = w.Write(f.data)
		}
		assert.NoError(t, err)
	}
	assert.NoError(t, z.Close())
	return b.Bytes()
}

func mustRead(t testing.TB, content []byte) *card.Card {
	t.Helper()
	return assert.Value(card.Read(content))(t, "%.60q", content)
}

func TestReadVersions(t *testing.T) {
	t.Parallel()
	v1, v2, v3 := mustRead(t, []byte(cardV1)), mustRead(t, []byte(cardV2)), mustRead(t, []byte("\ufeff"+cardV3))
	assert.Equal(t, v1.Version, card.V1, "V1")
	assert.Equal(t, v1.Name, "Ada", "V1")
	assert.Equal(t, v1.Scenario, "A shop at noon.", "V1")
	assert.Equal(t, v1.Container, card.JSON, "V1")
	assert.Equal(t, v2.Version, card.V2, "V2")
	assert.Equal(t, v2.SystemPrompt, "You are {{char}}. {{original}}", "V2")
	assert.Must(t, len(v2.Book) == 5, "V2: %+v", v2)
	assert.Equal(t, v2.Book[0].Keys[1], "fee", "V2")
	assert.True(t, !v2.Book[3].Enabled, "V2: %+v", v2)
	assert.Equal(t, v3.Version, card.V3, "V3")
	assert.Equal(t, v3.Nickname, "Ines", "V3")
	assert.Equal(t, v3.CreatorNotes, "A keeper.", "V3")
	assert.Equal(t, v3.GroupGreetings[0], "Hello all.", "V3")
}

func TestReadLeniently(t *testing.T) {
	t.Parallel()
	c := mustRead(t, []byte(`{"spec": "chara_card_v2", "data": {"name": 7, "name": "Tom", "description": null, "first_mes": ["a"], "personality": "a\r\nb\u0000\u001b[31m\u202e", "alternate_greetings": ["b", 4], "character_book": {"entries": [{"keys": "a, b", "content": "c", "insertion_order": "7"}, 3]}}}`))
	assert.Equal(t, c.Name, "Tom")
	assert.Equal(t, c.Personality, "a\nb[31m")
	assert.Equal(t, c.FirstMessage, "")
	assert.EqualSlices(t, c.Book[0].Keys, []string{"a", "b"})
	assert.True(t, c.Book[0].Enabled, "%+v", c.Book)
	assert.Equal(t, c.Book[0].Order, 7)
	var told []string
	for _, n := range c.Notes {
		told = append(told, n.Place)
	}
	assert.EqualSlices(t, told, []string{"data.first_mes", "data.alternate_greetings", "data.character_book.entries[1]", "data"})
	assert.True(t, json.Valid(c.Raw()), "%s", c.Raw())
}

// TestReadPNG: a card is found in each kind of text chunk, V3 before V2, and its picture is the PNG.
func TestReadPNG(t *testing.T) {
	t.Parallel()
	encoded := []byte(base64.StdEncoding.EncodeToString([]byte(cardV2)))
	for name, chunks := range map[string][][]byte{
		"tEXt":                {textChunk("chara", cardV2)},
		"tEXt, other case":    {textChunk("Chara", cardV2)},
		"zTXt":                {chunk("zTXt", slices.Concat([]byte("chara\x00\x00"), deflate(t, encoded)))},
		"iTXt":                {chunk("iTXt", slices.Concat([]byte("chara\x00\x00\x00en\x00Karte\x00"), encoded))},
		"iTXt, compressed":    {chunk("iTXt", slices.Concat([]byte("chara\x00\x01\x00\x00\x00"), deflate(t, encoded)))},
		"JSON as it is":       {chunk("tEXt", []byte("chara\x00"+cardV2))},
		"no padding, lines":   {chunk("tEXt", []byte("chara\x00"+strings.TrimRight(string(encoded[:40])+"\r\n"+string(encoded[40:]), "=")))},
		"between other texts": {chunk("tEXt", []byte("Software\x00x")), textChunk("chara", cardV2), chunk("tEXt", []byte("nothing"))},
	} {
		c, err := card.Read(withChunks(t, chunks...))
		assert.NoError(t, err, name)
		assert.Equal(t, c.Version, card.V2, name)
		assert.Equal(t, c.Name, "Odo", name)
		assert.Equal(t, c.Container, card.PNG, name)
		assert.True(t, c.Picture != nil, "%s: %v, %+v", name, err, c)
	}
	both := mustRead(t, withChunks(t, textChunk("chara", cardV2), textChunk("ccv3", cardV3)))
	assert.Equal(t, both.Version, card.V3)
	assert.Equal(t, both.Name, "Ines of the Lamp")
	_, err := card.Read(withChunks(t))
	assert.ErrorIs(t, err, card.ErrNoCard, "a picture alone")
}

// TestReadArchive: a CHARX has a card and an icon; other files are reported. It may follow a JPEG.
func TestReadArchive(t *testing.T) {
	t.Parallel()
	face := encodePNG(t, drawFace(12, 18))
	archive := makeArchive(t, zipFile{"card.json", []byte(cardV3)}, zipFile{"assets/icon/main.png", face}, zipFile{"assets/emotion/happy.png", face}, zipFile{"module.risum", []byte("x")})
	var cover bytes.Buffer
	assert.NoError(t, jpeg.Encode(&cover, drawFace(8, 8), nil))
	for name, content := range map[string][]byte{"CHARX": archive, "behind a JPEG": slices.Concat(cover.Bytes(), archive)} {
		c, err := card.Read(content)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		assert.Equal(t, c.Container, card.CHARX, name)
		assert.True(t, bytes.Equal(c.Picture, face), "%s: %q %q", name, c.OtherFiles, c.LeftAssets)
		assert.EqualSlices(t, c.OtherFiles, []string{"assets/emotion/happy.png", "module.risum"}, name)
		assert.EqualSlices(t, c.LeftAssets, []string{"emotion happy"}, name)
		raw := string(c.Raw())
		assert.True(t, !strings.Contains(raw, "embeded") && strings.Contains(raw, "https://example.com/b.png"), "%s: %s", name, raw)
	}
}

// TestNoCard: the error for a file of another kind differs from that for a broken card.
func TestNoCard(t *testing.T) {
	t.Parallel()
	for name, content := range map[string][]byte{
		"nothing": nil, "text": []byte("title: Start\n---\n==="), "a list": []byte(`["chara_card_v2"]`), "another object": []byte(`{"name": "a", "description": "b"}`),
		"a persona": []byte(`{"name": "a", "description": "b", "persona_identity_prompt": "c", "machines": []}`), "a lorebook": []byte(`{"spec": "lorebook_v3", "data": {"entries": []}}`),
		"a zip": makeArchive(t, zipFile{"a.txt", nil}), "an empty zip": makeArchive(t), "a JPEG": []byte("\xff\xd8\xff\xe0 and more"), "npm": []byte(`{"name": "a", "scripts": {}}`),
	} {
		_, err := card.Read(content)
		assert.ErrorIs(t, err, card.ErrNoCard, name)
	}
	for name, content := range map[string][]byte{
		"half": []byte(cardV2[:200]), "no data": []byte(`{"spec": "chara_card_v2"}`), "more": []byte(cardV1 + "{}"), "comma": []byte("{\"spec\": \"chara_card_v2\",\n \"a\": 1,}"),
	} {
		_, err := card.Read(content)
		assert.True(t, err != nil && !errors.Is(err, card.ErrNoCard), "%s: %v", name, err)
	}
}
