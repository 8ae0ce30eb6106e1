// Package models creates the models that play the characters of a server and write personas. A
// model is the built-in offline model, a model of a provider, a model that a caller of the game SDK
// chooses, or a recording. Settings selects the models. The package reads environment variables
// only through Settings.Env.
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

// Settings selects the models that play the characters. The zero Settings selects the built-in
// offline model.
type Settings struct {
	// Model is ModelOffline or "", ModelCallers, or the name of a model as provider/model.
	Model string
	// Evaluation, Response and Summarization are models for single steps. "" means Model.
	// Evaluation may also be ModelOffline, or "offline,MODEL". With the latter, MODEL is asked only
	// if the built-in judge is unsure.
	Evaluation, Response, Summarization string
	// Openings determines who writes the opening lines. OpeningsModel means the model.
	// OpeningsAuthor or "" means that the lines in the persona are used.
	Openings string
	// EvaluationMethod is the judging method of the evaluation's model. It is one of
	// hosted.MethodNames, or "" for auto.
	EvaluationMethod string
	// Timeout is the time limit for a judgement, a reply or a summary, from MinTimeout to
	// MaxTimeout. 0 means the defaults of hosted.TimeLimits.
	Timeout time.Duration
	// BaseURL is the OpenAI-compatible address of Model. The models in Evaluation, Response and
	// Summarization use it too if their own URL is empty and their provider is openai or unknown.
	BaseURL string
	// EvaluationURL, ResponseURL and SummarizationURL are OpenAI-compatible addresses of the models
	// for single steps. Only the keys in EnvStepKeys are sent to these addresses.
	EvaluationURL, ResponseURL, SummarizationURL string
	// Record is the path of a file in which the answers of providers are recorded. Replay is the
	// path of a recording that is played back without any connection.
	Record, Replay string
	// Prepares makes a model on this machine read the instructions of a new state before the
	// player's next message, so that the answer comes sooner.
	Prepares bool
	// Seed makes the built-in offline model choose among equally suitable lines in a different way.
	Seed uint64
	// Env returns the value of an environment variable. It is used for the providers' keys and
	// addresses. Nil means an empty environment.
	Env func(name string) string

	// Addresses maps names of providers to addresses that replace the providers' own.
	Addresses map[string]string
}

// The values of Settings.Model that are not model names.
const (
	// ModelOffline uses the built-in model for all players. It ignores the keys and models of
	// callers, and never opens a connection.
	ModelOffline = "offline"
	// ModelCallers makes callers of the game SDK use their own models and keys. All other players
	// get the built-in model.
	ModelCallers = "callers"
)

// Minimum and maximum of Settings.Timeout.
const (
	MinTimeout = time.Second
	MaxTimeout = 10 * time.Minute
)

// The values of Settings.Openings. "" means OpeningsAuthor.
const (
	OpeningsAuthor = "author"
	OpeningsModel  = "model"
)

// SettingsError means that Settings are invalid, for example because the variable with a key is not set.
// Its text is for the operator.
type SettingsError struct{ Err error }

func (e *SettingsError) Error() string { return e.Err.Error() }

func (e *SettingsError) Unwrap() error { return e.Err }

// EnvKey is the name of the environment variable with the key for the provider of Settings.Model.
// It has precedence over the provider's own variables.
const EnvKey = "PARLEY_LLM_API_KEY"

// EnvStepKeys lists the names of the environment variables with the keys for the addresses of
// single steps, in the order evaluation, response, summarization.
var EnvStepKeys = [...]string{"PARLEY_LLM_EVAL_API_KEY", "PARLEY_LLM_RESPONSE_API_KEY", "PARLEY_LLM_SUMMARIZATION_API_KEY"}

// Check returns a *SettingsError if the settings are invalid. It opens no files or connections.
func (s Settings) Check() error {
	if err := s.checkTogether(); err != nil || !s.needsProviders() || s.Replay != "" {
		return err
	}
	_, err := s.ownAskers(s.newClient(""))
	return err
}

