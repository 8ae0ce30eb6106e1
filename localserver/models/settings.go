// Package models is who speaks for the characters of a server, and who writes
// personas: the built-in offline model, models of providers, those that callers of
// the game SDK bring, recordings of any of them. Which they are is said by Settings,
// which never reads the environment itself.
package models

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/parley-npc/parley/localserver/llm/provider"
)

// Settings say who speaks for the characters. The zero Settings are the built-in offline
// model.
type Settings struct {
	// Model is ModelOffline or "", ModelCallers, or a model as provider/model.
	Model string
	// Evaluation, Response and Summarization are models of single steps; "" is as
	// in Model.
	Evaluation, Response, Summarization string
	// BaseURL is the OpenAI-compatible address of models that are named without
	// another provider.
	BaseURL string
	// Record is a file in which what providers answer is kept; Replay is one from
	// which it is taken, without any connection.
	Record, Replay string
	// Seed varies which of several equal lines the built-in offline model says.
	Seed uint64
	// Env gives the providers' keys and addresses by the names of their
	// environment variables; nil has none.
	Env func(name string) string

	// Addresses are addresses of providers in place of their own, by their names.
	Addresses map[string]string
}

// The words of Settings.Model that are no model's name.
const (
	// ModelOffline plays everybody with the built-in model and opens no connection,
	// whatever keys and models callers bring.
	ModelOffline = "offline"
	// ModelCallers plays callers of the game SDK with the models and keys that they
	// bring, and everybody else with the built-in model.
	ModelCallers = "callers"
)

// SettingsError says that Settings cannot be as they are: which model means nothing, or
// which environment variable with a key is not set. It is a sentence for whoever
// runs the server.
type SettingsError struct{ Err error }

func (e *SettingsError) Error() string { return e.Err.Error() }

func (e *SettingsError) Unwrap() error { return e.Err }

// EnvKey is the environment variable whose key goes to the provider of Settings.Model,
// before the provider's own variables.
const EnvKey = "PARLEY_LLM_API_KEY"

// Check finds what cannot be meant, as a *SettingsError. It opens no file and no
// connection.
func (s Settings) Check() error {
	if err := s.checkTogether(); err != nil || !s.needsProviders() || s.Replay != "" {
		return err
	}
	_, err := s.ownAskers(s.newClient(""))
	return err
}

// stepNames are the models that the flags name, by step; "" is the main one.
func (s Settings) stepNames() [4]string {
	whole := s.Model
	if !s.isModel() {
		whole = ""
	}
	return [4]string{whole, s.Evaluation, s.Response, s.Summarization}
}

// isModel tells a model's name from the words for none.
func (s Settings) isModel() bool {
	return s.Model != "" && s.Model != ModelOffline && s.Model != ModelCallers
}

// needsProviders tells whether any provider can be asked, or a recording of one.
func (s Settings) needsProviders() bool {
	return s.isModel() || s.Model == ModelCallers || s.Replay != ""
}

// checkTogether finds settings that do not go together.
func (s Settings) checkTogether() error {
	steps := s.Evaluation+s.Response+s.Summarization != ""
	var wrong string
	switch {
	case s.Record != "" && s.Replay != "":
		wrong = "--llm-record and --llm-replay: the models' answers are kept or taken from a file, not both"
	case s.Replay != "" && s.Model == ModelCallers:
		wrong = "--llm-replay answers everybody from its file: leave --llm callers out"
	case s.Replay != "" && s.BaseURL != "":
		wrong = "--llm-replay opens no connection: leave --llm-base-url out"
	case steps && !s.isModel() && s.Replay == "":
		wrong = "a model for a single step needs one for the others: name it with --llm"
	case s.BaseURL != "" && !s.isModel():
		wrong = "--llm-base-url is the address of a model: name it with --llm"
		if s.Model == ModelCallers {
			wrong = "--llm-base-url is the address of a model of yours: models that callers name are asked at their providers' own addresses"
		}
	case s.Record != "" && !s.needsProviders():
		wrong = "--llm-record keeps what models answer: name one with --llm"
	default:
		return nil
	}
	return &SettingsError{errors.New(wrong)}
}

// newClient is who asks the providers. It opens no connection yet.
func (s Settings) newClient(version string) *provider.Client {
	return provider.New(provider.Options{Env: s.variableLookup(), BaseURL: s.BaseURL, Addresses: s.Addresses, Version: version})
}

