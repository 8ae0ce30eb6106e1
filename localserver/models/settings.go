// Package models sets up the models that speak for the characters of a server and write personas:
// the built-in offline model, models of providers, those of callers of the game SDK, and recordings
// of any of them. Settings select them; Settings never read the environment themselves.
package models

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/parley-npc/parley/localserver/llm/hosted"
	"github.com/parley-npc/parley/localserver/llm/provider"
)

// Settings select the models for the characters. The zero Settings select the built-in offline
// model.
type Settings struct {
	// Model is ModelOffline or "", ModelCallers, or a model as provider/model.
	Model string
	// Evaluation, Response and Summarization are models of single steps; "" is as in Model.
	// Evaluation may also be ModelOffline, the built-in judge, or ModelOffline, a comma and a
	// model, which is asked only if the built-in judge is unsure.
	Evaluation, Response, Summarization string
	// Openings is OpeningsModel for openings by the model; else the author's are spoken.
	Openings string
	// EvaluationMethod is the method of asking the model of the evaluation: a name of
	// hosted.MethodNames; "" is auto.
	EvaluationMethod string
	// Timeout is the time limit for a judgement, a reply or a summary, from MinTimeout to
	// MaxTimeout; 0 is the default of hosted.TimeLimits.
	Timeout time.Duration
	// BaseURL is the OpenAI-compatible address of Model, and of the models of single steps without
	// an address that belong to openai or to an unknown provider.
	BaseURL string
	// EvaluationURL, ResponseURL and SummarizationURL are OpenAI-compatible addresses
	// of single steps' models. No key goes there but EnvStepKeys'.
	EvaluationURL, ResponseURL, SummarizationURL string
	// Record is a file for recording the answers of providers; Replay is a file for playing them
	// back without any connection.
	Record, Replay string
	// Seed varies the choice of the built-in offline model among equal lines.
	Seed uint64
	// Env looks up the providers' keys and addresses by the names of their environment variables;
	// nil is an empty environment.
	Env func(name string) string

	// Addresses are addresses of providers in place of their own, by their names.
	Addresses map[string]string
}

// The values of Settings.Model that are not model names.
const (
	// ModelOffline plays all players with the built-in model and never opens a connection, ignoring
	// the keys and models of callers.
	ModelOffline = "offline"
	// ModelCallers plays callers of the game SDK with their models and keys, and all other players
	// with the built-in model.
	ModelCallers = "callers"
)

// Bounds of Settings.Timeout.
const (
	MinTimeout = time.Second
	MaxTimeout = 10 * time.Minute
)

// The words of Settings.Openings.
const (
	OpeningsAuthor = "author"
	OpeningsModel  = "model"
)

// SettingsError means that Settings are invalid: for example a value for a model that cannot be
// parsed, or an unset environment variable for a key. It is a sentence for the operator of the
// server.
type SettingsError struct{ Err error }

func (e *SettingsError) Error() string { return e.Err.Error() }

func (e *SettingsError) Unwrap() error { return e.Err }

// EnvKey is the environment variable with the key for the provider of Settings.Model; it takes
// precedence over the provider's own variables.
const EnvKey = "PARLEY_LLM_API_KEY"

// EnvStepKeys are the environment variables with the keys for the addresses of single
// steps: evaluation, response, summarization.
var EnvStepKeys = [...]string{"PARLEY_LLM_EVAL_API_KEY", "PARLEY_LLM_RESPONSE_API_KEY", "PARLEY_LLM_SUMMARIZATION_API_KEY"}

// Check returns a *SettingsError for invalid settings. It opens no file and no connection.
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
	_, evaluation := hosted.SplitJudges(s.Evaluation)
	return [4]string{whole, evaluation, s.Response, s.Summarization}
}

// isAnyModel reports whether a model of a provider does any of the steps.
func (s Settings) isAnyModel() bool {
	names := s.stepNames()
	return strings.Join(names[:], "") != ""
}

// addresses are the addresses that the flags name, by step, except for those of steps
// that are the main model's anyway.
func (s Settings) addresses() [4]string {
	all := [4]string{s.BaseURL, s.EvaluationURL, s.ResponseURL, s.SummarizationURL}
	for i, address := range all[1:] {
		if address == s.BaseURL {
			all[i+1] = ""
		}
	}
	return all
}

// modelFlags and addressFlags are the flags of the models and of their addresses, by step.
var (
	modelFlags   = [4]string{"--llm", "--llm-eval", "--llm-response", "--llm-summarization"}
	addressFlags = [4]string{"--llm-base-url", "--llm-eval-base-url", "--llm-response-base-url", "--llm-summarization-base-url"}
)

