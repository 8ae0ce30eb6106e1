package lines

import (
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/playwords"
)

const triesHint = "3 tries here. " + playwords.MissRule + " " + playwords.FreeTalkButNo + "\n"

// TestHintsInAPipe: the initial tries and the model are printed once beside the play, if a script asks for hints.
func TestHintsInAPipe(t *testing.T) {
	t.Parallel()
	model := (&Options{}).ModelWords()
	assert.Equal(t, model, "", "of a model that is not known it")
	for _, c := range []struct {
		name            string
		hints, directed bool
		want            string
	}{
		{"no hints", false, true, ""},
		{"another model", true, false, triesHint},
		{"the built-in model", true, true, "The built-in model answers; use --llm ollama/NAME for a language model. `parley localserver models` lists them.\n" + triesHint},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newLinePlay()
			err := p.play(t.Context(), strings.NewReader("hm\n/reset\nhm\n"), func(o *Options) { o.Hints, o.Directed = c.hints, c.directed })
			assert.NoError(t, err)
			assert.Equal(t, p.err.String(), c.want)
		})
	}
}

// TestHintsToAPerson: for a person the same hints are part of the usual output.
func TestHintsToAPerson(t *testing.T) {
	t.Parallel()
	p := newLinePlay()
	assert.NoError(t, p.play(t.Context(), strings.NewReader("hm\n/new\n"), func(o *Options) { o.Interactive, o.Directed = true, true }))
	for _, words := range []string{"The built-in model answers", playwords.MissRule} {
		n := strings.Count(p.err.String(), words)
		assert.Equal(t, n, 1, "%q is said %d times:\n%s", words, n, p.err.String())
	}
	assert.Contains(t, p.out.String(), "3 tries here.", "the tries are missing")
}
