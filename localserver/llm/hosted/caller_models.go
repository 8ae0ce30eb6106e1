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

// CallerModels chooses the models for callers who bring keys of their own.
//
// A caller's main model and key serve all steps but those for which the caller
// names others. A caller who names no model gets the operator's models with the
// caller's key. The main key is for the provider of the main model: where the
// operator's model of a step is at another provider, and the caller brings no key
// for that step, the operator's main model serves the step. A key never goes to
// another provider than the one it is for, nor to another address of it.
type CallerModels struct {
	// Model serves callers who bring nothing.
	llm.Model
	// Own are the operator's models.
	Own ModelNames
	// Providers finds models by their names.
	Providers AskerFinder
	// Fallback, Prompts and Limits are as in Options.
	Fallback llm.Model
	Prompts  *prompt.Builder
	Limits   TimeLimits
}

// ModelNames are models as provider/model; "" is none, and for a step as in Main.
type ModelNames struct{ Main, Evaluation, Response, Summarization string }

// AskerFinder are what CallerModels needs of *provider.Client.
type AskerFinder interface {
	// CallersModel is a caller's model at its provider's own address.
	CallersModel(name string, key llm.Secret) (provider.Asker, error)
	// OwnModelWithKey is the operator's model at his address, with a caller's key.
	OwnModelWithKey(name string, key llm.Secret) (provider.Asker, error)
	// Check tells whether key and model are good.
	Check(ctx context.Context, who provider.Asker) error
	// HasCustomAddress tells that the operator's models of this one's provider are not at the
	// provider's own address.
	HasCustomAddress(name string) bool
}

var _ llm.PerCallerModel = CallerModels{}

// With returns the model that plays a caller's request; for a caller who brings
// nothing it is the server's own model. Its errors are sentences that name headers
// and providers, and never a key.
func (m CallerModels) With(c llm.Caller) (llm.Model, error) {
	b := readChoices(c)
	if b.isNothing() {
		return m.Model, nil
	}
	var askers [placeCount]provider.Asker
	for _, s := range turnSteps {
		p, err := m.chooseModel(b, s)
		if err == nil {
			askers[s], err = m.findAsker(b, p, s)
		}
		if err != nil {
			return nil, err
		}
	}
	return New(Options{
		Evaluation: askers[placeEvaluation], Response: askers[placeResponse], Summarization: askers[placeSummarization],
		Fallback: m.Fallback, Prompts: m.Prompts, Limits: m.Limits,
	}), nil
}

// Check asks the provider of each step, once where several have the same model and
// key, and names the model that would speak.
func (m CallerModels) Check(ctx context.Context, c llm.Caller) (string, error) {
	b := readChoices(c)
	checked := map[stepModel]bool{}
	speaks := ""
	for _, s := range turnSteps {
		p, err := m.chooseModel(b, s)
		if err != nil {
			return speaks, err
		}
		asker, err := m.findAsker(b, p, s)
		if err != nil {
			return speaks, err
		}
		speaks = cmp.Or(speaks, asker.Model())
		if checked[p] {
			continue
		}
		if err := m.Providers.Check(ctx, asker); err != nil {
			return speaks, err
		}
		checked[p] = true
	}
	return speaks, nil
}

// findAsker finds the model that a step uses. The error for a caller's own
// model says which header is wrong.
func (m CallerModels) findAsker(b callerChoices, p stepModel, s int) (provider.Asker, error) {
	if p.own {
		return m.Providers.OwnModelWithKey(p.model, b[p.keyPlace].Key)
	}
	asker, err := m.Providers.CallersModel(p.model, b[p.keyPlace].Key)
	if err != nil {
		header := choiceHeaders[placeMain].model
		switch {
		case isAboutKey(err):
			header = choiceHeaders[p.keyPlace].key
		case b[s].Model != "":
			header = choiceHeaders[s].model
		}
		err = fmt.Errorf("%s: %w", header, err)
	}
	return asker, err
}

func isAboutKey(err error) bool {
	e, ok := errors.AsType[*provider.Error](err)
	return ok && (e.Kind == provider.KeyRefused || e.Kind == provider.KeyMissing)
}