// variableLookup is the environment, in which the key of EnvKey stands for that of the main
// model's provider.
func (s Settings) variableLookup() func(string) string {
	env := s.Env
	if env == nil {
		return func(string) string { return "" }
	}
	row, ok := providerOf(cmp.Or(s.stepNames()[0], s.Response, s.Evaluation))
	if !ok || len(row.KeyVariables) == 0 || env(EnvKey) == "" {
		return env
	}
	return func(name string) string {
		if name == row.KeyVariables[0] {
			return env(EnvKey)
		}
		return env(name)
	}
}

// providerOf is the provider that a model's name means.
func providerOf(model string) (provider.Provider, bool) {
	t, err := provider.ParseModelName(model)
	if err != nil {
		return provider.Provider{}, false
	}
	for _, p := range provider.Providers {
		if p.Name == t.Provider {
			return p, true
		}
	}
	return provider.Provider{}, false
}

// ownAskers are the models of whoever runs the server: the main one and those of the
// steps, nil where none is named. Its error is a *SettingsError.
func (s Settings) ownAskers(c *provider.Client) (askers [4]provider.Asker, err error) {
	for i, name := range s.stepNames() {
		if name == "" {
			continue
		}
		if askers[i], err = c.OperatorModel(name); err != nil {
			return askers, &SettingsError{explainMissingKey(err)}
		}
	}
	return askers, nil
}

// explainMissingKey adds to an error about a key that is missing what plays without one.
func explainMissingKey(err error) error {
	if e, ok := errors.AsType[*provider.Error](err); ok && e.Kind == provider.KeyMissing {
		return fmt.Errorf("%w (a model of this machine needs none, such as --llm ollama/llama3.2)", err)
	}
	return err
}

// DescribeSpeakers says in a line each who plays the characters, and where the key was
// found.
func (s Settings) DescribeSpeakers() []string {
	switch {
	case s.Replay != "":
		return []string{"the recording " + s.Replay}
	case s.Model == ModelCallers:
		return []string{"callers of the game SDK bring their own, everybody else plays offline"}
	case !s.isModel():
		return []string{"offline, the built-in one"}
	}
	var lines []string
	for i, step := range []string{"", "evaluation: ", "response: ", "summarization: "} {
		if name := s.stepNames()[i]; name != "" {
			lines = append(lines, step+s.describeModel(name))
		}
	}
	return lines
}

func (s Settings) describeModel(name string) string {
	row, ok := providerOf(name)
	if s.BaseURL != "" && (!ok || row.Name == "openai") {
		return name + " at " + displayAddress(s.BaseURL)
	}
	if t, err := provider.ParseModelName(name); err == nil {
		name = t.String()
	}
	env := s.variableLookup()
	for i, variable := range row.KeyVariables {
		if strings.TrimSpace(env(variable)) == "" {
			continue
		}
		if i == 0 && env(variable) != s.Env(variable) {
			variable = EnvKey
		}
		return fmt.Sprintf("%s (key from %s)", name, variable)
	}
	return name
}

// displayAddress is an address without user, password and query.
func displayAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "an address of its own"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// ProviderInfo is what a person needs to know of a model provider.
type ProviderInfo struct {
	// Name stands before the slash of provider/model.
	Name, Title string
	// KeyVariables are the environment variables in which its key is looked for,
	// AddressVariables those with another address of it.
	KeyVariables, AddressVariables []string
	// Local ones run on this machine and need no key.
	Local bool
}

// Providers are the model providers that a model's name can name.
func Providers() []ProviderInfo {
	list := make([]ProviderInfo, len(provider.Providers))
	for i, p := range provider.Providers {
		list[i] = ProviderInfo{Name: p.Name, Title: p.Title, KeyVariables: p.KeyVariables, AddressVariables: p.AddressVariables, Local: p.Local}
	}
	return list
}

// Listing is what is set for a provider, and the models that it has.
type Listing = provider.Listing

// ListModels lists for each provider what is set and which models can be reached:
// local ones are asked always, and with ask those with a key too, which is a call
// on the network.
func ListModels(ctx context.Context, s Settings, version string, ask bool) []Listing {
	c := s.newClient(version)
	defer c.Close()
	return c.ListModels(ctx, ask)
}
