// Package models creates the models that play characters and write personas. Settings selects the
// built-in offline model, models of providers, models of callers, or a recording. The package reads
// environment variables only with Settings.Env.
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

// Settings selects the models of a server. The zero Settings selects the built-in offline model.
type Settings struct {
	// Model is ModelOffline, ModelCallers, a provider/model, or "" for ModelOffline.
	Model string
	// Evaluation, Response and Summarization are models for single steps. "" means Model.
	// Evaluation may also be ModelOffline or "offline,MODEL". With "offline,MODEL", only unsure
	// evaluations of the built-in judge use MODEL.
	Evaluation, Response, Summarization string
	// Openings is OpeningsModel if the model writes opening lines. OpeningsAuthor or "" uses the
	// lines of the persona.
	Openings string
	// EvaluationMethod is one of hosted.MethodNames, or "" for auto.
	EvaluationMethod string
	// Timeout limits a single evaluation, reply or summary, from MinTimeout to MaxTimeout. 0 means
	// the defaults of hosted.TimeLimits.
	Timeout time.Duration
	// BaseURL is the OpenAI-compatible address of Model. Steps without their own URL use BaseURL
	// too, if their provider is openai or unknown.
	BaseURL string
	// EvaluationURL, ResponseURL and SummarizationURL are OpenAI-compatible addresses for single
	// steps. Only the keys of EnvStepKeys are sent there.
	EvaluationURL, ResponseURL, SummarizationURL string
	// Record is the path of a recording to write. Replay is the path of a recording to play back
	// without connections.
	Record, Replay string
	// Prepares sends the instructions of a new state to a local model before the player's next
	// message.
	Prepares bool
	// Seed varies the choice among equally suitable lines of the offline model.
	Seed uint64
	// Env returns the value of an environment variable. nil means an empty environment.
	Env func(name string) string

	// Addresses maps names of providers to replacements of their addresses.
	Addresses map[string]string
}

// Values of Settings.Model besides model names.
const (
	// ModelOffline selects the built-in model. It ignores the keys of callers, and opens no
	// connections.
	ModelOffline = "offline"
	// ModelCallers lets callers of the game SDK use their own models and keys. Other players get
	// the built-in model.
	ModelCallers = "callers"
)

// Bounds of Settings.Timeout.
const (
	MinTimeout = time.Second
	MaxTimeout = 10 * time.Minute
)

// Values of Settings.Openings. "" means OpeningsAuthor.
const (
	OpeningsAuthor = "author"
	OpeningsModel  = "model"
)

// SettingsError describes invalid settings, such as a missing key, for the operator.
type SettingsError struct{ Err error }

func (e *SettingsError) Error() string { return e.Err.Error() }

func (e *SettingsError) Unwrap() error { return e.Err }

// EnvKey is the environment variable with the key for Settings.Model. It has precedence over the
// provider's own variables.
const EnvKey = "PARLEY_LLM_API_KEY"

// EnvStepKeys lists the environment variables with the keys for EvaluationURL, ResponseURL and
// SummarizationURL.
var EnvStepKeys = [...]string{
	"PARLEY_LLM_EVAL_API_KEY", "PARLEY_LLM_RESPONSE_API_KEY", "PARLEY_LLM_SUMMARIZATION_API_KEY",
}

// Check returns a *SettingsError for invalid settings. It opens no files and no connections.
func (s Settings) Check() error {
	if err := s.checkTogether(); err != nil || !s.needsProviders() || s.Replay != "" {
		return err
	}
	_, err := s.ownAskers(s.newClient(""))
	return err
}

// stepNames returns the main model and the models for evaluation, response and summarization. All
// [4] arrays of this package have the same order.
func (s Settings) stepNames() [4]string {
	main := s.Model
	if !s.isModel() {
		main = ""
	}
	_, evaluation := hosted.SplitJudges(s.Evaluation)
	return [4]string{main, evaluation, s.Response, s.Summarization}
}

func (s Settings) isAnyModel() bool {
	names := s.stepNames()
	return strings.Join(names[:], "") != ""
}

func (s Settings) addresses() [4]string {
	all := [4]string{s.BaseURL, s.EvaluationURL, s.ResponseURL, s.SummarizationURL}
	for i, address := range all[1:] {
		if address == s.BaseURL {
			all[i+1] = ""
		}
	}
	return all
}

var (
	modelFlags   = [4]string{"--llm", "--llm-eval", "--llm-response", "--llm-summarization"}
	addressFlags = [4]string{
		"--llm-base-url", "--llm-eval-base-url", "--llm-response-base-url", "--llm-summarization-base-url",
	}
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
			wrong = "--llm-base-url cannot be used with --llm callers: " +
				"the models of callers use their providers' own addresses"
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
		Env: s.variableLookup(), KeyVariables: KeyVariables(), BaseURL: s.BaseURL, Addresses: s.Addresses,
		Version: version, Limits: provider.Limits{Whole: s.Timeout},
	})
}

func (s Settings) limits() hosted.TimeLimits {
	return hosted.TimeLimits{Evaluation: s.Timeout, Response: s.Timeout, Summarization: s.Timeout}
}

// variableLookup returns a lookup that replaces the key of the main model's provider by EnvKey.
func (s Settings) variableLookup() func(string) string {
	env := s.lookUp
	names := s.stepNames()
	row, ok := providerOf(cmp.Or(names[0], names[2], names[1]))
	if !ok && s.BaseURL != "" {
		row, ok = providerOf("openai/any") // An unknown provider at BaseURL uses openai's key.
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

// DescribeSpeakers describes the models and the sources of their keys, one per line.
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

func displayAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "a separate address"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// Listing describes a provider and its models.
type Listing = provider.Listing

// Attempt is the result of trying an evaluation method.
type Attempt = hosted.Attempt

// TryMethods sends a small request with each evaluation method until a method works.
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

// FindLocal searches for model servers on this machine. It tries default ports and local addresses
// in environment variables.
func FindLocal(ctx context.Context, s Settings, version string) []Listing {
	c := provider.New(provider.Options{
		Env: s.Env, Addresses: s.Addresses, Version: version, Limits: provider.Limits{Body: maxProbeBody},
	})
	defer c.Close()
	return c.FindLocal(ctx)
}

// ListModels returns the providers and their models. It queries local providers, and other
// providers with a key if ask is true.
func ListModels(ctx context.Context, s Settings, version string, ask bool) []Listing {
	c := s.newClient(version)
	defer c.Close()
	return c.ListModels(ctx, ask)
}

// KeyVariables returns the names of EnvKey and EnvStepKeys.
func KeyVariables() []string { return append([]string{EnvKey}, EnvStepKeys[:]...) }
