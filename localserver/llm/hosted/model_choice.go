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

type choicePlace int

const (
	placeMain choicePlace = iota
	placeEvaluation
	placeResponse
	placeSummarization
	placeCount
)

var errNoModel = errors.New("this server has no model: choose one in the header " + wire.HeaderLLMModel +
	", such as openai/gpt-4o-mini")

// turnSteps begins with the step that writes the reply.
var turnSteps = []choicePlace{placeResponse, placeEvaluation, placeSummarization}

var choiceHeaders = [placeCount]struct{ model, key string }{
	placeMain:          {wire.HeaderLLMModel, wire.HeaderLLMKey},
	placeEvaluation:    {wire.HeaderLLMEvalModel, wire.HeaderLLMEvalKey},
	placeResponse:      {wire.HeaderLLMResponseModel, wire.HeaderLLMResponseKey},
	placeSummarization: {wire.HeaderLLMSummarizationModel, wire.HeaderLLMSummarizationKey},
}

type callerChoices [placeCount]llm.ModelChoice

func readChoices(c llm.Caller) callerChoices {
	choices := callerChoices{
		placeMain: c.ModelChoice, placeEvaluation: c.Evaluation,
		placeResponse: c.Response, placeSummarization: c.Summarization,
	}
	for place := range choices {
		choices[place].Model = strings.TrimSpace(choices[place].Model)
	}
	return choices
}

func (c callerChoices) isEmpty() bool {
	for _, choice := range c {
		if choice.Key.IsSet() || choice.Model != "" {
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
	names := [placeCount]string{
		placeEvaluation: n.Evaluation, placeResponse: n.Response, placeSummarization: n.Summarization,
	}
	return cmp.Or(names[step], n.Main)
}

func (a StepAddresses) pickAddress(step choicePlace) string {
	addresses := [placeCount]string{
		placeEvaluation: a.Evaluation, placeResponse: a.Response, placeSummarization: a.Summarization,
	}
	return addresses[step]
}

type stepModel struct {
	model      string
	byOperator bool
	address    string // if it differs from the address of the main model
	keyPlace   choicePlace
}

func (m CallerModels) chooseModel(choices callerChoices, step choicePlace) (stepModel, error) {
	hasMain := choices[placeMain].Model != "" && !isOperatorModel(choices[placeMain].Model, m.Operator.Main)
	if hasMain {
		return m.pickCallerModel(choices, step, hasMain)
	}
	planned := m.Operator.pickName(step)
	switch {
	case choices[step].Model == "", isOperatorModel(choices[step].Model, planned):
		return m.pickPlannedModel(planned, step, choices.keyPlace(step))
	case isOperatorModel(choices[step].Model, m.Operator.Main):
		return m.pickOperatorModel(m.Operator.Main, step, choices.keyPlace(step))
	}
	return m.pickCallerModel(choices, step, hasMain)
}

// pickCallerModel returns the model of a step. It checks that a key is sent only to its provider.
// hasMain means that the caller named a main model; otherwise the main key belongs to the provider
// of the operator's main model.
func (m CallerModels) pickCallerModel(choices callerChoices, step choicePlace, hasMain bool) (stepModel, error) {
	choice := stepModel{model: cmp.Or(choices[step].Model, choices[placeMain].Model), keyPlace: choices.keyPlace(step)}
	if choices[step].Model == "" || choice.keyPlace != placeMain {
		return choice, choices.checkKey(choice)
	}
	if !hasMain && m.Operator.Main == "" {
		return choice, errNoModel
	}
	stepProvider, err := providerOf(choices, step)
	if err != nil {
		return choice, err
	}
	var keyOwner string
	var fits bool
	if hasMain {
		if keyOwner, err = providerOf(choices, placeMain); err != nil {
			return choice, err
		}
		fits = stepProvider == keyOwner
	} else {
		main := m.Operator.Main
		keyOwner = "this server's own " + main
		fits = stepProvider == operatorProviderOf(main) && !m.Providers.HasCustomAddress(main)
	}
	if !fits && !isLocal(choice.model) {
		return choice, fmt.Errorf("%s in %s needs its own key in the header %s: "+
			"the key in %s is for %s and is not sent elsewhere",
			choices[step].Model, choiceHeaders[step].model, choiceHeaders[step].key,
			choiceHeaders[placeMain].key, keyOwner)
	}
	return choice, choices.checkKey(choice)
}

// pickPlannedModel sends to a separate address only a key for that step.
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
	isMainProvider := mainName != "" && operatorProviderOf(name) == operatorProviderOf(mainName)
	switch {
	case name == "":
		return stepModel{}, errNoModel
	case keyPlace == step, isOperatorModel(name, mainName), isLocal(name), isMainProvider:
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

func providerOf(choices callerChoices, step choicePlace) (string, error) {
	t, err := provider.ParseModelName(choices[step].Model)
	if err != nil {
		return "", fmt.Errorf("%s: %w", choiceHeaders[step].model, err)
	}
	return t.Provider, nil
}

func operatorTarget(name string) provider.Target {
	t, err := provider.ParseModelName(name)
	if err != nil { // a model on the operator's OpenAI-compatible server
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

func isLocal(name string) bool {
	p, _ := provider.FindProvider(operatorProviderOf(name))
	return p.Local
}

func isOperatorModel(name, operators string) bool {
	return operators != "" && (name == operators || operatorTarget(name) == operatorTarget(operators))
}
