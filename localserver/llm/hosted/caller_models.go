package hosted

import (
	"cmp"
	"context"
	"fmt"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
)

// CallerModels chooses the models for callers with their own keys. If a caller sends a key and no
// model, the caller's key is used with the operator's models.
//
// A key is never sent to another provider, nor to another address of its provider. The operator's
// model for a step may be at a provider for which the caller has sent no key. Then the operator's
// main model does the step.
type CallerModels struct {
	// Model is used for callers who send neither a model nor a key.
	llm.Model
	// Operator contains the operator's models.
	Operator ModelNames
	// Addresses contains the addresses of those of the operator's models that have a separate
	// address.
	Addresses StepAddresses
	// Providers returns askers for models by name.
	Providers AskerFinder
	// Observe wraps each asker that uses a caller's key, for example to count its requests. Observe
	// may be nil.
	Observe func(asker provider.Asker, key llm.Secret) provider.Asker
	// Judges is the default choice of judges, in the format of SplitJudges. "" means the model for
	// the evaluation.
	Judges string
	// Options configures the callers' models. Its askers and BuiltInFirst are ignored.
	Options Options
}

// ModelNames are names of models, as provider/model. A step without a name uses Main. Main may be
// empty too.
type ModelNames struct{ Main, Evaluation, Response, Summarization string }

// StepAddresses are separate addresses for single steps. "" means the address of ModelNames.Main.
type StepAddresses struct{ Evaluation, Response, Summarization string }

// AskerFinder contains the methods of *provider.Client that CallerModels uses.
type AskerFinder interface {
	// ModelWithKey returns a model that uses a caller's key.
	ModelWithKey(m provider.KeyedModel) (provider.Asker, error)
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
	builtIn, steps, err := m.findAskers(brought)
	if err != nil {
		return nil, err
	}
	var askers [placeCount]provider.Asker
	for _, one := range steps {
		askers[one.step] = one.asker
		if m.Observe != nil {
			askers[one.step] = m.Observe(one.asker, brought[one.choice.keyPlace].Key)
		}
	}
	o := m.Options
	o.Evaluation, o.Response, o.Summarization = askers[placeEvaluation], askers[placeResponse], askers[placeSummarization]
	o.BuiltInFirst = builtIn
	return New(o), nil
}

type stepAsker struct {
	step   choicePlace
	choice stepModel
	asker  provider.Asker
}

// findAskers returns the askers of the steps that need a provider's model. After an error it also
// returns the askers found before.
func (m CallerModels) findAskers(brought callerChoices) (builtIn bool, found []stepAsker, err error) {
	builtIn, steps := m.planSteps(&brought)
	for _, step := range steps {
		choice, err := m.chooseModel(brought, step)
		if err != nil {
			return builtIn, found, err
		}
		asker, err := m.findAsker(brought, choice, step)
		if err != nil {
			return builtIn, found, err
		}
		found = append(found, stepAsker{step, choice, asker})
	}
	return builtIn, found, nil
}

// planSteps reports whether the built-in judge is used, and returns the steps that need a
// provider's model. The fallback model does every step without a model name. In brought, planSteps
// replaces the choice of judges by the name of the model.
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

// Check asks the provider of each step whether the model and the key are valid. It asks once for
// each combination of model and key. It returns the name of the model that would write the replies.
func (m CallerModels) Check(ctx context.Context, c llm.Caller) (string, error) {
	_, steps, failed := m.findAskers(readChoices(c))
	checked := map[stepModel]bool{}
	speaks := ""
	for _, one := range steps {
		speaks = cmp.Or(speaks, one.asker.Model())
		if checked[one.choice] {
			continue
		}
		if err := m.Providers.Check(ctx, one.asker); err != nil {
			return speaks, err
		}
		checked[one.choice] = true
	}
	return speaks, failed
}

func (m CallerModels) findAsker(brought callerChoices, choice stepModel, step choicePlace) (provider.Asker, error) {
	asker, err := m.Providers.ModelWithKey(provider.KeyedModel{
		Name: choice.model, Key: brought[choice.keyPlace].Key, ByOperator: choice.byOperator, Address: choice.address,
	})
	if err != nil && !choice.byOperator {
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
