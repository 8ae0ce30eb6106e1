package localserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/parley-npc/parley/localserver/llm/provider"
)

// LLM says who speaks for the characters. The zero LLM is the built-in offline
// model.
type LLM struct {
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
	// Env gives the providers' keys and addresses by the names of their
	// environment variables; nil has none.
	Env func(name string) string

	// addresses are the providers' addresses in tests.
	addresses map[string]string
}

// The words of LLM.Model that are no model's name.
const (
	// ModelOffline plays everybody with the built-in model and opens no connection,
	// whatever keys and models callers bring.
	ModelOffline = "offline"
	// ModelCallers plays callers of the game SDK with the models and keys that they
	// bring, and everybody else with the built-in model.
	ModelCallers = "callers"
)

// LLMError says that an LLM cannot be as it is: which model means nothing, or
// which environment variable with a key is not set. It is a sentence for whoever
// runs the server.
type LLMError struct{ Err error }

func (e *LLMError) Error() string { return e.Err.Error() }

func (e *LLMError) Unwrap() error { return e.Err }

// EnvKey is the environment variable whose key goes to the provider of LLM.Model,
// before the provider's own variables.
const EnvKey = "PARLEY_LLM_API_KEY"

// Check finds what cannot be meant, as a *LLMError. It opens no file and no
// connection.
func (l LLM) Check() error {
	if err := l.consistent(); err != nil || !l.asks() || l.Replay != "" {
		return err
	}
	_, err := l.own(l.client(""))
	return err
}

// names are the models that the flags name, by step; "" is the main one.
func (l LLM) names() [4]string {
	main := l.Model
	if !l.isModel() {
		main = ""
	}
	return [4]string{main, l.Evaluation, l.Response, l.Summarization}
}

// isModel tells a model's name from the words for none.
func (l LLM) isModel() bool {
	return l.Model != "" && l.Model != ModelOffline && l.Model != ModelCallers
}

// asks tells whether any provider can be asked, or a recording of one.
func (l LLM) asks() bool { return l.isModel() || l.Model == ModelCallers || l.Replay != "" }

// consistent finds settings that do not go together.
func (l LLM) consistent() error {
	steps := l.Evaluation+l.Response+l.Summarization != ""
	var wrong string
	switch {
	case l.Record != "" && l.Replay != "":
		wrong = "--llm-record and --llm-replay: the models' answers are kept or taken from a file, not both"
	case l.Replay != "" && l.Model == ModelCallers:
		wrong = "--llm-replay answers everybody from its file: leave --llm callers out"
	case l.Replay != "" && l.BaseURL != "":
		wrong = "--llm-replay opens no connection: leave --llm-base-url out"
	case steps && !l.isModel() && l.Replay == "":
		wrong = "a model for a single step needs one for the others: name it with --llm"
	case l.BaseURL != "" && !l.isModel():
		wrong = "--llm-base-url is the address of a model: name it with --llm"
	case l.Record != "" && !l.asks():
		wrong = "--llm-record keeps what models answer: name one with --llm"
	default:
		return nil
	}
	return &LLMError{errors.New(wrong)}
}

// client is who asks the providers. It opens no connection yet.
func (l LLM) client(version string) *provider.Client {
	return provider.New(provider.Options{Env: l.env(), BaseURL: l.BaseURL, Addresses: l.addresses, Version: version})
}

// env is the environment, in which the key of EnvKey stands for that of the main
// model's provider.
func (l LLM) env() func(string) string {
	env := l.Env
	if env == nil {
		return func(string) string { return "" }
	}
	row, ok := providerOf(cmp.Or(l.names()[0], l.Response, l.Evaluation))
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
	t, err := provider.Parse(model)
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

// own are the models of whoever runs the server: the main one and those of the
// steps, nil where none is named. Its error is a *LLMError.
func (l LLM) own(c *provider.Client) (askers [4]provider.Asker, err error) {
	for i, name := range l.names() {
		if name == "" {
			continue
		}
		if askers[i], err = c.Own(name); err != nil {
			return askers, &LLMError{unset(err)}
		}
	}
	return askers, nil
}

// unset adds to an error about a key that is missing what plays without one.
func unset(err error) error {
	if e, ok := errors.AsType[*provider.Error](err); ok && e.Kind == provider.KeyMissing {
		return fmt.Errorf("%w (a model of this machine needs none, such as --llm ollama/llama3.2)", err)
	}
	return err
}

// Speakers says in a line each who plays the characters, and where the key was
// found.
func (l LLM) Speakers() []string {
	switch {
	case l.Replay != "":
		return []string{"the recording " + l.Replay}
	case l.Model == ModelCallers:
		return []string{"callers of the game SDK bring their own, everybody else plays offline"}
	case !l.isModel():
		return []string{"offline, the built-in one"}
	}
	var lines []string
	for i, step := range []string{"", "evaluation: ", "response: ", "summarization: "} {
		if name := l.names()[i]; name != "" {
			lines = append(lines, step+l.speaker(name))
		}
	}
	return lines
}

func (l LLM) speaker(name string) string {
	row, ok := providerOf(name)
	if l.BaseURL != "" && (!ok || row.Name == "openai") {
		return name + " at " + shownAddress(l.BaseURL)
	}
	if t, err := provider.Parse(name); err == nil {
		name = t.String()
	}
	env := l.env()
	for i, variable := range row.KeyVariables {
		if strings.TrimSpace(env(variable)) == "" {
			continue
		}
		if i == 0 && env(variable) != l.Env(variable) {
			variable = EnvKey
		}
		return fmt.Sprintf("%s (key from %s)", name, variable)
	}
	return name
}

// shownAddress is an address without user, password and query.
func shownAddress(address string) string {
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

// Models lists for each provider what is set and which models can be reached:
// local ones are asked always, and with ask those with a key too, which is a call
// on the network.
func Models(ctx context.Context, l LLM, version string, ask bool) []Listing {
	c := l.client(version)
	defer c.Close()
	return c.Models(ctx, ask)
}
