package hosted

import (
	"context"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/prompt"
	"github.com/parley-npc/parley/localserver/llm/provider"
)

// Evaluate asks which of the state's transitions the message fulfils. An answer
// that is no choice among them is asked for once more, and then counts as none; so
// does an answer that the provider refuses. A state that leaves no choice is not
// asked about.
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
		}, choices.ReadAnswer, noEvaluation)
		return err
	})
	e.Usage = s.usage
	return e, err
}

// askStructured asks for an answer of a shape. An answer with a fault is asked
// for once more; giveUp decides what a second one, or a refusal, counts as.
func askStructured[T any](ctx context.Context, s *stepCall, build requestBuilder,
	read func(provider.Request, string) (T, prompt.AnswerFault), giveUp func(asked string, read T, why string) T,
) (T, error) {
	var found T
	r, answer, err := s.askFitting(ctx, build, nil)
	for tries := 1; err == nil; tries++ {
		var fault prompt.AnswerFault
		if answer.Finish == provider.Refused {
			return giveUp(s.asker.Model(), found, "refused to answer"), nil
		}
		found, fault = read(r, answer.Text)
		if fault == prompt.NoFault {
			return found, nil
		}
		if tries == 2 {
			return giveUp(s.asker.Model(), found, faultReasons[fault]), nil
		}
		if r, err = s.book.BuildRetry(r, fault); err == nil {
			answer, err = s.askOnce(ctx, r, nil)
		}
	}
	return found, err
}

// faultReasons say why an answer that had the same fault twice was not used.
var faultReasons = map[prompt.AnswerFault]string{
	prompt.WrongShape:       "gave no JSON of the shape asked for, twice",
	prompt.UnknownChoice:    "named what is no choice of this state, twice",
	prompt.FollowUpNotAlone: "named follow_up together with other choices, twice",
}

// noEvaluation returns the evaluation for an answer that could not be used.
func noEvaluation(who string, _ llm.Evaluation, why string) llm.Evaluation {
	return llm.Evaluation{Why: "none: " + who + " " + why}
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
