package hosted

import (
	"context"
	"errors"
	"maps"
	"strings"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/prompt"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas"
)

const deflected = "deflected: " // in the trace of a text by the fallback model

// Open returns the author's opening, or asks the model for a missing opening. With
// Options.AskOpenings, Open always asks the model.
func (m *Model) Open(ctx context.Context, input llm.Input, emit func(delta string) error) (llm.GeneratedText, error) {
	if m.steps.Response == nil || !m.steps.AskOpenings && hasOpening(input.State) {
		return m.steps.Fallback.Open(ctx, input, emit)
	}
	out := newReplyStream(input, prompt.HiddenTexts(input, llm.StepResult{}), emit)
	fallback := func(ctx context.Context) (llm.GeneratedText, error) {
		return m.steps.Fallback.Open(ctx, input, nil)
	}
	return m.writeReply(ctx, input, out, m.steps.Prompts.BuildOpening, fallback)
}

// Reply asks for the character's reply and emits its pieces. It removes the character's name at the
// beginning and stops where the model continues as the player. It asks once more after an empty
// reply.
//
// After a refusal or a leak of the instructions, the emitted text stays and the fallback model
// continues. The author's lines for entering a state follow in a separate paragraph.
func (m *Model) Reply(
	ctx context.Context, input llm.Input, result llm.StepResult, emit func(delta string) error,
) (llm.GeneratedText, error) {
	if m.steps.Response == nil {
		return m.steps.Fallback.Reply(ctx, input, result, emit)
	}
	result.Written = !m.steps.AskOpenings && hasOpening(result.Entered)
	out := newReplyStream(input, prompt.HiddenTexts(input, result), emit)
	build := func(input llm.Input) (provider.Request, error) { return m.steps.Prompts.BuildReply(input, result) }
	fallback := func(ctx context.Context) (llm.GeneratedText, error) {
		return m.steps.Fallback.Reply(ctx, input, result, func(string) error { return nil })
	}
	reply, err := m.writeReply(ctx, input, out, build, fallback)
	if err != nil || !result.Written || strings.Contains(reply.Why, deflected) {
		return reply, err // The fallback model has already written the lines for entering.
	}
	written, err := m.steps.Fallback.Open(ctx, enteredInput(input, result.Entered), nil)
	if err != nil {
		return reply, err
	}
	reply.Text, reply.Why = reply.Text+"\n\n"+written.Text, reply.Why+"; "+written.Why
	return reply, emit("\n\n" + written.Text)
}

func hasOpening(s *personas.State) bool {
	return s != nil && s.Offline != nil && len(s.Offline.Opening)+len(s.Offline.Lines.Enter) > 0
}

func enteredInput(input llm.Input, entered *personas.State) llm.Input {
	state, material := *entered, *entered.Offline
	if len(material.Lines.Enter) > 0 {
		material.Opening = material.Lines.Enter
	}
	state.Offline = &material
	input.State, input.Message = &state, ""
	return input
}

func (m *Model) writeReply(
	ctx context.Context, input llm.Input, out *replyStream,
	build func(llm.Input) (provider.Request, error), fallback func(context.Context) (llm.GeneratedText, error),
) (llm.GeneratedText, error) {
	call := m.newStepCall(m.steps.Response, m.steps.Limits.Response)
	reply := llm.GeneratedText{Why: call.asker.Model()}
	err := call.runInTime(ctx, func(ctx context.Context) error {
		out.fallback = func() (llm.GeneratedText, error) { return fallback(ctx) }
		answer, err := call.askForText(ctx, out, func(short bool) (provider.Request, error) {
			if short {
				return build(prompt.ShortenInput(input))
			}
			return build(input)
		})
		switch {
		case err != nil:
		case out.leaked:
			reply.Why += " began to quote its instructions and was cut off; " + deflected + out.fallbackWhy
		case answer.Finish == provider.Refused:
			err = out.showFallback()
			reply.Why += " would not answer; " + deflected + out.fallbackWhy
		case out.filters.speakers.cut:
			reply.Why += ", cut off where it continued as the player"
		case answer.Finish == provider.Length:
			err = out.markCut()
			reply.Why += ", cut off at the maximum length"
		}
		return err
	})
	reply.Text, reply.Withdrawn, reply.Usage = out.text.String(), out.withdrawn, call.usage
	return reply, err
}

