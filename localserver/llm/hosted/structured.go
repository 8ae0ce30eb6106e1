package hosted

import (
	"context"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/prompt"
	"github.com/parley-npc/parley/localserver/llm/provider"
)

// askStructured asks for an answer of a given shape. After a faulty answer it asks once more. After
// a second fault or a refusal it returns an Unusable error, and the part of the answer that could
// be decoded.
func askStructured[T any](ctx context.Context, s *stepCall, ask func() (provider.Request, provider.Answer, error),
	read func(provider.Request, string) (T, prompt.AnswerFault),
) (T, error) {
	var found T
	r, answer, err := ask()
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

// faultReasons describe the fault of the second answer in errors.
var faultReasons = map[prompt.AnswerFault]string{
	prompt.WrongShape:    "was not the requested JSON, twice",
	prompt.UnknownChoice: "contained a choice that the state does not have, twice",
}

// requestBuilder builds a request from the whole input, or from a shortened input if short is true.
type requestBuilder func(short bool) (provider.Request, error)

// askFitting sends a request. If the request is too long for the model, it sends a shortened
// request. It returns the request that was answered.
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
