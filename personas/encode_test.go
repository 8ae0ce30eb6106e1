package personas_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/personatest"
)

// TestEncodeJSONIsBounded: a persona that would be too long when indented is only written piece by piece.
func TestEncodeJSONIsBounded(t *testing.T) {
	t.Parallel()
	s := personatest.Find("nested lists")
	doc, _, faults := personas.Parse(s.File(), []byte(s.Text(300<<10, 1)))
	assert.Empty(t, faults)
	text, err := personas.EncodeJSON(doc)
	assert.True(t, errors.Is(err, personas.ErrFormat) && strings.Contains(err.Error(), "8388608"), "%d bytes, %v", len(text), err)
	assert.NoError(t, personas.WriteJSON(io.Discard, doc))
}

// A document written piece by piece equals the indented output of the standard library.
func TestWriteJSONIndents(t *testing.T) {
	t.Parallel()
	for _, s := range personatest.Shapes() {
		doc, _, faults := personas.Parse(s.File(), []byte(s.Text(1<<12, 1)))
		if len(faults) > 0 {
			continue
		}
		compact, err := doc.MarshalJSON()
		var want, got bytes.Buffer
		if err != nil || json.Indent(&want, compact, "", "  ") != nil || personas.WriteJSON(&got, doc) != nil || got.String() != want.String()+"\n" {
			t.Errorf("%s: %v\n%.300s\n%.300s", s.Name, err, got.String(), want.String())
		}
	}
}
