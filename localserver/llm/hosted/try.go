package hosted

import (
	"context"
	"errors"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas"
)

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
