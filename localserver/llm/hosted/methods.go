package hosted

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/parley-npc/parley/localserver/llm/prompt"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas/cache"
	"github.com/parley-npc/parley/personas/intent"
)

// Method is a way to ask a model for a judgement.
type Method string

// MethodAuto uses the first method that works for a model at its address.
const (
	MethodAuto      Method = "auto"
	MethodDecisions Method = "decisions"
	MethodLetter    Method = "letter"
	MethodJSON      Method = "json"
	methodSystemOne Method = "systemone" // MethodDecisions in the format of System One
)

// MethodNames are the names that ParseMethod accepts.
var MethodNames = []string{string(MethodAuto), string(MethodDecisions), string(MethodLetter), string(MethodJSON)}

func (m Method) isDecision() bool { return m == MethodDecisions || m == methodSystemOne }

func (m Method) name() string {
	if m.isDecision() {
		return string(MethodDecisions)
	}
	return string(m)
}

// ParseMethod returns the method with the given name, or MethodAuto for an empty name.
func ParseMethod(name string) (Method, error) {
	switch {
	case name == "":
		return MethodAuto, nil
	case slices.Contains(MethodNames, name):
		return Method(name), nil
	}
	return "", fmt.Errorf("judging method %q not found: use one of %q", name, MethodNames)
}

var methodOrder = map[Method][]Method{
	MethodAuto:      {methodSystemOne, MethodDecisions, MethodLetter, MethodJSON},
	MethodDecisions: {methodSystemOne, MethodDecisions},
	MethodLetter:    {MethodLetter, MethodJSON},
	MethodJSON:      {MethodJSON},
}

const maxDecisionOptions = 16 // accepted by all servers of decision models

const maxPlaces = 1024 // bounded, because callers choose models

// Methods stores the working method for each model and address. It is safe for concurrent use.
type Methods struct{ cache *cache.Cache[string, Method] }

// NewMethods returns an empty store.
func NewMethods() *Methods { return &Methods{cache.New[string, Method](maxPlaces)} }

func (m *Methods) candidates(place string, setting Method) []Method {
	list := methodOrder[setting]
	cached, _ := m.cache.Find(place)
	return list[max(slices.Index(list, cached), 0):]
}

func (m *Methods) remember(place string, method Method) { m.cache.Keep(place, method, 1) }

var policies = map[Method]intent.Policy{
	methodSystemOne: probable,
	MethodDecisions: probable,
	MethodLetter:    byLetter,
	MethodJSON:      {}, // reports no probabilities
}

// PolicyOf returns the thresholds for an llm.Evaluation with that method.
func PolicyOf(method string) intent.Policy {
	if strings.HasPrefix(method, BuiltIn+", ") {
		return maps.Clone(mixedPolicy)
	}
	return maps.Clone(policies[Method(method)])
}

// byLetter was fitted with a model of 1.5 billion parameters on 305 lines of four personas
// (.ci/models). A redirect costs the player a try, and therefore has a threshold.
var byLetter = intent.Policy{
	"pass":     {Probability: 0.4},
	"redirect": {Probability: 0.45},
	"reject":   {Probability: 0.6, Ask: 0.35},
	"kick_out": {Probability: 0.85, Ask: 0.35},
}

var probable = intent.Policy{
	"pass":     {Probability: 0.35},
	"reject":   {Probability: 0.6, Ask: 0.35},
	"kick_out": {Probability: 0.7, Ask: 0.35},
}

const refusedAnswer = "the model refused to answer"

// askRepaired asks once more after a faulty answer. With an Unusable error, it also returns the
// decoded part of the answer.
func askRepaired[T any](
	ctx context.Context, s *stepCall, refusal string,
	ask func() (provider.Request, provider.Answer, error),
	read func(provider.Request, string) (T, prompt.AnswerFault),
) (T, error) {
	var result T
	r, answer, err := ask()
	for tries := 1; err == nil; tries++ {
		var fault prompt.AnswerFault
		if answer.Finish == provider.Refused {
			return result, s.newFailure(provider.Unusable, refusal, nil)
		}
		result, fault = read(r, answer.Text)
		if fault == prompt.NoFault {
			return result, nil
		}
		if tries == 2 {
			return result, s.newFailure(provider.Unusable, faultReasons[fault], nil)
		}
		if r, err = s.prompts.BuildRetry(r, fault); err == nil {
			answer, err = s.askOnce(ctx, r, nil)
		}
	}
	return result, err
}

var faultReasons = map[prompt.AnswerFault]string{
	prompt.EmptyAnswer:   "the summary was empty twice",
	prompt.WrongShape:    "the model's answer was not the requested JSON, twice",
	prompt.UnknownChoice: "the model's answer contained a choice that the state does not have, twice",
}

type requestBuilder func(short bool) (provider.Request, error)

func (s *stepCall) askShortened(
	ctx context.Context, build requestBuilder, emit func(string) error,
) (provider.Request, provider.Answer, error) {
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
