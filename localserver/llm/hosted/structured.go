package hosted

import (
	"context"

	"github.com/parley-npc/parley/localserver/llm/prompt"
	"github.com/parley-npc/parley/localserver/llm/provider"
)

const refusedAnswer = "the model refused to answer"

// askUsable asks for an answer, and asks once more after a faulty answer. refusal is the error text
// if the model refuses. If askUsable returns an Unusable error, it also returns the part that could
// be decoded.
func askUsable[T any](ctx context.Context, s *stepCall, refusal string, ask func() (provider.Request, provider.Answer, error),
	read func(provider.Request, string) (T, prompt.AnswerFault),
) (T, error) {
	var found T
	r, answer, err := ask()
	for tries := 1; err == nil; tries++ {
		var fault prompt.AnswerFault
		if answer.Finish == provider.Refused {
			return found, s.newFailure(provider.Unusable, refusal, nil)
		}
		found, fault = read(r, answer.Text)
		if fault == prompt.NoFault {
			return found, nil
		}
		if tries == 2 {
			return found, s.newFailure(provider.Unusable, faultReasons[fault], nil)
		}
		if r, err = s.prompts.BuildRetry(r, fault); err == nil {
			answer, err = s.askOnce(ctx, r, nil)
		}
	}
	return found, err
}

var faultReasons = map[prompt.AnswerFault]string{
	prompt.EmptyAnswer:   "the summary was empty twice",
	prompt.WrongShape:    "the model's answer was not the requested JSON, twice",
	prompt.UnknownChoice: "the model's answer contained a choice that the state does not have, twice",
}

type requestBuilder func(short bool) (provider.Request, error)

// askFitting sends a request. If the request is too long for the model, it sends a shortened
// request. It returns the request that was answered.
func (s *stepCall) askFitting(ctx context.Context, build requestBuilder, emit func(string) error) (provider.Request, provider.Answer, error) {
	r, err := build(false)
	if err != nil {
		return r, provider.Answer{}, err
	}
	answer, err := s.askOnce(ctx, r, emit)
	if kindOf(err) != provider.TooLong {
		return r, answer, err
	}
	if r, err = build(true); err != nil {
		return r, provider.Answer{}, err
	}
	answer, err = s.askOnce(ctx, r, emit)
	return r, answer, err
}
