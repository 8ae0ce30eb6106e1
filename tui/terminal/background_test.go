package terminal

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

func TestBackgroundAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name         string
		answers      []string
		light, known bool
	}{
		{"dark", []string{"11;rgb:1e1e/1e1e/1e1e"}, false, true},
		{"light", []string{"11;rgb:fdfd/f6f6/e3e3"}, true, true},
		{"with transparency", []string{"11;rgba:0000/0000/0000/ffff"}, false, true},
		{"the first of two", []string{"11;rgb:ff/ff/ff", "11;rgb:00/00/00"}, true, true},
		{"behind others", []string{"10;rgb:0/0/0", "52;c;", "11;red", "11;rgb:0/0", "11;rgb:ff/ff/ff"}, true, true},
		{"none", []string{"10;rgb:f/f/f", "111;rgb:f/f/f"}, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := NewBackgroundQuestion()
			for _, osc := range c.answers {
				b.TakeAnswer(osc)
			}
			ctx, cancel := context.WithCancel(t.Context())
			if !c.known {
				cancel() // It waits for an answer as long as it may.
			}
			defer cancel()
			var out bytes.Buffer
			light, known := b.AskTerminal(ctx, &out)
			assert.Equal(t, light, c.light, c.answers)
			assert.Equal(t, known, c.known, c.answers)
			assert.Equal(t, out.String(), backgroundQuestion, c.answers)
		})
	}
}

// AskTerminal does not wait for a terminal that does not accept output.
func TestBackgroundOfClosedTerminal(t *testing.T) {
	t.Parallel()
	_, closed := io.Pipe()
	assert.NoError(t, closed.Close())
	_, known := NewBackgroundQuestion().AskTerminal(t.Context(), closed)
	assert.True(t, !known, "it is known")
}

func TestIsTerminal(t *testing.T) {
	t.Parallel()
	assert.True(t, !IsTerminal(strings.NewReader("")), "a text is one")
	assert.True(t, IsTerminal(os.Stdin), "a file is none")
}
