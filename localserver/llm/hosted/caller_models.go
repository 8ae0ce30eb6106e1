package hosted

import (
	"cmp"
	"context"
	"fmt"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/prompt"
	"github.com/parley-npc/parley/localserver/llm/provider"
)

// CallerModels chooses the models for callers with their own keys.
//
// A caller's main model and key are used for all steps for which the caller makes no separate
// choice. A caller who does not choose a model gets the operator's models with the caller's key.
// The main key belongs to the provider of the main model. If the operator's model for a step is at
// another provider and the caller sends no key for that step, the operator's main model does the
// step. A key is never sent to another provider, nor to another address of its provider.
type CallerModels struct {
	// Model is used for callers who send neither a model nor a key.
	llm.Model
	// Operator contains the operator's models.
	Operator ModelNames
	// Addresses contains the separate addresses of the operator's models, if any.
	Addresses StepAddresses
	// Providers returns askers for models by name.
	Providers AskerFinder
	// Observe wraps the asker that uses a caller's key, for example to count its requests. It may be nil.
	Observe func(asker provider.Asker, key llm.Secret) provider.Asker
	// Judges is the default choice of judges, in the format that SplitJudges parses. "" means the
	// evaluation's model.
	Judges string
	// Fallback, Method, Methods, AskOpenings, Prompts and Limits are the fields of the same names
	// in Options.
	Fallback    llm.Model
	Method      Method
	Methods     *Methods
	AskOpenings bool
	Prompts     *prompt.Builder
	Limits      TimeLimits
}

// ModelNames are names of models, as provider/model. A step without a name uses Main. Main may be
// empty too.
type ModelNames struct{ Main, Evaluation, Response, Summarization string }

// StepAddresses are separate addresses for single steps. "" means the address of ModelNames.Main.
type StepAddresses struct{ Evaluation, Response, Summarization string }

// AskerFinder contains the methods of *provider.Client that CallerModels uses.
type AskerFinder interface {
	// CallersModel returns a caller's model at its provider's public address.
	CallersModel(name string, key llm.Secret) (provider.Asker, error)
	// OperatorModelWithKey returns the operator's model at the operator's address, with a caller's
	// key.
	OperatorModelWithKey(name string, key llm.Secret) (provider.Asker, error)
	// OperatorModelAt returns the operator's model at a separate address, with a caller's key for
	// that address.
	OperatorModelAt(name, address string, key llm.Secret) (provider.Asker, error)
	// Check returns an error if the key or the model is not valid.
	Check(ctx context.Context, who provider.Asker) error
	// HasCustomAddress reports whether the operator has set another address for the provider of the
	// named model.
	HasCustomAddress(name string) bool
}

var _ llm.PerCallerModel = CallerModels{}

// With returns the model for a caller's requests. If the caller sends neither a model nor a key, it
// returns Model. Its errors are sentences that contain headers and providers, but never a key.
func (m CallerModels) With(c llm.Caller) (llm.Model, error) {
	brought := readChoices(c)
	if brought.isNothing() {
		return m.Model, nil
	}
	builtIn, steps := m.planSteps(&brought)
	var askers [placeCount]provider.Asker
	for _, step := range steps {
		choice, err := m.chooseModel(brought, step)
		if err == nil {
			askers[step], err = m.findAsker(brought, choice, step)
		}
		if err != nil {
			return nil, err
		}
		if m.Observe != nil {
			askers[step] = m.Observe(askers[step], brought[choice.keyPlace].Key)
		}
	}
	return New(Options{
		Evaluation: askers[placeEvaluation], Response: askers[placeResponse], Summarization: askers[placeSummarization],
		Fallback: m.Fallback, Method: m.Method, Methods: m.Methods, BuiltInFirst: builtIn, AskOpenings: m.AskOpenings, Prompts: m.Prompts, Limits: m.Limits,
	}), nil
}

// planSteps returns whether the built-in judge is used, and the steps that need a provider's model.
// The fallback model does a step without a name. The caller's choice of judges is reduced to the
// model's name.
func (m CallerModels) planSteps(brought *callerChoices) (builtIn bool, steps []choicePlace) {
	builtIn, model := SplitJudges(cmp.Or(brought[placeEvaluation].Model, m.Judges))
	if brought[placeEvaluation].Model != "" {
		brought[placeEvaluation].Model = model
	}
	for _, step := range turnSteps {
		if step == placeEvaluation && builtIn && model == "" {
			continue
		}
		isNamed := brought[step].Model != "" || brought[placeMain].Model != "" || m.Operator.pickName(step) != "" || m.Operator == ModelNames{}
		if isNamed {
			steps = append(steps, step)
		}
	}
	return builtIn, steps
}

// Check checks the model and the key of each step with the provider. It checks each combination of
// model and key once. It returns the name of the model that would write the replies.
func (m CallerModels) Check(ctx context.Context, c llm.Caller) (string, error) {
	brought := readChoices(c)
	checked := map[stepModel]bool{}
	speaks := ""
	_, steps := m.planSteps(&brought)
	for _, step := range steps {
		choice, err := m.chooseModel(brought, step)
		if err != nil {
			return speaks, err
		}
		asker, err := m.findAsker(brought, choice, step)
		if err != nil {
			return speaks, err
		}
		speaks = cmp.Or(speaks, asker.Model())
		if checked[choice] {
			continue
		}
		if err := m.Providers.Check(ctx, asker); err != nil {
			return speaks, err
		}
		checked[choice] = true
	}
	return speaks, nil
}

func (m CallerModels) findAsker(brought callerChoices, choice stepModel, step choicePlace) (provider.Asker, error) {
	if choice.address != "" {
		return m.Providers.OperatorModelAt(choice.model, choice.address, brought[choice.keyPlace].Key)
	}
	if choice.byOperator {
		return m.Providers.OperatorModelWithKey(choice.model, brought[choice.keyPlace].Key)
	}
	asker, err := m.Providers.CallersModel(choice.model, brought[choice.keyPlace].Key)
	if err != nil {
		header := choiceHeaders[placeMain].model
		switch kind := kindOf(err); {
		case kind == provider.KeyRefused || kind == provider.KeyMissing:
			header = choiceHeaders[choice.keyPlace].key
		case brought[step].Model != "":
			header = choiceHeaders[step].model
		}
		err = fmt.Errorf("%s: %w", header, err)
	}
	return asker, err
}