// stepNames returns the main model and the models for evaluation, response and summarization, in
// this order. A model that is not set is "".
func (s Settings) stepNames() [4]string {
	whole := s.Model
	if !s.isModel() {
		whole = ""
	}
	_, evaluation := hosted.SplitJudges(s.Evaluation)
	return [4]string{whole, evaluation, s.Response, s.Summarization}
}

func (s Settings) isAnyModel() bool {
	names := s.stepNames()
	return strings.Join(names[:], "") != ""
}

// addresses returns the addresses of the models in the order of stepNames. If the address of a
// single step is BaseURL, it returns "" for that step.
func (s Settings) addresses() [4]string {
	all := [4]string{s.BaseURL, s.EvaluationURL, s.ResponseURL, s.SummarizationURL}
	for i, address := range all[1:] {
		if address == s.BaseURL {
			all[i+1] = ""
		}
	}
	return all
}

// modelFlags are the command line flags for the models. addressFlags are the flags for the
// addresses of the models. Both are in the order of stepNames.
var (
	modelFlags   = [4]string{"--llm", "--llm-eval", "--llm-response", "--llm-summarization"}
	addressFlags = [4]string{"--llm-base-url", "--llm-eval-base-url", "--llm-response-base-url", "--llm-summarization-base-url"}
)

func (s Settings) isModel() bool {
	return s.Model != "" && s.Model != ModelOffline && s.Model != ModelCallers
}

func (s Settings) needsProviders() bool {
	return s.isAnyModel() || s.Model == ModelCallers || s.Replay != ""
}

func (s Settings) checkTogether() error {
	names := s.stepNames()
	steps := names[1]+names[2]+names[3] != ""
	_, errMethod := hosted.ParseMethod(s.EvaluationMethod)
	var wrong string
	switch {
	case errMethod != nil:
		return &SettingsError{fmt.Errorf("--llm-eval-method: %w", errMethod)}
	case s.Timeout != 0 && (s.Timeout < MinTimeout || s.Timeout > MaxTimeout):
		wrong = fmt.Sprintf("--llm-timeout %s: must be from 1s to 10m, such as 90s", s.Timeout)
	case s.Record != "" && s.Replay != "":
		wrong = "--llm-record and --llm-replay are mutually exclusive"
	case s.Replay != "" && s.Model == ModelCallers:
		wrong = "--llm-replay and --llm callers are mutually exclusive"
	case s.Replay != "" && s.firstAddress() != "":
		wrong = "--llm-replay does not use a connection: remove " + s.firstAddress()
	case steps && s.Model == ModelCallers:
		wrong = "with --llm callers, callers choose the models of single steps: remove " + firstStepFlag(names)
	case s.Openings != "" && s.Openings != OpeningsAuthor && s.Openings != OpeningsModel:
		wrong = fmt.Sprintf("--llm-openings %q: must be %s or %s", s.Openings, OpeningsAuthor, OpeningsModel)
	case s.BaseURL != "" && !s.isAnyModel():
		wrong = "--llm-base-url requires a model: set it with --llm"
		if s.Model == ModelCallers {
			wrong = "--llm-base-url cannot be used with --llm callers: the models of callers use their providers' own addresses"
		}
	case s.Record != "" && !s.needsProviders():
		wrong = "--llm-record requires a model: set it with --llm"
	default:
		return s.checkAddresses()
	}
	return &SettingsError{errors.New(wrong)}
}

func firstStepFlag(names [4]string) string {
	for i, name := range names {
		if i > 0 && name != "" {
			return modelFlags[i]
		}
	}
	return ""
}

func (s Settings) firstAddress() string {
	for i, address := range [4]string{s.BaseURL, s.EvaluationURL, s.ResponseURL, s.SummarizationURL} {
		if address != "" {
			return addressFlags[i]
		}
	}
	return ""
}

func (s Settings) checkAddresses() error {
	names := s.stepNames()
	names[0] = cmp.Or(names[0], s.firstAtBaseURL(names))
	for i, address := range [4]string{s.BaseURL, s.EvaluationURL, s.ResponseURL, s.SummarizationURL} {
		var err error
		switch {
		case address == "":
		case names[i] == "":
			err = fmt.Errorf("%s requires a model for that step: set it with %s", addressFlags[i], modelFlags[i])
		default:
			err = provider.CheckBaseURL(addressFlags[i], address, names[i])
		}
		if err != nil {
			return &SettingsError{err}
		}
	}
	return nil
}

