package hosted

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/prompt"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/intent"
)

// Judge asks a provider's model for the choice that fits a message best. It is safe for concurrent
// use.
type Judge struct {
	call    stepCall // copied for each call
	method  Method
	methods *Methods
}

var _ llm.Judge = (*Judge)(nil)

type opinion struct {
	question *prompt.Question
	matter   float64   // probability that the message is not an aside
	verdict  []float64 // probability of each option if the message is not an aside
}

// Evaluate asks for the probability of each choice and derives a verdict. It returns an Unusable
// error for a refusal or a malformed answer. A player must not lose by a fault of the model.
func (j *Judge) Evaluate(ctx context.Context, input llm.Input) (llm.Evaluation, error) {
	call := j.call
	question, err := call.prompts.NewQuestion(input)
	if err != nil {
		return llm.Evaluation{}, err
	}
	if question.IsEmpty() {
		return llm.Evaluation{Why: "none: the state has no choices"}, nil
	}
	begun := time.Now()
	var found opinion
	var method Method
	err = call.runInTime(ctx, func(ctx context.Context) error {
		var err error
		found, method, err = j.ask(ctx, &call, question)
		if kindOf(err) != provider.TooLong {
			return err
		}
		short, err := call.prompts.NewQuestion(prompt.ShortenQuestion(input))
		if err == nil {
			found, method, err = j.ask(ctx, &call, short)
		}
		return err
	})
	e := llm.Evaluation{Usage: call.usage, Took: time.Since(begun), Method: method.name()}
	if err != nil {
		return e, err
	}
	if method == MethodLetter {
		found.matter /= found.matter + noneWeight*(1-found.matter)
	}
	e.Choices = found.choices()
	decide(&e, policies[method], input)
	return e, nil
}

// noneWeight raises the odds that no option fits, because models choose an option too often. The
// value was fitted with a model of 1.5 billion parameters on 108 lines (.ci/models).
const noneWeight = 4.0

func (o opinion) choices() []llm.Choice {
	choices := make([]llm.Choice, 0, len(o.question.Options)+1)
	for i := range o.question.Options {
		option := &o.question.Options[i]
		if !option.Closed {
			choices = append(choices, llm.Choice{
				Decision: option.Decision, Transition: option.Transition, Probability: o.matter * o.verdict[i],
			})
		}
	}
	return append(choices, llm.Choice{Decision: personas.AsideName, Transition: -1, Probability: 1 - o.matter})
}

func decide(evaluation *llm.Evaluation, policy intent.Policy, input llm.Input) {
	verdict := policy.Decide(evaluation.PolicyChoices(input.Machine), input.FollowUpAllowed)
	best := evaluation.Choices[verdict.Choice]
	evaluation.Why = explain(evaluation, verdict)
	switch {
	case verdict.Ask, best.Decision == personas.FollowUpName:
		evaluation.FollowUp = true
	case best.Decision == personas.AsideName:
		evaluation.Aside = true
	case best.Transition >= 0: // a redirect without a transition has no matches
		// Transitions with the same decision and outcome also match if they are at least half as
		// probable. The engine takes the match with the lowest priority.
		for _, c := range evaluation.Choices {
			isSame := c.Decision == best.Decision && c.Loses(input.Machine) == best.Loses(input.Machine)
			if isSame && c.Probability >= best.Probability/2 {
				why := fmt.Sprintf("probability %.2f", c.Probability)
				evaluation.Matches = append(evaluation.Matches, llm.Match{Transition: c.Transition, Why: why})
			}
		}
	}
}

func explain(e *llm.Evaluation, v intent.PolicyVerdict) string {
	order := slices.Clone(e.Choices)
	slices.SortStableFunc(order, func(a, b llm.Choice) int { return cmp.Compare(b.Probability, a.Probability) })
	parts := make([]string, 0, 4)
	for _, c := range order[:min(len(order), 4)] {
		parts = append(parts, fmt.Sprintf("%s %.2f", c.Decision, c.Probability))
	}
	why := e.Method + ": " + strings.Join(parts, ", ")
	if v.Why != "" {
		why += " (" + v.Why + ")"
	}
	return why
}

var errNoLetters = errors.New("no letters")

