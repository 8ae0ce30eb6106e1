package hosted

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
)

// The places in which a caller may bring a model and a key.
const (
	placeMain = iota
	placeEvaluation
	placeResponse
	placeSummarization
	placeCount
)

// errNoModel answers a caller who leaves the model to a server that has none.
var errNoModel = errors.New("this server has no model of its own: name yours in the header X-LLM-Model, such as openai/gpt-4o-mini")

// turnSteps are the steps of a turn; the one that writes the reply comes first.
var turnSteps = []int{placeResponse, placeEvaluation, placeSummarization}

// choiceHeaders are the headers in which a caller names models and keys
// (personas/wire).
var choiceHeaders = [placeCount]struct{ model, key string }{
	placeMain:          {"X-LLM-Model", "X-LLM-API-Key"},
	placeEvaluation:    {"X-LLM-Eval-Model", "X-LLM-Eval-API-Key"},
	placeResponse:      {"X-LLM-Response-Model", "X-LLM-Response-API-Key"},
	placeSummarization: {"X-LLM-Summarization-Model", "X-LLM-Summarization-API-Key"},
}

// callerChoices are the models and keys that a caller brings, by place.
type callerChoices [placeCount]llm.ModelChoice

func readChoices(c llm.Caller) callerChoices {
	b := callerChoices{placeMain: c.ModelChoice, placeEvaluation: c.Evaluation, placeResponse: c.Response, placeSummarization: c.Summarization}
	for s := range b {
		b[s].Model = strings.TrimSpace(b[s].Model)
	}
	return b
}

func (b callerChoices) isNothing() bool {
	for _, s := range b {
		if s.Key.IsSet() || s.Model != "" {
			return false
		}
	}
	return true
}

// keyPlace returns the place of the key for a step: the step's own, else the
// main one.
func (b callerChoices) keyPlace(s int) int {
	if b[s].Key.IsSet() {
		return s
	}
	return placeMain
}

// modelFor returns the operator's model of a step.
func (n ModelNames) modelFor(s int) string {
	return cmp.Or([placeCount]string{placeEvaluation: n.Evaluation, placeResponse: n.Response, placeSummarization: n.Summarization}[s], n.Main)
}

// stepModel is the model that a step uses: its name, whether it is the
// operator's, and the place of its key.
type stepModel struct {
	model    string
	own      bool
	keyPlace int
}

// chooseModel decides which model a step uses.
func (m CallerModels) chooseModel(b callerChoices, s int) (stepModel, error) {
	if b[placeMain].Model != "" && !isServerModel(b[placeMain].Model, m.Own.Main) {
		return pickCallerModel(b, s)
	}
	own := m.Own.modelFor(s)
	switch {
	case b[s].Model == "", isServerModel(b[s].Model, own):
		return m.pickServerModel(own, s, b.keyPlace(s))
	case isServerModel(b[s].Model, m.Own.Main):
		return m.pickServerModel(m.Own.Main, s, b.keyPlace(s))
	}
	return m.pickStepModel(b, s)
}

// pickCallerModel chooses for a caller who names a main model.
func pickCallerModel(b callerChoices, s int) (stepModel, error) {
	p := stepModel{model: cmp.Or(b[s].Model, b[placeMain].Model), keyPlace: b.keyPlace(s)}
	if b[s].Model != "" && p.keyPlace == placeMain {
		there, err := providerOf(b, s)
		if err != nil {
			return p, err
		}
		home, err := providerOf(b, placeMain)
		if err != nil {
			return p, err
		}
		if there != home && !isLocal(p.model) {
			return p, needOwnKey(b, s, home)
		}
	}
	return p, b.checkKey(p)
}

// pickStepModel chooses for a caller who names a model for this step and leaves
// the main model to the operator.
func (m CallerModels) pickStepModel(b callerChoices, s int) (stepModel, error) {
	p := stepModel{model: b[s].Model, keyPlace: b.keyPlace(s)}
	if p.keyPlace == placeMain {
		if m.Own.Main == "" {
			return p, errNoModel
		}
		there, err := providerOf(b, s)
		if err != nil {
			return p, err
		}
		if (there != serverProviderOf(m.Own.Main) || m.Providers.HasCustomAddress(m.Own.Main)) && !isLocal(p.model) {
			return p, needOwnKey(b, s, "this server's own "+m.Own.Main)
		}
	}
	return p, b.checkKey(p)
}

// pickServerModel chooses one of the operator's models, if the caller's key can
// be used for it.
func (m CallerModels) pickServerModel(own string, s, key int) (stepModel, error) {
	home := m.Own.Main
	switch {
	case own == "":
		return stepModel{}, errNoModel
	case key == s, isServerModel(own, home), isLocal(own), home != "" && serverProviderOf(own) == serverProviderOf(home):
		return stepModel{model: own, own: true, keyPlace: key}, nil
	case home == "":
		return stepModel{}, fmt.Errorf("%s needs its own key in the header %s", own, choiceHeaders[s].key)
	}
	return stepModel{model: home, own: true, keyPlace: key}, nil
}

func (b callerChoices) checkKey(p stepModel) error {
	if b[p.keyPlace].Key.IsSet() {
		return nil
	}
	return fmt.Errorf("%s needs your key in the header %s", p.model, choiceHeaders[p.keyPlace].key)
}

// needOwnKey says which header is missing, and why the main key does not do.
func needOwnKey(b callerChoices, s int, home string) error {
	return fmt.Errorf("%s in %s needs a key of its own in the header %s: the one in %s is for %s and is sent nowhere else",
		b[s].Model, choiceHeaders[s].model, choiceHeaders[s].key, choiceHeaders[placeMain].key, home)
}

// providerOf returns the provider of a model that a caller names.
func providerOf(b callerChoices, s int) (string, error) {
	t, err := provider.ParseModelName(b[s].Model)
	if err != nil {
		return "", fmt.Errorf("%s: %w", choiceHeaders[s].model, err)
	}
	return t.Provider, nil
}

// serverTarget returns one of the operator's models. A name that no provider
// has means something at his OpenAI-compatible address.
func serverTarget(name string) provider.Target {
	t, err := provider.ParseModelName(name)
	if err != nil {
		return provider.Target{Provider: "openai", Model: strings.TrimSpace(name)}
	}
	return t
}

// serverProviderOf returns the provider of one of the operator's models.
func serverProviderOf(name string) string {
	if name == "" {
		return ""
	}
	return serverTarget(name).Provider
}

// isLocal reports whether a model runs on a machine of whoever runs the server:
// it needs nobody's key, and no caller can choose it.
func isLocal(name string) bool {
	for _, p := range provider.Providers {
		if p.Name == serverProviderOf(name) {
			return p.Local
		}
	}
	return false
}

// isServerModel reports whether a name names one of the operator's models,
// however it is written.
func isServerModel(name, own string) bool {
	return own != "" && (name == own || serverTarget(name) == serverTarget(own))
}