// isModel reports whether the value is a model name, and not a special word.
func (s Settings) isModel() bool {
	return s.Model != "" && s.Model != ModelOffline && s.Model != ModelCallers
}

// needsProviders reports whether any provider can be asked, or a recording of one.
func (s Settings) needsProviders() bool {
	return s.isAnyModel() || s.Model == ModelCallers || s.Replay != ""
}

// checkTogether finds settings that do not go together.
func (s Settings) checkTogether() error {
	names := s.stepNames()
	steps := names[1]+names[2]+names[3] != ""
	var wrong string
	switch {
	case badMethod(s.EvaluationMethod) != nil:
		return &SettingsError{fmt.Errorf("--llm-eval-method: %w", badMethod(s.EvaluationMethod))}
	case s.Timeout != 0 && (s.Timeout < MinTimeout || s.Timeout > MaxTimeout):
		wrong = fmt.Sprintf("--llm-timeout %s: it takes a time from 1s to 10m, such as 90s", s.Timeout)
	case s.Record != "" && s.Replay != "":
		wrong = "--llm-record and --llm-replay: the models' answers are kept or taken from a file, not both"
	case s.Replay != "" && s.Model == ModelCallers:
		wrong = "--llm-replay answers everybody from its file: leave --llm callers out"
	case s.Replay != "" && s.firstAddress() != "":
		wrong = "--llm-replay opens no connection: leave " + s.firstAddress() + " out"
	case steps && s.Model == ModelCallers:
		wrong = "with --llm callers, callers name the models of single steps: leave " + firstStepFlag(names) + " out"
	case s.Openings != "" && s.Openings != OpeningsAuthor && s.Openings != OpeningsModel:
		wrong = fmt.Sprintf("--llm-openings %q: it takes %s or %s", s.Openings, OpeningsAuthor, OpeningsModel)
	case s.BaseURL != "" && !s.isAnyModel():
		wrong = "--llm-base-url is the address of a model: name it with --llm"
		if s.Model == ModelCallers {
			wrong = "--llm-base-url is the address of a model of yours: models that callers name are asked at their providers' own addresses"
		}
	case s.Record != "" && !s.needsProviders():
		wrong = "--llm-record keeps what models answer: name one with --llm"
	default:
		return s.checkAddresses()
	}
	return &SettingsError{errors.New(wrong)}
}

// firstStepFlag is the first flag that names a model for a single step.
func firstStepFlag(names [4]string) string {
	for i, name := range names {
		if i > 0 && name != "" {
			return modelFlags[i]
		}
	}
	return ""
}

func badMethod(name string) error {
	_, err := hosted.ParseMethod(name)
	return err
}

// firstAddress returns the first flag with an address, or "".
func (s Settings) firstAddress() string {
	for i, address := range [4]string{s.BaseURL, s.EvaluationURL, s.ResponseURL, s.SummarizationURL} {
		if address != "" {
			return addressFlags[i]
		}
	}
	return ""
}

// checkAddresses refuses addresses that belong to no model or do not fit theirs.
func (s Settings) checkAddresses() error {
	names := s.stepNames()
	names[0] = cmp.Or(names[0], s.firstAtBaseURL(names))
	for i, address := range [4]string{s.BaseURL, s.EvaluationURL, s.ResponseURL, s.SummarizationURL} {
		var err error
		switch {
		case address == "":
		case names[i] == "":
			err = fmt.Errorf("%s is the address of a model of its own: name it with %s", addressFlags[i], modelFlags[i])
		default:
			err = provider.CheckBaseURL(addressFlags[i], address, names[i])
		}
		if err != nil {
			return &SettingsError{err}
		}
	}
	return nil
}

// firstAtBaseURL returns the first model of a single step that is asked at BaseURL because it lacks
// an address, or "".
func (s Settings) firstAtBaseURL(names [4]string) string {
	for i, address := range [...]string{s.EvaluationURL, s.ResponseURL, s.SummarizationURL} {
		if address == "" && names[i+1] != "" {
			return names[i+1]
		}
	}
	return ""
}

// newClient returns a client for the providers. It does not open a connection yet.
func (s Settings) newClient(version string) *provider.Client {
	return provider.New(provider.Options{
		Env: s.variableLookup(), KeyVariables: append([]string{EnvKey}, EnvStepKeys[:]...), BaseURL: s.BaseURL, Addresses: s.Addresses, Version: version,
		Limits: provider.Limits{Whole: s.Timeout},
	})
}

// limits returns the time limits of the steps; 0 is the default.
func (s Settings) limits() hosted.TimeLimits {
	return hosted.TimeLimits{Evaluation: s.Timeout, Response: s.Timeout, Summarization: s.Timeout}
}

