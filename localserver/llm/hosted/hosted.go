// Package hosted plays characters with the models of providers: it asks one for each of the three
// steps of a turn, checks the answer, and handles a model that refuses, is too slow, answers in the
// wrong form, or reveals its instructions. It also selects the models of callers with their own
// keys. It contains neither HTTP (provider) nor prompts (prompt), and stores nothing.
package hosted

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/prompt"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/localserver/llm/scripted"
)

// Options name the model of each step. The response's model also writes openings, the
// summarization's also reads the output variables. The fallback model does the steps of
// those that are nil.
type Options struct {
	Evaluation, Response, Summarization provider.Asker
	// BuiltInFirst asks the fallback model's judge first, and Evaluation only if that one is
	// unsure.
	BuiltInFirst bool
	// AskOpenings lets the response's model write openings and the lines for entering a state; else
	// the author's lines are spoken word for word.
	AskOpenings bool
	// Method is how Evaluation is asked, Methods remembers which methods work; "" and nil
	// are MethodAuto and an empty memory.
	Method  Method
	Methods *Methods
	// Fallback is the fallback model, which speaks if a provider's model refuses or must not
	// continue; nil is a new offline model.
	Fallback llm.Model
	// Prompts build the requests; nil reads them again.
	Prompts *prompt.Builder
	Limits  TimeLimits
}

// TimeLimits are the times that a step may take, however often it asks; 0 is the
// default.
type TimeLimits struct {
	// Evaluation and Response are 60 seconds by default, Summarization 30; each is twice
	// that for a model that runs on this machine.
	Evaluation, Response, Summarization time.Duration
}

// The default limits of a judgement or a reply, and of a summary.
const (
	answerLimit  = 60 * time.Second
	summaryLimit = 30 * time.Second
)

// withDefaults fills in the limits that are not set.
func (l TimeLimits) withDefaults(s *Options) TimeLimits {
	l.Evaluation = cmp.Or(l.Evaluation, defaultLimit(s.Evaluation, answerLimit))
	l.Response = cmp.Or(l.Response, defaultLimit(s.Response, answerLimit))
	l.Summarization = cmp.Or(l.Summarization, defaultLimit(s.Summarization, summaryLimit))
	return l
}

// defaultLimit returns the time limit of a model: twice the usual one on this machine, because a
// local model may have to be loaded first and shares the processor with everything else.
func defaultLimit(a provider.Asker, usual time.Duration) time.Duration {
	if a != nil && provider.RunsHere(a) {
		return 2 * usual
	}
	return usual
}

// Model plays characters with the models of providers. It is safe for concurrent
// use. An error that comes from a provider wraps a *provider.Error: of the kind Late
// when a step's time is over, of the kind Unusable when the answers cannot be used.
type Model struct {
	llm.Judge
	steps Options
}

var _ llm.Model = (*Model)(nil)

// New returns a model that asks the models of the steps.
func New(s Options) *Model {
	if s.Fallback == nil {
		s.Fallback = scripted.New()
	}
	if s.Prompts == nil {
		s.Prompts = prompt.New()
	}
	if s.Methods == nil {
		s.Methods = NewMethods()
	}
	s.Limits = s.Limits.withDefaults(&s)
	return &Model{Judge: s.newJudge(), steps: s}
}

// Limits returns the time limits of the steps.
func (m *Model) Limits() TimeLimits { return m.steps.Limits }

func (s *Options) newJudge() llm.Judge {
	if s.Evaluation == nil {
		return s.Fallback
	}
	j := &Judge{asker: s.Evaluation, prompts: s.Prompts, method: cmp.Or(s.Method, MethodAuto), methods: s.Methods, limit: s.Limits.Evaluation}
	if s.BuiltInFirst {
		return &twoJudges{first: s.Fallback, second: j}
	}
	return j
}

// stepCall is one step of a turn in progress: the asker, the time limit, and the cost so far.
type stepCall struct {
	asker provider.Asker
	book  *prompt.Builder
	limit time.Duration
	usage llm.Usage
}

func (m *Model) newStepCall(asker provider.Asker, limit time.Duration) *stepCall {
	return &stepCall{asker: asker, book: m.steps.Prompts, limit: limit}
}

// runInTime runs a step under its time limit. When that limit runs out the
// error is the provider's (Late); when the caller's context ends it is the
// caller's own.
func (s *stepCall) runInTime(ctx context.Context, run func(context.Context) error) error {
	limited, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()
	err := run(limited)
	if err == nil || ctx.Err() != nil || !errors.Is(limited.Err(), context.DeadlineExceeded) {
		return err
	}
	return s.newFailure(provider.Late, fmt.Sprintf("no answer came within %s (--llm-timeout sets how long)", s.limit), context.DeadlineExceeded)
}

// askOnce asks once and counts what it cost.
func (s *stepCall) askOnce(ctx context.Context, r provider.Request, emit func(string) error) (provider.Answer, error) {
	answer, err := s.asker.Ask(ctx, r, emit)
	if err == nil {
		answer.Usage.Model = cmp.Or(answer.Usage.Model, s.asker.Model())
	}
	s.usage = s.usage.Plus(answer.Usage)
	return answer, err
}

// newFailure returns the error for something that a provider failed to do and
// that was found out here.
func (s *stepCall) newFailure(kind provider.Kind, what string, cause error) error {
	name, model, _ := strings.Cut(s.asker.Model(), "/")
	return &provider.Error{Kind: kind, Provider: name, Model: model, Message: s.asker.Model() + ": " + what, Cause: cause}
}

// isTooLong reports whether a request was longer than the model can read.
func isTooLong(err error) bool {
	e, ok := errors.AsType[*provider.Error](err)
	return ok && e.Kind == provider.TooLong
}
