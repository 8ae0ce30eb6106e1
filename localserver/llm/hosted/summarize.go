package hosted

import (
	"context"
	"maps"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/prompt"
	"github.com/parley-npc/parley/localserver/llm/provider"
)

// Summarize asks for an updated summary. If the answer is empty, it asks once more. It returns an
// error if the model refuses or the second answer is empty too. Then the caller keeps the old
// summary.
func (m *Model) Summarize(ctx context.Context, input llm.Input, messages []llm.Message) (llm.GeneratedText, error) {
	if m.steps.Summarization == nil {
		return m.steps.Fallback.Summarize(ctx, input, messages)
	}
	s := m.newStepCall(m.steps.Summarization, m.steps.Limits.Summarization)
	var text string
	err := s.runInTime(ctx, func(ctx context.Context) (err error) {
		ask := func() (provider.Request, provider.Answer, error) {
			return s.askFitting(ctx, conversationRequest(input, messages, s.prompts.BuildSummary), nil)
		}
		text, err = askUsable(ctx, s, "the model refused to summarise the conversation", ask, func(_ provider.Request, answer string) (string, prompt.AnswerFault) {
			summary := prompt.ReadSummary(input, answer)
			if summary == "" {
				return "", prompt.EmptyAnswer
			}
			return summary, prompt.NoFault
		})
		return err
	})
	return llm.GeneratedText{Text: text, Why: s.asker.Model(), Usage: s.usage}, err
}

// Extract asks for the output variables. If the answer has the wrong form, it asks once more. The
// fallback model extracts the missing values, so that a player can always finish.
func (m *Model) Extract(ctx context.Context, input llm.Input, conversation []llm.Message) (llm.Extraction, error) {
	if input.Machine == nil || len(input.Machine.OutputVariables) == 0 || len(conversation) == 0 {
		return llm.Extraction{}, ctx.Err()
	}
	if m.steps.Summarization == nil {
		return m.steps.Fallback.Extract(ctx, input, conversation)
	}
	s := m.newStepCall(m.steps.Summarization, m.steps.Limits.Summarization)
	var values map[string]string
	err := s.runInTime(ctx, func(ctx context.Context) (err error) {
		read := func(r provider.Request, answer string) (map[string]string, prompt.AnswerFault) {
			return prompt.ReadValues(r, input, answer)
		}
		ask := func() (provider.Request, provider.Answer, error) {
			return s.askFitting(ctx, conversationRequest(input, conversation, s.prompts.BuildExtraction), nil)
		}
		values, err = askUsable(ctx, s, refusedAnswer, ask, read)
		return err
	})
	if kindOf(err) == provider.Unusable {
		return m.extractByFallback(ctx, input, conversation, llm.Extraction{Values: values, Usage: s.usage, Why: err.Error() + "; the built-in model read the other values"})
	}
	return llm.Extraction{Values: values, Usage: s.usage}, err
}

func (m *Model) extractByFallback(ctx context.Context, input llm.Input, conversation []llm.Message, read llm.Extraction) (llm.Extraction, error) {
	found, err := m.steps.Fallback.Extract(ctx, input, conversation)
	if err != nil {
		return read, err
	}
	all := found.Values
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, read.Values)
	read.Values = all
	return read, nil
}

func conversationRequest(input llm.Input, messages []llm.Message, build func(llm.Input, []llm.Message) (provider.Request, error)) requestBuilder {
	return func(short bool) (provider.Request, error) {
		if short {
			return build(prompt.ShortenInput(input), prompt.ShortenConversation(messages))
		}
		return build(input, messages)
	}
}
