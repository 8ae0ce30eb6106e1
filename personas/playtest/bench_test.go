package playtest

import (
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/examples"
)

func readSample(t testing.TB, name string) *personas.Persona {
	t.Helper()
	src := assert.Value(examples.Read(name))(t)
	doc, _, faults := personas.Parse(name+".yaml", src)
	assert.Empty(t, faults)
	return &doc
}
