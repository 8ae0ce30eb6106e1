package models

import (
	"context"
	"hash/fnv"
	"strconv"

	"github.com/parley-npc/parley/localserver/llm"
)

// Repeatable is a model whose choice among equal lines depends on what was said and
// not on which session it was said in, so that a script gets the same answers
// every time.
type Repeatable struct{ llm.Model }

// Open is the model's opening line.
func (r Repeatable) Open(ctx context.Context, input llm.Input) (llm.GeneratedText, error) {
	return r.Model.Open(ctx, withSeedOfWords(input))
}

// Reply is the model's reply.
func (r Repeatable) Reply(ctx context.Context, input llm.Input, result llm.StepResult, emit func(string) error) (llm.GeneratedText, error) {
	return r.Model.Reply(ctx, withSeedOfWords(input), result, emit)
}

// withSeedOfWords makes the choice depend on the words and not on the session.
func withSeedOfWords(input llm.Input) llm.Input {
	h := fnv.New64a()
	for _, text := range []string{input.Machine.Key, input.State.Key, input.Player.Name, input.Message, strconv.Itoa(len(input.Recent))} {
		_, _ = h.Write([]byte(text + "\x00"))
	}
	input.Seed = h.Sum64()
	return input
}
