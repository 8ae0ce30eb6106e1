package hosted

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/prompt"
	"github.com/parley-npc/parley/localserver/llm/provider"
)

// CallerModels chooses the models for callers with their own keys.
//
// A caller's main model and key serve all steps except those with a separate choice. A caller who
// does not choose a model gets the operator's models with the caller's key. The main key is for the
// provider of the main model: if the operator's model of a step is at another provider, and the
// caller brings no key for that step, the operator's main model serves the step. A key is never
// sent to another provider than its own, nor to another address of it.
type CallerModels struct {
	// Model serves callers who bring nothing.
	llm.Model
	// Operator are the models of the operator.
	Operator ModelNames
	// Addresses are those of the operator's models that are not asked where Main is.
	Addresses StepAddresses
	// Providers finds models by their names.
	Providers AskerFinder
	// Judges is the default choice of judges, in the format of SplitJudges; "" is the model of the
	// evaluation.
	Judges string
	// Fallback, Method, Methods, AskOpenings, Prompts and Limits are as in Options.
	Fallback    llm.Model
	Method      Method
	Methods     *Methods
	AskOpenings bool
	Prompts     *prompt.Builder
	Limits      TimeLimits
}

// ModelNames are models as provider/model; an empty step uses Main, and Main may be empty too.
type ModelNames struct{ Main, Evaluation, Response, Summarization string }

// StepAddresses are the addresses of single steps; "" is as of ModelNames.Main.
type StepAddresses struct{ Evaluation, Response, Summarization string }

// AskerFinder is the part of *provider.Client that CallerModels needs.
type AskerFinder interface {
	// CallersModel is a caller's model at its provider's own address.
	CallersModel(name string, key llm.Secret) (provider.Asker, error)
	// OperatorModelWithKey is the operator's model at his address, with a caller's key.
	OperatorModelWithKey(name string, key llm.Secret) (provider.Asker, error)
	// OperatorModelAt returns the operator's model at a separate address, with a caller's key for
	// that address.
	OperatorModelAt(name, address string, key llm.Secret) (provider.Asker, error)
	// Check reports whether key and model are good.
	Check(ctx context.Context, who provider.Asker) error
	// HasCustomAddress means that the operator's models of this one's provider are not at the
	// provider's own address.
	HasCustomAddress(name string) bool
}

var _ llm.PerCallerModel = CallerModels{}

// With returns the model that plays a caller's request; for a caller who brings
// nothing it is the operator's. Its errors are sentences that name headers
// and providers, and never a key.
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
	}
	return New(Options{
		Evaluation: askers[placeEvaluation], Response: askers[placeResponse], Summarization: askers[placeSummarization],
		Fallback: m.Fallback, Method: m.Method, Methods: m.Methods, BuiltInFirst: builtIn, AskOpenings: m.AskOpenings, Prompts: m.Prompts, Limits: m.Limits,
	}), nil
}

// planSteps returns whether the built-in judge is used, and the steps for which a model is asked:
// the built-in model does the steps for which neither the caller nor the operator names one. In the
// caller's choice of judges it keeps only the model.
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

// Check asks the provider of each step, once where several have the same model and
// key, and names the model that would speak.
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

// findAsker finds the model that a step uses. The error for a caller's own
// model names the header that is wrong.
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
		switch {
		case isAboutKey(err):
			header = choiceHeaders[choice.keyPlace].key
		case brought[step].Model != "":
			header = choiceHeaders[step].model
		}
		err = fmt.Errorf("%s: %w", header, err)
	}
	return asker, err
}

func isAboutKey(err error) bool {
	e, ok := errors.AsType[*provider.Error](err)
	return ok && (e.Kind == provider.KeyRefused || e.Kind == provider.KeyMissing)
}
