// Package hosted plays characters with models of providers. It asks a model for each step of a turn
// and checks the answer. It handles refusals, timeouts, malformed answers and leaked instructions.
// It also chooses the models for callers with their own keys. It stores nothing.
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

// Options contains the model of each step. Response also writes openings. Summarization also
// extracts the output variables. Fallback does each step without a model.
type Options struct {
	Evaluation, Response, Summarization provider.Asker
	// BuiltInFirst asks the judge of Fallback first, and Evaluation only if that judge is unsure.
	BuiltInFirst bool
	// AskOpenings makes Response write openings and the lines for entering a state. By default the
	// author's lines are used unchanged.
	AskOpenings bool
	// Prepares enables Model.Prepare.
	Prepares bool
	// Method is the judging method of Evaluation. The default is MethodAuto. Methods stores the
	// working methods and may be nil.
	Method  Method
	Methods *Methods
	// Fallback continues a text after a refusal or a leak. The default is a new offline model.
	Fallback llm.Model
	// Prompts builds the requests. The default is a new builder.
	Prompts *prompt.Builder
	Limits  TimeLimits
}

// TimeLimits contains the time limits of the steps, including repeated requests. 0 means the
// default.
type TimeLimits struct {
	// The defaults are 60, 60 and 30 seconds. They are twice as long for a model on this machine.
	Evaluation, Response, Summarization time.Duration
}

const (
	answerLimit  = 60 * time.Second
	summaryLimit = 30 * time.Second
)

func defaultLimit(a provider.Asker, fallback time.Duration) time.Duration {
	if a != nil && provider.RunsHere(a) { // shares the processor and may have to be loaded
		return 2 * fallback
	}
	return fallback
}

// Model plays characters with models of providers. It is safe for concurrent use. Its errors wrap a
// *provider.Error, for example of kind Late after a timeout.
type Model struct {
	llm.Judge
	steps Options
}

var _ llm.Model = (*Model)(nil)

// New returns a Model. It fills in the defaults of options.
func New(options Options) *Model {
	if options.Fallback == nil {
		options.Fallback = scripted.New()
	}
	if options.Prompts == nil {
		options.Prompts = prompt.New()
	}
	if options.Methods == nil {
		options.Methods = NewMethods()
	}
	l := &options.Limits
	l.Evaluation = cmp.Or(l.Evaluation, defaultLimit(options.Evaluation, answerLimit))
	l.Response = cmp.Or(l.Response, defaultLimit(options.Response, answerLimit))
	l.Summarization = cmp.Or(l.Summarization, defaultLimit(options.Summarization, summaryLimit))
	return &Model{Judge: options.newJudge(), steps: options}
}

// Limits returns the time limits of the steps.
func (m *Model) Limits() TimeLimits { return m.steps.Limits }

func (s *Options) newJudge() llm.Judge {
	if s.Evaluation == nil {
		return s.Fallback
	}
	j := s.newHostedJudge(s.Evaluation)
	if s.BuiltInFirst {
		return &twoJudges{first: s.Fallback, second: j}
	}
	return j
}

func (s *Options) newHostedJudge(a provider.Asker) *Judge {
	return &Judge{
		call:   stepCall{asker: a, prompts: s.Prompts, limit: s.Limits.Evaluation},
		method: cmp.Or(s.Method, MethodAuto), methods: s.Methods,
	}
}

type stepCall struct {
	asker   provider.Asker
	prompts *prompt.Builder
	limit   time.Duration
	usage   llm.Usage
}

func (m *Model) newStepCall(asker provider.Asker, limit time.Duration) *stepCall {
	return &stepCall{asker: asker, prompts: m.steps.Prompts, limit: limit}
}

func (s *stepCall) runInTime(ctx context.Context, run func(context.Context) error) error {
	limited, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()
	err := run(limited)
	if err == nil || ctx.Err() != nil || !errors.Is(limited.Err(), context.DeadlineExceeded) {
		return err
	}
	problem := fmt.Sprintf("no answer within %s (--llm-timeout sets the limit)", s.limit)
	return s.newFailure(provider.Late, problem, context.DeadlineExceeded)
}

func (s *stepCall) askOnce(ctx context.Context, r provider.Request, emit func(string) error) (provider.Answer, error) {
	answer, err := s.asker.Ask(ctx, r, emit)
	if err == nil {
		answer.Usage.Model = cmp.Or(answer.Usage.Model, s.asker.Model())
	}
	s.usage = s.usage.Plus(answer.Usage)
	return answer, err
}

func (s *stepCall) newFailure(kind provider.Kind, problem string, cause error) error {
	name, model, _ := strings.Cut(s.asker.Model(), "/")
	message := s.asker.Model() + ": " + problem
	return &provider.Error{Kind: kind, Provider: name, Model: model, Message: message, Cause: cause}
}

func kindOf(err error) provider.Kind {
	if e, ok := errors.AsType[*provider.Error](err); ok {
		return e.Kind
	}
	return ""
}

var _ llm.Preparer = (*Model)(nil)

// Prepare sends the instructions of a state to models on this machine. The next judgement then
// takes 0.5 s instead of 12 s (1.5 billion parameters, two cores). The judgement is sent last,
// because some servers cache only the last request.
func (m *Model) Prepare(ctx context.Context, input llm.Input) {
	if !m.steps.Prepares {
		return
	}
	// Some servers continue a final message of the character. So a message of the player follows.
	input.Message = "…"
	if a := m.steps.Response; a != nil && provider.RunsHere(a) {
		if r, err := m.steps.Prompts.BuildReply(input, llm.StepResult{Aside: true}); err == nil {
			r.MaxTokens = 1
			_, _ = preparingAsker{a}.Ask(ctx, r, nil)
		}
	}
	if a := m.steps.Evaluation; a != nil && provider.RunsHere(a) {
		_, _ = m.steps.newHostedJudge(preparingAsker{a}).Evaluate(ctx, input)
	}
}

type preparingAsker struct{ provider.Asker }

func (p preparingAsker) Ask(ctx context.Context, r provider.Request, emit func(string) error) (provider.Answer, error) {
	r.Step = prompt.StepPrepare
	return p.Asker.Ask(ctx, r, emit)
}

// Prepare prepares only the operator's model.
func (m CallerModels) Prepare(ctx context.Context, input llm.Input) {
	if p, ok := m.Model.(llm.Preparer); ok {
		p.Prepare(ctx, input)
	}
}
