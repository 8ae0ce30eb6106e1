package hosted

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas/wire"
)

// choicePlace identifies the two headers (choiceHeaders) in which a caller sends a model and a key.
type choicePlace int

const (
	placeMain choicePlace = iota
	placeEvaluation
	placeResponse
	placeSummarization
	placeCount
)

var errNoModel = errors.New("this server has no model: choose one in the header " + wire.HeaderLLMModel + ", such as openai/gpt-4o-mini")

// turnSteps are the steps of a turn, beginning with the step that writes the reply.
var turnSteps = []choicePlace{placeResponse, placeEvaluation, placeSummarization}

var choiceHeaders = [placeCount]struct{ model, key string }{
	placeMain:          {wire.HeaderLLMModel, wire.HeaderLLMKey},
	placeEvaluation:    {wire.HeaderLLMEvalModel, wire.HeaderLLMEvalKey},
	placeResponse:      {wire.HeaderLLMResponseModel, wire.HeaderLLMResponseKey},
	placeSummarization: {wire.HeaderLLMSummarizationModel, wire.HeaderLLMSummarizationKey},
}

type callerChoices [placeCount]llm.ModelChoice

func readChoices(c llm.Caller) callerChoices {
	brought := callerChoices{placeMain: c.ModelChoice, placeEvaluation: c.Evaluation, placeResponse: c.Response, placeSummarization: c.Summarization}
	for place := range brought {
		brought[place].Model = strings.TrimSpace(brought[place].Model)
	}
	return brought
}

func (c callerChoices) isNothing() bool {
	for _, one := range c {
		if one.Key.IsSet() || one.Model != "" {
			return false
		}
	}
	return true
}

func (c callerChoices) keyPlace(step choicePlace) choicePlace {
	if c[step].Key.IsSet() {
		return step
	}
	return placeMain
}

func (n ModelNames) pickName(step choicePlace) string {
	return cmp.Or([placeCount]string{placeEvaluation: n.Evaluation, placeResponse: n.Response, placeSummarization: n.Summarization}[step], n.Main)
}

func (a StepAddresses) pickAddress(step choicePlace) string {
	return [placeCount]string{placeEvaluation: a.Evaluation, placeResponse: a.Response, placeSummarization: a.Summarization}[step]
}

// stepModel is the model that was chosen for a step, and the place of its key. address is set if it
// differs from the address of the main model.
type stepModel struct {
	model      string
	byOperator bool
	address    string
	keyPlace   choicePlace
}

func (m CallerModels) chooseModel(brought callerChoices, step choicePlace) (stepModel, error) {
	hasMain := brought[placeMain].Model != "" && !isOperatorModel(brought[placeMain].Model, m.Operator.Main)
	if hasMain {
		return m.pickCallerModel(brought, step, hasMain)
	}
	planned := m.Operator.pickName(step)
	switch {
	case brought[step].Model == "", isOperatorModel(brought[step].Model, planned):
		return m.pickPlannedModel(planned, step, brought.keyPlace(step))
	case isOperatorModel(brought[step].Model, m.Operator.Main):
		return m.pickOperatorModel(m.Operator.Main, step, brought.keyPlace(step))
	}
	return m.pickCallerModel(brought, step, hasMain)
}

// pickCallerModel returns the caller's model for a step. hasMain means that the caller has also
// chosen a main model. If the caller has not, the main key belongs to the provider of the
// operator's main model.
func (m CallerModels) pickCallerModel(brought callerChoices, step choicePlace, hasMain bool) (stepModel, error) {
	choice := stepModel{model: cmp.Or(brought[step].Model, brought[placeMain].Model), keyPlace: brought.keyPlace(step)}
	if brought[step].Model == "" || choice.keyPlace != placeMain {
		return choice, brought.checkKey(choice)
	}
	if !hasMain && m.Operator.Main == "" {
		return choice, errNoModel
	}
	stepProvider, err := providerOf(brought, step)
	if err != nil {
		return choice, err
	}
	owner := "this server's own " + m.Operator.Main
	isOthers := !hasMain && (stepProvider != operatorProviderOf(m.Operator.Main) || m.Providers.HasCustomAddress(m.Operator.Main))
	if hasMain {
		if owner, err = providerOf(brought, placeMain); err != nil {
			return choice, err
		}
		isOthers = stepProvider != owner
	}
	if isOthers && !isLocal(choice.model) {
		return choice, fmt.Errorf("%s in %s needs its own key in the header %s: the key in %s is for %s and is not sent elsewhere",
			brought[step].Model, choiceHeaders[step].model, choiceHeaders[step].key, choiceHeaders[placeMain].key, owner)
	}
	return choice, brought.checkKey(choice)
}

// pickPlannedModel returns the operator's model for a step. If the model has a separate address and
// the caller sent no key for the step, pickPlannedModel returns the main model.
func (m CallerModels) pickPlannedModel(name string, step, keyPlace choicePlace) (stepModel, error) {
	address := m.Addresses.pickAddress(step)
	switch {
	case address == "":
		return m.pickOperatorModel(name, step, keyPlace)
	case keyPlace == step:
		return stepModel{model: name, byOperator: true, address: address, keyPlace: keyPlace}, nil
	}
	return m.pickOperatorModel(m.Operator.Main, step, keyPlace)
}

func (m CallerModels) pickOperatorModel(name string, step, keyPlace choicePlace) (stepModel, error) {
	mainName := m.Operator.Main
	switch {
	case name == "":
		return stepModel{}, errNoModel
	case keyPlace == step, isOperatorModel(name, mainName), isLocal(name), mainName != "" && operatorProviderOf(name) == operatorProviderOf(mainName):
		return stepModel{model: name, byOperator: true, keyPlace: keyPlace}, nil
	case mainName == "":
		return stepModel{}, fmt.Errorf("%s needs its own key in the header %s", name, choiceHeaders[step].key)
	}
	return stepModel{model: mainName, byOperator: true, keyPlace: keyPlace}, nil
}

func (c callerChoices) checkKey(choice stepModel) error {
	if c[choice.keyPlace].Key.IsSet() {
		return nil
	}
	return fmt.Errorf("%s needs your key in the header %s", choice.model, choiceHeaders[choice.keyPlace].key)
}

func providerOf(brought callerChoices, step choicePlace) (string, error) {
	t, err := provider.ParseModelName(brought[step].Model)
	if err != nil {
		return "", fmt.Errorf("%s: %w", choiceHeaders[step].model, err)
	}
	return t.Provider, nil
}

// operatorTarget returns the target of an operator's model. If the name has no known provider, the
// model is at the operator's OpenAI-compatible server.
func operatorTarget(name string) provider.Target {
	t, err := provider.ParseModelName(name)
	if err != nil {
		return provider.Target{Provider: "openai", Model: strings.TrimSpace(name)}
	}
	return t
}

func operatorProviderOf(name string) string {
	if name == "" {
		return ""
	}
	return operatorTarget(name).Provider
}

// isLocal reports whether a model runs on the operator's machine. Such a model needs no key, and
// callers cannot choose it.
func isLocal(name string) bool {
	p, _ := provider.FindProvider(operatorProviderOf(name))
	return p.Local
}

func isOperatorModel(name, operators string) bool {
	return operators != "" && (name == operators || operatorTarget(name) == operatorTarget(operators))
}