func (s *stepCall) askForText(ctx context.Context, out *replyStream, build requestBuilder) (provider.Answer, error) {
	r, answer, err := s.askShortened(ctx, build, out.writePiece)
	for tries := 1; ; tries++ {
		switch {
		case out.failure != nil:
			return answer, out.failure
		case out.leaked:
			s.usage.Model = s.asker.Model()
			return answer, nil
		case errors.Is(err, errEnough):
			s.usage.Model = s.asker.Model()
		case err != nil:
			return answer, err
		}
		err = out.endAnswer(answer.Text)
		isEmpty := out.text.Len() == 0 && !out.leaked && answer.Finish != provider.Refused
		if err != nil || !isEmpty {
			return answer, err
		}
		if tries == 2 {
			return answer, s.newFailure(provider.Unusable, "the answer was empty twice", nil)
		}
		if r, err = s.prompts.BuildRetry(r, prompt.EmptyAnswer); err == nil {
			answer, err = s.askOnce(ctx, r, out.writePiece)
		}
	}
}

// Summarize asks for an updated summary, and once more after an empty answer. After an error, the
// old summary remains valid.
func (m *Model) Summarize(ctx context.Context, input llm.Input, messages []llm.Message) (llm.GeneratedText, error) {
	if m.steps.Summarization == nil {
		return m.steps.Fallback.Summarize(ctx, input, messages)
	}
	call := m.newStepCall(m.steps.Summarization, m.steps.Limits.Summarization)
	read := func(_ provider.Request, answer string) (string, prompt.AnswerFault) {
		summary := prompt.ReadSummary(input, answer)
		if summary == "" {
			return "", prompt.EmptyAnswer
		}
		return summary, prompt.NoFault
	}
	var text string
	err := call.runInTime(ctx, func(ctx context.Context) (err error) {
		ask := func() (provider.Request, provider.Answer, error) {
			return call.askShortened(ctx, conversationRequest(input, messages, call.prompts.BuildSummary), nil)
		}
		text, err = askRepaired(ctx, call, "the model refused to summarise the conversation", ask, read)
		return err
	})
	return llm.GeneratedText{Text: text, Why: call.asker.Model(), Usage: call.usage}, err
}

// Extract asks for the output variables, and once more after a malformed answer. The fallback model
// extracts missing values, because every player must be able to finish.
func (m *Model) Extract(ctx context.Context, input llm.Input, conversation []llm.Message) (llm.Extraction, error) {
	if input.Machine == nil || len(input.Machine.OutputVariables) == 0 || len(conversation) == 0 {
		return llm.Extraction{}, ctx.Err()
	}
	if m.steps.Summarization == nil {
		return m.steps.Fallback.Extract(ctx, input, conversation)
	}
	call := m.newStepCall(m.steps.Summarization, m.steps.Limits.Summarization)
	var values map[string]string
	err := call.runInTime(ctx, func(ctx context.Context) (err error) {
		read := func(r provider.Request, answer string) (map[string]string, prompt.AnswerFault) {
			return prompt.ReadValues(r, input, answer)
		}
		ask := func() (provider.Request, provider.Answer, error) {
			return call.askShortened(ctx, conversationRequest(input, conversation, call.prompts.BuildExtraction), nil)
		}
		values, err = askRepaired(ctx, call, refusedAnswer, ask, read)
		return err
	})
	if kindOf(err) == provider.Unusable {
		partial := llm.Extraction{
			Values: values, Usage: call.usage, Why: err.Error() + "; the built-in model read the other values",
		}
		return m.extractByFallback(ctx, input, conversation, partial)
	}
	return llm.Extraction{Values: values, Usage: call.usage}, err
}

func (m *Model) extractByFallback(
	ctx context.Context, input llm.Input, conversation []llm.Message, partial llm.Extraction,
) (llm.Extraction, error) {
	extraction, err := m.steps.Fallback.Extract(ctx, input, conversation)
	if err != nil {
		return partial, err
	}
	all := extraction.Values
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, partial.Values)
	partial.Values = all
	return partial, nil
}

func conversationRequest(
	input llm.Input, messages []llm.Message, build func(llm.Input, []llm.Message) (provider.Request, error),
) requestBuilder {
	return func(short bool) (provider.Request, error) {
		if short {
			return build(prompt.ShortenInput(input), prompt.ShortenConversation(messages))
		}
		return build(input, messages)
	}
}