func (j *Judge) ask(ctx context.Context, s *stepCall, question *prompt.Question) (opinion, Method, error) {
	methods := j.methods.candidates(s.asker.Place(), j.method)
	skipped := false // A skipped method may work for the next question.
	for i, method := range methods {
		isLast := i == len(methods)-1
		if method.isDecision() && len(question.Options) > maxDecisionOptions && !isLast {
			skipped = true
			continue
		}
		found, err := s.askBy(ctx, question, method)
		if err != nil && isUnsupported(err) && !isLast {
			continue
		}
		if err == nil && !skipped {
			j.methods.remember(s.asker.Place(), method)
		}
		found.question = question
		return found, method, err
	}
	return opinion{}, "", fmt.Errorf("judging method %q not found", j.method)
}

func isUnsupported(err error) bool {
	return errors.Is(err, errNoLetters) || kindOf(err) == provider.Unsupported
}

func (s *stepCall) askBy(ctx context.Context, question *prompt.Question, method Method) (found opinion, err error) {
	var r provider.Request
	switch method {
	case methodSystemOne:
		r = question.BuildDecision(provider.SystemOne)
	case MethodDecisions:
		r = question.BuildDecision(provider.OpenAIDecisions)
	case MethodLetter:
		r = question.BuildLetter()
	default:
		return askObject(ctx, s, question)
	}
	answer, err := s.askOnce(ctx, r, nil)
	if err != nil {
		return found, err
	}
	if answer.Finish == provider.Refused {
		return found, s.newFailure(provider.Unusable, refusedAnswer, nil)
	}
	read := question.ReadDecision
	if method == MethodLetter {
		read = question.ReadLetter
	}
	var ok bool
	found.matter, found.verdict, ok = read(answer.First)
	switch {
	case ok:
		return found, nil
	case method == MethodLetter:
		return found, errNoLetters
	}
	return found, s.newFailure(provider.Unusable, "the model did not answer one of the questions", nil)
}

func askObject(ctx context.Context, s *stepCall, question *prompt.Question) (opinion, error) {
	ask := func() (provider.Request, provider.Answer, error) {
		r, err := question.BuildJSON()
		if err != nil {
			return r, provider.Answer{}, err
		}
		answer, err := s.askOnce(ctx, r, nil)
		return r, answer, err
	}
	return askRepaired(ctx, s, refusedAnswer, ask, func(_ provider.Request, answer string) (opinion, prompt.AnswerFault) {
		matter, verdict, fault := question.ReadJSON(answer)
		return opinion{matter: matter, verdict: verdict}, fault
	})
}

// Attempt is the result of a judging method with a model. Err is nil if the method works.
type Attempt struct {
	Method string
	Err    error
}

// TryMethods asks a model a small question with each method of a setting until one works. Each
// attempt has the time limit of a judgement.
func TryMethods(ctx context.Context, asker provider.Asker, setting Method, limits TimeLimits) ([]Attempt, error) {
	m := New(Options{Evaluation: asker, Method: setting, Limits: limits})
	q, err := m.steps.Prompts.NewQuestion(smallInput())
	if err != nil {
		return nil, err
	}
	var attempts []Attempt
	for _, method := range methodOrder[setting] {
		s := m.newStepCall(asker, m.steps.Limits.Evaluation)
		err := s.runInTime(ctx, func(ctx context.Context) error {
			_, err := s.askBy(ctx, q, method)
			return err
		})
		tryNext := err != nil && isUnsupported(err)
		if errors.Is(err, errNoLetters) {
			err = errors.New("the answer does not begin with a letter, or lacks probabilities")
		}
		attempts = append(attempts, Attempt{method.name(), err})
		if !tryNext {
			break
		}
	}
	return attempts, nil
}

func smallInput() llm.Input {
	machine := &personas.Machine{
		Key: "fish", Objective: "Get fish.",
		States:      []personas.State{{Key: "hungry", Criteria: personas.Criteria{Pass: "The player offers fish."}}},
		Transitions: []personas.Transition{{From: "hungry", To: "hungry", Decision: personas.DecidePass}},
	}
	persona := &personas.Persona{
		Name: "Biscuit", Description: "A hungry cat.", Machines: []personas.Machine{*machine},
	}
	return llm.Input{
		Persona: persona,
		Machine: machine, State: &machine.States[0], Outgoing: []int{0},
		FollowUpAllowed: true, Message: "Would you like some tuna?",
	}
}