// firstAtBaseURL returns the first model of a single step that uses BaseURL, or "".
func (s Settings) firstAtBaseURL(names [4]string) string {
	for i, address := range [...]string{s.EvaluationURL, s.ResponseURL, s.SummarizationURL} {
		if address == "" && names[i+1] != "" {
			return names[i+1]
		}
	}
	return ""
}

func (s Settings) newClient(version string) *provider.Client {
	return provider.New(provider.Options{
		Env: s.variableLookup(), KeyVariables: append([]string{EnvKey}, EnvStepKeys[:]...), BaseURL: s.BaseURL, Addresses: s.Addresses, Version: version,
		Limits: provider.Limits{Whole: s.Timeout},
	})
}

func (s Settings) limits() hosted.TimeLimits {
	return hosted.TimeLimits{Evaluation: s.Timeout, Response: s.Timeout, Summarization: s.Timeout}
}

// variableLookup returns a function that looks up environment variables. If EnvKey is set, the
// function returns its value for the key of the main model's provider.
func (s Settings) variableLookup() func(string) string {
	env := s.lookUp
	names := s.stepNames()
	row, ok := providerOf(cmp.Or(names[0], names[2], names[1]))
	if !ok && s.BaseURL != "" {
		row, ok = providerOf("openai/any") // A model of an unknown provider at BaseURL uses openai's key.
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

func providerOf(model string) (provider.Provider, bool) {
	t, err := provider.ParseModelName(model)
	if err != nil {
		return provider.Provider{}, false
	}
	return provider.FindProvider(t.Provider)
}

// ownAskers returns the askers of the models in the order of stepNames. For a model that is not
// set, the asker is nil.
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

func (s Settings) lookUp(name string) string {
	if s.Env == nil {
		return ""
	}
	return s.Env(name)
}

func explainMissingKey(err error) error {
	if e, ok := errors.AsType[*provider.Error](err); ok && e.Kind == provider.KeyMissing {
		return fmt.Errorf("%w (a model on this machine, such as --llm ollama/llama3.2, does not need a key)", err)
	}
	return err
}

// DescribeSpeakers returns lines of text that describe the models that play the characters and the
// sources of their keys.
func (s Settings) DescribeSpeakers() []string {
	switch {
	case s.Replay != "":
		return []string{"the recording " + s.Replay}
	case s.Model == ModelCallers:
		return []string{"callers of the game SDK use their own models, all others the offline one"}
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
			step += ", and if it is unsure "
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
	name = fullName(name)
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

// displayAddress returns the address without user, password and query.
func displayAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "a separate address"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// Listing contains the settings and the models of a provider.
type Listing = provider.Listing

// Attempt is the result of trying a judging method with a model.
type Attempt = hosted.Attempt

// TryMethods sends a small request to the model of s with each judging method until a method works.
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

const maxProbeBody = 1 << 20

// FindLocal searches for the usual model servers on this machine, at their default ports and at
// local addresses in environment variables.
func FindLocal(ctx context.Context, s Settings, version string) []Listing {
	c := provider.New(provider.Options{Env: s.Env, Addresses: s.Addresses, Version: version, Limits: provider.Limits{Body: maxProbeBody}})
	defer c.Close()
	return c.FindLocal(ctx)
}

// ListModels returns the settings and the available models of each provider. It always queries
// local providers. If ask is true, it also queries providers with a key over the network.
func ListModels(ctx context.Context, s Settings, version string, ask bool) []Listing {
	c := s.newClient(version)
	defer c.Close()
	return c.ListModels(ctx, ask)
}

// KeyVariables returns the environment variables whose keys are not bound to one provider. They are
// EnvKey, and the variables for the separate addresses of the steps.
func KeyVariables() []string { return append([]string{EnvKey}, EnvStepKeys[:]...) }
