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
func (r Repeatable) Open(ctx context.Context, scene llm.Scene) (llm.Speech, error) {
	return r.Model.Open(ctx, withSeedOfWords(scene))
}

// Reply is the model's reply.
func (r Repeatable) Reply(ctx context.Context, scene llm.Scene, beat llm.Beat, emit func(string) error) (llm.Speech, error) {
	return r.Model.Reply(ctx, withSeedOfWords(scene), beat, emit)
}

// withSeedOfWords makes the choice depend on the words and not on the session.
func withSeedOfWords(scene llm.Scene) llm.Scene {
	h := fnv.New64a()
	for _, text := range []string{scene.Machine.Key, scene.State.Key, scene.Player.Name, scene.Message, strconv.Itoa(len(scene.Recent))} {
		_, _ = h.Write([]byte(text + "\x00"))
	}
	scene.Seed = h.Sum64()
	return scene
}
