package localserver

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/portrait"
)

// TestPortraits: a picture is stored without its metadata, returned, and shown on the page; an
// invalid or too large one is refused with its path, for any sender.
func TestPortraits(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	assert.NoError(t, png.Encode(&b, image.NewNRGBA(image.Rect(0, 0, 24, 24))))
	face := b.Bytes()
	uri := func(data []byte) string { return "data:image/png;base64," + base64.StdEncoding.EncodeToString(data) }
	most := append(bytes.Clone(face), make([]byte, portrait.MaxBytes-len(face))...)
	h := begin(t)
	with := func(value string) string { return strings.Replace(gatePersona, "{", `{"portrait": "`+value+`",`, 1) }
	for name, refused := range map[string]string{
		"face.png":                           "the picture itself",
		"https://example.com/face.png":       "the picture itself",
		"javascript:alert(1)":                "the picture itself",
		"data:image/svg+xml;base64,PHN2Zy8+": "not a PNG, JPEG or GIF",
		"data:text/html;base64,PGI+":         "not a PNG, JPEG or GIF",
		"data:image/jpeg;base64," + uri(face)[len("data:image/png;base64,"):]: "it is a PNG",
		uri(face[:60]):                "cannot be read as a PNG",
		uri(append(most, 0)):          "at most 65536 are allowed",
		uri(append(most, 0, 0, 0, 0)): "at most 65536 are allowed",
	} {
		answer := h.send(alice, "POST", "/api/v1/creator/save", with(name))
		if answer.status != 400 && answer.status != 422 {
			t.Fatalf("%.40s: %d %s", name, answer.status, answer.body)
		}
		if text := string(answer.body); !strings.Contains(text, refused) || !strings.Contains(text, `"portrait"`) || len(text) > 2000 {
			t.Errorf("%.40s: %.400s, want %q", name, text, refused)
		}
	}
	commented := bytes.Clone(face[:33]) // A text chunk behind IHDR.
	commented = append(append(commented, "\x00\x00\x00\x0ftEXtComment\x00at home#\xa7\xad\x86"...), face[33:]...)
	for _, sent := range [][]byte{most, face, commented} {
		id := h.savePersona(with(uri(sent)))
		var full struct {
			Persona struct{ Portrait string }
		}
		if err := json.Unmarshal(h.send(alice, "GET", "/api/v1/personas/"+id+"/full", "").body, &full); err != nil || full.Persona.Portrait != uri(face) {
			t.Errorf("%v: %.60s", err, full.Persona.Portrait)
		}
	}
	page := string(h.send("", "GET", strings.TrimPrefix(h.link(with(uri(face))), h.URL()), "").body)
	if !strings.Contains(page, `<img class="face" src="`+strings.ReplaceAll(uri(face), "+", "&#43;")+`" alt="`) && !strings.Contains(page, `<img class="face" src="`+uri(face)+`" alt="`) {
		t.Errorf("the page does not show it: %.3000s", page[strings.Index(page, "<body>"):])
	}
}
