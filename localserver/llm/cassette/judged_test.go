package cassette

import (
	"testing"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas/assert"
)

// TestJudgementsAreReplayed: the probabilities of a letter and of the choices of a decision model,
// and their tokens, are recorded and replayed; the two kinds are distinguished.
func TestJudgementsAreReplayed(t *testing.T) {
	t.Parallel()
	letter := newRequest("evaluation", "The message: \"hi\"")
	letter.TopTokens = 20
	decision := newRequest("evaluation", "The message: \"hi\"")
	decision.Decision = &provider.Decision{Wire: provider.SystemOne}
	decision.Schema = &provider.Schema{Name: "decision", JSON: []byte(`{"wire":"systemone"}`)}
	path := tempFile(t)
	rec := openRecorder(t, path)
	asker := newFakeAsker()
	asker.play = func(r provider.Request) ([]string, provider.Answer, error) {
		first := []provider.TokenProbability{{Token: "A", Probability: 0.75}, {Token: "B", Probability: 0.25}}
		if r.Decision != nil {
			first = []provider.TokenProbability{{Token: provider.DecisionMatter, Probability: 0.5}, {Token: "pass", Probability: 1}}
		}
		return nil, provider.Answer{Finish: provider.Stopped, First: first, Usage: llm.Usage{In: 12, Out: 1, Cached: 10}}, nil
	}
	recorded := []provider.Answer{askOnce(t, rec.Wrap(asker), letter), askOnce(t, rec.Wrap(asker), decision)}
	assert.NoError(t, rec.Close())
	played := loadPlayer(t, path).Asker("")
	for i, r := range []provider.Request{letter, decision} {
		got, want := askOnce(t, played, r), recorded[i]
		assert.EqualSlices(t, got.First, want.First)
		assert.Equal(t, got.Usage, want.Usage)
		assert.Equal(t, got.Usage.Cached, 10)
	}
}
