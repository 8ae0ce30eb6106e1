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

// Judge asks a provider's model which choice describes a message best. It is safe for concurrent
// use.
type Judge struct {
	call    stepCall // copied for each call
	method  Method
	methods *Methods
}

var _ llm.Judge = (*Judge)(nil)

// opinion is a judge's assessment of a message. matter is the probability that the message is not
// an aside. verdict contains the probability of each option if it is not an aside.
type opinion struct {
	matter  float64
	verdict []float64
}

// Evaluate asks for the probability of each choice and derives a verdict. It returns an Unusable
// error if the model refuses or if the answer cannot be decoded, because a model's fault must not
// cost the player anything.
func (j *Judge) Evaluate(ctx context.Context, input llm.Input) (llm.Evaluation, error) {
	s := j.call
	q, err := s.prompts.NewQuestion(input)
	if err != nil {
		return llm.Evaluation{}, err
	}
	if q.IsEmpty() {
		return llm.Evaluation{Why: "none: the state has no choices"}, nil
	}
	begun := time.Now()
	var found opinion
	var method Method
	err = s.runInTime(ctx, func(ctx context.Context) (err error) {
		found, method, err = j.ask(ctx, &s, q)
		if kindOf(err) == provider.TooLong {
			if q, err = s.prompts.NewQuestion(prompt.ShortenQuestion(input)); err == nil {
				found, method, err = j.ask(ctx, &s, q)
			}
		}
		return err
	})
	e := llm.Evaluation{Usage: s.usage, Took: time.Since(begun), Method: method.name()}
	if err != nil {
		return e, err
	}
	if method == MethodLetter {
		found.matter /= found.matter + noneWeight*(1-found.matter)
	}
	e.Choices = found.choices(q)
	decide(&e, policies[method], input)
	return e, nil
}

// noneWeight is a factor for the odds that a message fits no option. It is needed because models
// choose an option too often. The value was fitted with a model of 1.5 billion parameters on 108
// lines (.ci/models).
const noneWeight = 4.0

func (o opinion) choices(q *prompt.Question) []llm.Choice {
	choices := make([]llm.Choice, 0, len(q.Options)+1)
	for i := range q.Options {
		option := &q.Options[i]
		if !option.Closed {
			choices = append(choices, llm.Choice{Decision: option.Decision, Transition: option.Transition, Probability: o.matter * o.verdict[i]})
		}
	}
	return append(choices, llm.Choice{Decision: personas.AsideName, Transition: -1, Probability: 1 - o.matter})
}

func decide(e *llm.Evaluation, p intent.Policy, input llm.Input) {
	v := p.Decide(e.PolicyChoices(input.Machine), input.FollowUpAllowed)
	made := e.Choices[v.Choice]
	e.Why = explain(e, v)
	switch {
	case v.Ask, made.Decision == personas.FollowUpName:
		e.FollowUp = true
	case made.Decision == personas.AsideName:
		e.Aside = true
	case made.Transition >= 0: // A redirect without a transition has no row and no matches.
		// Other transitions with the same decision and outcome match too if they are at least half
		// as probable. Of all matches, the engine takes the one with the lowest priority.
		for _, c := range e.Choices {
			if c.Decision == made.Decision && c.Loses(input.Machine) == made.Loses(input.Machine) && c.Probability >= made.Probability/2 {
				e.Matches = append(e.Matches, llm.Match{Transition: c.Transition, Why: fmt.Sprintf("probability %.2f", c.Probability)})
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
	ways, skipped := j.methods.ways(s.asker.Place(), j.method), false
	for i, method := range ways {
		if method.isDecision() && len(question.Options) > maxDecisionOptions && i < len(ways)-1 {
			skipped = true // This question has too many options for the method; the next question may not.
			continue
		}
		found, err := s.askBy(ctx, question, method)
		if err == nil || i == len(ways)-1 || !isOtherWay(err) {
			if err == nil && !skipped {
				j.methods.keep(s.asker.Place(), method)
			}
			return found, method, err
		}
	}
	return opinion{}, "", nil
}

func isOtherWay(err error) bool {
	return errors.Is(err, errNoLetters) || kindOf(err) == provider.Unsupported
}

func (s *stepCall) askBy(ctx context.Context, q *prompt.Question, method Method) (o opinion, err error) {
	var r provider.Request
	switch method {
	case methodSystemOne:
		r = q.BuildDecision(provider.SystemOne)
	case MethodDecisions:
		r = q.BuildDecision(provider.OpenAIDecisions)
	case MethodLetter:
		r = q.BuildLetter()
	default:
		return askObject(ctx, s, q)
	}
	answer, err := s.askOnce(ctx, r, nil)
	if err != nil {
		return o, err
	}
	if answer.Finish == provider.Refused {
		return o, s.newFailure(provider.Unusable, refusedAnswer, nil)
	}
	read, failed := q.ReadDecision, s.newFailure(provider.Unusable, "the model did not answer one of the questions", nil)
	if method == MethodLetter {
		read, failed = q.ReadLetter, errNoLetters
	}
	var isRead bool
	if o.matter, o.verdict, isRead = read(answer.First); !isRead {
		return o, failed
	}
	return o, nil
}

// askObject asks both questions with one request for a JSON object. If the answer cannot be
// decoded, it repeats the request once.
func askObject(ctx context.Context, s *stepCall, question *prompt.Question) (opinion, error) {
	ask := func() (provider.Request, provider.Answer, error) {
		r, err := question.BuildJSON()
		if err != nil {
			return r, provider.Answer{}, err
		}
		answer, err := s.askOnce(ctx, r, nil)
		return r, answer, err
	}
	return askUsable(ctx, s, refusedAnswer, ask, func(_ provider.Request, answer string) (opinion, prompt.AnswerFault) {
		matter, verdict, fault := question.ReadJSON(answer)
		return opinion{matter, verdict}, fault
	})
}

// Attempt is the result of trying one method with a model. Err is nil if the method works.
type Attempt struct {
	Method string
	Err    error
}

// TryMethods asks a model a small question with each method that a setting allows, until a method
// works. Each attempt has the time limit of a judgement.
func TryMethods(ctx context.Context, asker provider.Asker, set Method, limits TimeLimits) ([]Attempt, error) {
	m := New(Options{Evaluation: asker, Method: set, Limits: limits})
	q, err := m.steps.Prompts.NewQuestion(smallInput())
	if err != nil {
		return nil, err
	}
	var attempts []Attempt
	for _, method := range ways[set] {
		s := m.newStepCall(asker, m.steps.Limits.Evaluation)
		err := s.runInTime(ctx, func(ctx context.Context) error {
			_, err := s.askBy(ctx, q, method)
			return err
		})
		other := err != nil && isOtherWay(err)
		if errors.Is(err, errNoLetters) {
			err = errors.New("the answer does not begin with a letter, or lacks probabilities")
		}
		attempts = append(attempts, Attempt{method.name(), err})
		if !other {
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
	return llm.Input{
		Persona: &personas.Persona{Name: "Biscuit", Description: "A hungry cat.", Machines: []personas.Machine{*machine}},
		Machine: machine, State: &machine.States[0], Outgoing: []int{0}, FollowUpAllowed: true, Message: "Would you like some tuna?",
	}
}