// variableLookup returns the environment, with EnvKey replacing the key of the main model's
// provider.
func (s Settings) variableLookup() func(string) string {
	env := s.lookUp
	names := s.stepNames()
	row, ok := providerOf(cmp.Or(names[0], names[2], names[1]))
	if !ok && s.BaseURL != "" {
		row, ok = providerOf("openai/any") // A name that only the address knows has openai's key.
	}
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

// ownAskers returns the models of the operator: the main one and those of the steps, nil for unset
// ones. Its error is a *SettingsError.
func (s Settings) ownAskers(c *provider.Client) (askers [4]provider.Asker, err error) {
	addresses := s.addresses()
	for i, name := range s.stepNames() {
		switch {
		case name == "":
		case i > 0 && addresses[i] != "":
			askers[i], err = c.OperatorStepModel(name, addresses[i], EnvStepKeys[i-1])
		default:
			askers[i], err = c.OperatorModel(name)
		}
		if err != nil {
			return askers, &SettingsError{explainMissingKey(err)}
		}
	}
	return askers, nil
}

// lookUp returns a variable of the environment.
func (s Settings) lookUp(name string) string {
	if s.Env == nil {
		return ""
	}
	return s.Env(name)
}

// explainMissingKey adds to an error about a key that is missing what plays without one.
func explainMissingKey(err error) error {
	if e, ok := errors.AsType[*provider.Error](err); ok && e.Kind == provider.KeyMissing {
		return fmt.Errorf("%w (a model of this machine needs none, such as --llm ollama/llama3.2)", err)
	}
	return err
}

// DescribeSpeakers returns lines with the models that play the characters and the sources of their
// keys.
func (s Settings) DescribeSpeakers() []string {
	switch {
	case s.Replay != "":
		return []string{"the recording " + s.Replay}
	case s.Model == ModelCallers:
		return []string{"callers of the game SDK bring their own, everybody else plays offline"}
	case !s.isAnyModel():
		return []string{"offline, the built-in one"}
	}
	var lines []string
	if !s.isModel() {
		lines = append(lines, "offline, the built-in one")
	}
	builtIn, second := hosted.SplitJudges(s.Evaluation)
	for i, step := range []string{"", "evaluation: ", "response: ", "summarization: "} {
		name, address := s.stepNames()[i], s.addresses()[i]
		if i == 1 && builtIn && (second != "" || s.isModel()) {
			step += "offline, the built-in one"
			if second == "" {
				lines = append(lines, step)
			}
			step += ", and where it is unsure "
		}
		switch {
		case name == "":
		case i > 0 && address != "":
			lines = append(lines, step+name+" at "+displayAddress(address))
		default:
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
	for _, variable := range row.AddressVariables {
		if address := strings.TrimSpace(env(variable)); address != "" {
			name += " at " + displayAddress(address)
			break
		}
	}
	for i, variable := range row.KeyVariables {
		if strings.TrimSpace(env(variable)) == "" {
			continue
		}
		if i == 0 && env(variable) != s.lookUp(variable) {
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

// ProviderInfo describes a model provider for people.
type ProviderInfo struct {
	// Name is before the slash of provider/model.
	Name, Title string
	// KeyVariables are the environment variables for its key, AddressVariables those for another
	// address.
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

// Listing contains the settings and the models of a provider.
type Listing = provider.Listing

// Attempt is a judging method that was tried with a model.
type Attempt = hosted.Attempt

// TryMethods asks the model of s a small question by each judging method until one works.
func TryMethods(ctx context.Context, s Settings, version string) ([]Attempt, error) {
	method, err := hosted.ParseMethod(s.EvaluationMethod)
	if err != nil {
		return nil, &SettingsError{err}
	}
	c := s.newClient(version)
	defer c.Close()
	asker, err := c.OperatorModel(s.Model)
	if err != nil {
		return nil, &SettingsError{explainMissingKey(err)}
	}
	return hosted.TryMethods(ctx, asker, method, s.limits())
}

// maxProbeBody is the most that is read of one answer of a server that is looked for.
const maxProbeBody = 1 << 20

// FindLocal looks for the usual model servers on this machine, at their default ports or at local
// addresses in the environment of s.
func FindLocal(ctx context.Context, s Settings, version string) []Listing {
	c := provider.New(provider.Options{Env: s.Env, Addresses: s.Addresses, Version: version, Limits: provider.Limits{Body: maxProbeBody}})
	defer c.Close()
	return c.FindLocal(ctx)
}

// ListModels lists for each provider what is set and which models can be reached:
// local ones are asked always, and with ask those with a key too, which is a call
// on the network.
func ListModels(ctx context.Context, s Settings, version string, ask bool) []Listing {
	c := s.newClient(version)
	defer c.Close()
	return c.ListModels(ctx, ask)
}
