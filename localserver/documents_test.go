package localserver

import (
	"context"
	"github.com/parley-npc/parley/personas/assert"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/personatest"
	"github.com/parley-npc/parley/personas/wire"
)

// TestWrittenOutPersonas: a saved persona can be read again, regardless of the size of its escaped
// characters; if the result would be too long, the save is refused.
func TestWrittenOutPersonas(t *testing.T) {
	h := begin(t)
	for name, refused := range map[string]bool{"prompts of ampersands": false, "DEL": true} {
		if refused {
			text := strings.Replace(gatePersona, "{", `{"x-a":"`+strings.Repeat("\x7f", personas.MaxFile/5)+`",`, 1)
			h.send(alice, "POST", wire.PathSave, text).fails(422, wire.CodeInvalid)
			continue
		}
		id := h.savePersona(personatest.Find(name).Text(personas.MaxFile, 1))
		h.send(alice, "GET", wire.Path(wire.PathFull, id), "").want(200)
	}
}

// TestNobodyIsWorkedFor: no stage of reading a saved document begins for a caller who has
// disconnected.
func TestNobodyIsWorkedFor(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	assert.Value(readDocument(ctx, []byte(gatePersona)))(t)
	leave()
	_, err := readDocument(ctx, []byte(gatePersona))
	assert.ErrorIs(t, err, context.Canceled, "a document was read")
	stages := &leavingAfter{Context: t.Context(), stages: 1}
	_, err = readDocument(stages, []byte(`{"name":1}`))
	assert.ErrorIs(t, err, context.Canceled, "a document was checked")
}

// leavingAfter is the context of a caller who disconnects after a number of checks.
type leavingAfter struct {
	context.Context
	stages int
}

func (l *leavingAfter) Err() error {
	if l.stages--; l.stages < 0 {
		return context.Canceled
	}
	return nil
}
