package hosted

import (
	"cmp"
	"context"
	"fmt"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
)

// CallerModels chooses the models for callers with their own keys. A caller with a key and no model
// uses the operator's models.
//
// A key is sent only to its provider and only to one address. If no key fits the operator's model
// for a step, the operator's main model is used.
type CallerModels struct {
	// Model is used for callers without a model and a key.
	llm.Model
	Operator ModelNames
	// Addresses contains separate addresses of the operator's models.
	Addresses StepAddresses
	Providers AskerFinder
	// Observe wraps each asker with a caller's key, for example to count requests. It may be nil.
	Observe func(asker provider.Asker, key llm.Secret) provider.Asker
	// Judges is the default choice of judges in the format of SplitJudges. "" means the evaluation
	// model.
	Judges string
	// Options configures the callers' models. Its askers and BuiltInFirst are ignored.
	Options Options
}

// ModelNames are names in the form provider/model. A step without a name uses Main. Main may be
// empty.
type ModelNames struct{ Main, Evaluation, Response, Summarization string }

// StepAddresses are separate addresses of steps. "" means the address of ModelNames.Main.
type StepAddresses struct{ Evaluation, Response, Summarization string }

// AskerFinder is the part of *provider.Client that CallerModels uses.
type AskerFinder interface {
	// ModelWithKey returns an asker with a caller's key.
	ModelWithKey(m provider.KeyedModel) (provider.Asker, error)
	// Check returns an error for an invalid key or model.
	Check(ctx context.Context, asker provider.Asker) error
	// HasCustomAddress reports whether the operator has changed the address of the model's
	// provider.
	HasCustomAddress(name string) bool
}

var _ llm.PerCallerModel = CallerModels{}

// With returns the model for a caller's requests. The default is Model, for a caller without a
// model and a key. The error is a sentence for the caller and never contains a key.
func (m CallerModels) With(c llm.Caller) (llm.Model, error) {
	choices := readChoices(c)
	if choices.isEmpty() {
		return m.Model, nil
	}
	builtIn, steps, err := m.findAskers(choices)
	if err != nil {
		return nil, err
	}
	var askers [placeCount]provider.Asker
	for _, step := range steps {
		askers[step.step] = step.asker
		if m.Observe != nil {
			askers[step.step] = m.Observe(step.asker, choices[step.choice.keyPlace].Key)
		}
	}
	options := m.Options
	options.Evaluation = askers[placeEvaluation]
	options.Response = askers[placeResponse]
	options.Summarization = askers[placeSummarization]
	options.BuiltInFirst = builtIn
	return New(options), nil
}

type stepAsker struct {
	step   choicePlace
	choice stepModel
	asker  provider.Asker
}

// findAskers also returns the askers that were found before an error.
func (m CallerModels) findAskers(choices callerChoices) (builtIn bool, askers []stepAsker, err error) {
	builtIn, steps := m.planSteps(&choices)
	for _, step := range steps {
		choice, err := m.chooseModel(choices, step)
		if err != nil {
			return builtIn, askers, err
		}
		asker, err := m.findAsker(choices, choice, step)
		if err != nil {
			return builtIn, askers, err
		}
		askers = append(askers, stepAsker{step, choice, asker})
	}
	return builtIn, askers, nil
}

// planSteps replaces the choice of judges in choices by the name of a model.
func (m CallerModels) planSteps(choices *callerChoices) (builtIn bool, steps []choicePlace) {
	builtIn, model := SplitJudges(cmp.Or(choices[placeEvaluation].Model, m.Judges))
	if choices[placeEvaluation].Model != "" {
		choices[placeEvaluation].Model = model
	}
	for _, step := range turnSteps {
		if step == placeEvaluation && builtIn && model == "" {
			continue
		}
		name := cmp.Or(choices[step].Model, choices[placeMain].Model, m.Operator.pickName(step))
		if name != "" || m.Operator == (ModelNames{}) {
			steps = append(steps, step)
		}
	}
	return builtIn, steps
}

// Check asks the provider of each step whether the model and the key are valid. It asks once for
// each combination. It returns the name of the model for replies.
func (m CallerModels) Check(ctx context.Context, c llm.Caller) (string, error) {
	_, steps, failed := m.findAskers(readChoices(c))
	checked := map[stepModel]bool{}
	replyModel := ""
	for _, step := range steps {
		replyModel = cmp.Or(replyModel, step.asker.Model())
		if checked[step.choice] {
			continue
		}
		if err := m.Providers.Check(ctx, step.asker); err != nil {
			return replyModel, err
		}
		checked[step.choice] = true
	}
	return replyModel, failed
}

func (m CallerModels) findAsker(choices callerChoices, choice stepModel, step choicePlace) (provider.Asker, error) {
	asker, err := m.Providers.ModelWithKey(provider.KeyedModel{
		Name: choice.model, Key: choices[choice.keyPlace].Key, ByOperator: choice.byOperator, Address: choice.address,
	})
	if err != nil && !choice.byOperator {
		header := choiceHeaders[placeMain].model
		switch kind := kindOf(err); {
		case kind == provider.KeyRefused || kind == provider.KeyMissing:
			header = choiceHeaders[choice.keyPlace].key
		case choices[step].Model != "":
			header = choiceHeaders[step].model
		}
		err = fmt.Errorf("%s: %w", header, err)
	}
	return asker, err
}
