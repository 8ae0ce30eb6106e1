package hosted

import (
	"context"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/prompt"
	"github.com/parley-npc/parley/localserver/llm/provider"
)

// Evaluate asks which of the state's transitions the message fulfils. An answer
// that cannot be read is asked for once more. If that one cannot be read either, or
// the provider refuses to answer, Evaluate returns an Unusable error: a model's fault
// must not cost the player anything. A state without choices is not asked about.
func (m *Model) Evaluate(ctx context.Context, input llm.Input) (llm.Evaluation, error) {
	choices := prompt.ChoicesOf(input)
	if choices.IsEmpty() {
		return llm.Evaluation{Why: "none: the state leaves nothing to choose"}, nil
	}
	s := m.newStepCall(m.steps.Evaluation, m.steps.Limits.Evaluation)
	var e llm.Evaluation
	err := s.runInTime(ctx, func(ctx context.Context) (err error) {
		e, err = askStructured(ctx, s, func(short bool) (provider.Request, error) {
			return s.book.BuildEvaluation(shortenIf(input, short), choices)
		}, choices.ReadAnswer)
		return err
	})
	e.Usage = s.usage
	return e, err
}

// askStructured asks for an answer of a shape. An answer with a fault is asked for
// once more. After a second fault, or a refusal, it returns an Unusable error and
// what could be read of the answer.
func askStructured[T any](ctx context.Context, s *stepCall, build requestBuilder,
	read func(provider.Request, string) (T, prompt.AnswerFault),
) (T, error) {
	var found T
	r, answer, err := s.askFitting(ctx, build, nil)
	for tries := 1; err == nil; tries++ {
		var fault prompt.AnswerFault
		if answer.Finish == provider.Refused {
			return found, s.newFailure(provider.Unusable, "the model refused to answer", nil)
		}
		found, fault = read(r, answer.Text)
		if fault == prompt.NoFault {
			return found, nil
		}
		if tries == 2 {
			return found, s.newFailure(provider.Unusable, "the model's answer "+faultReasons[fault], nil)
		}
		if r, err = s.book.BuildRetry(r, fault); err == nil {
			answer, err = s.askOnce(ctx, r, nil)
		}
	}
	return found, err
}

// faultReasons say what was wrong with the second answer.
var faultReasons = map[prompt.AnswerFault]string{
	prompt.WrongShape:       "was not the JSON that was asked for, twice",
	prompt.UnknownChoice:    "named a choice that the state does not have, twice",
	prompt.FollowUpNotAlone: "named follow_up together with other choices, twice",
}

// requestBuilder builds a request of the whole input, or of a shortened one.
type requestBuilder func(short bool) (provider.Request, error)

// askFitting asks, and where the model cannot read that much, asks once more
// with a shortened request. It returns the request that was answered.
func (s *stepCall) askFitting(ctx context.Context, build requestBuilder, emit func(string) error) (provider.Request, provider.Answer, error) {
	r, err := build(false)
	if err != nil {
		return r, provider.Answer{}, err
	}
	answer, err := s.askOnce(ctx, r, emit)
	if !isTooLong(err) {
		return r, answer, err
	}
	if r, err = build(true); err != nil {
		return r, provider.Answer{}, err
	}
	answer, err = s.askOnce(ctx, r, emit)
	return r, answer, err
}

func shortenIf(input llm.Input, short bool) llm.Input {
	if short {
		return prompt.ShortenInput(input)
	}
	return input
}
