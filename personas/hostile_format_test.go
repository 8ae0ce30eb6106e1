package personas_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/personatest"
)

// TestFormatNeverWritesWhatCannotBeRead: a file that would become too long is rejected.
func TestFormatNeverWritesWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	s := personatest.Find("nested lists")
	_, err := personas.Format(s.File(), []byte(s.Text(1<<18, 1)))
	assert.True(t, errors.Is(err, personas.ErrFormat) && strings.Contains(err.Error(), "8388608"), "it is formatted: %v", err)
	for _, name := range []string{"nested lists", "unknown members", "machines", "parallel transitions", "members of nested objects"} {
		s := personatest.Find(name)
		text, err := personas.Format(s.File(), []byte(s.Text(1<<14, 1)))
		assert.True(t, err == nil && len(text) <= personas.MaxFile, "%s: %d bytes, %v", name, len(text), err)
		again := assert.Value(personas.Format(s.File(), text))(t)
		assert.True(t, string(again) == string(text), "%s: formatted again it is something else", name)
	}
}
