package hosted

import (
	"context"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/prompt"
	"github.com/parley-npc/parley/localserver/llm/provider"
)

// Summarize asks for the summary brought up to date. An empty summary is asked for
// once more; one that is refused or empty twice is an error, so that the old one
// stays.
func (m *Model) Summarize(ctx context.Context, scene llm.Scene, messages []llm.Message) (llm.Speech, error) {
	s := m.step(m.steps.Summarization, m.steps.Limits.Summarization)
	var text string
	err := s.within(ctx, func(ctx context.Context) (err error) {
		text, err = s.summarize(ctx, scene, messages)
		return err
	})
	return llm.Speech{Text: text, Why: s.asker.Model(), Usage: s.usage}, err
}

func (s *step) summarize(ctx context.Context, scene llm.Scene, messages []llm.Message) (string, error) {
	r, answer, err := s.askFitting(ctx, talk(scene, messages, s.book.Summary), nil)
	for tries := 1; err == nil; tries++ {
		text := prompt.ReadSummary(scene, answer.Text)
		switch {
		case answer.Finish == provider.Refused:
			return "", s.failure(provider.Down, "the model would not summarise the conversation", nil)
		case text != "":
			return text, nil
		case tries == 2:
			return "", s.failure(provider.Down, "the summary came empty, twice", nil)
		}
		if r, err = s.book.Again(r, prompt.Empty); err == nil {
			answer, err = s.ask(ctx, r, nil)
		}
	}
	return "", err
}

// Extract asks for the output variables. An answer of another shape is asked for
// once more; after that, and where the provider refuses, what could be read of it
// counts and the rest is absent, so that a player can always finish.
func (m *Model) Extract(ctx context.Context, scene llm.Scene, conversation []llm.Message) (llm.Extraction, error) {
	if scene.Machine == nil || len(scene.Machine.OutputVariables) == 0 || len(conversation) == 0 {
		return llm.Extraction{}, ctx.Err()
	}
	s := m.step(m.steps.Summarization, m.steps.Limits.Summarization)
	var values map[string]string
	err := s.within(ctx, func(ctx context.Context) (err error) {
		read := func(answer string) (map[string]string, prompt.Fault) { return prompt.ReadValues(scene, answer) }
		values, err = structured(ctx, s, talk(scene, conversation, s.book.Extraction), read, readable)
		return err
	})
	return llm.Extraction{Values: values, Usage: s.usage}, err
}

// readable is what could be read.
func readable(_ string, values map[string]string, _ string) map[string]string { return values }

// talk makes requests of a conversation.
func talk(scene llm.Scene, messages []llm.Message, build func(llm.Scene, []llm.Message) (provider.Request, error)) builder {
	return func(short bool) (provider.Request, error) {
		if short {
			return build(prompt.Shorter(scene), prompt.ShorterTalk(messages))
		}
		return build(scene, messages)
	}
}
