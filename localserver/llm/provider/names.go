package provider

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/parley-npc/parley/personas/plaintext"
)

const maxName = 200

type noProviderError string

func (e noProviderError) Error() string { return string(e) }

// ParseModelName parses provider/model, or a model with a known prefix, such as gpt-4o. The model
// may contain slashes and colons.
func ParseModelName(name string) (Target, error) {
	name = strings.TrimSpace(name)
	if err := checkName(name); err != nil {
		return Target{}, err
	}
	before, model, slash := strings.Cut(name, "/")
	if !slash {
		return parseBare(name)
	}
	before = strings.ToLower(before)
	if provider, ok := FindProvider(before); ok {
		return parseModel(provider, model)
	}
	if title, ok := signIns[before]; ok {
		return Target{}, noProviderError(fmt.Sprintf(
			"%s needs a kind of sign-in that parley does not support: use a proxy with an OpenAI-compatible"+
				" API, such as LiteLLM, and set --llm-base-url to the proxy's address", title))
	}
	return Target{}, newNoProvider(fmt.Sprintf("there is no provider %q", before), before)
}

func parseModel(provider Provider, model string) (Target, error) {
	if provider.Format == Gemini {
		model = strings.TrimPrefix(model, "models/")
	}
	if model == "" || strings.HasPrefix(model, "/") || strings.HasSuffix(model, "/") {
		return Target{}, fmt.Errorf(
			"the model is missing in %q: write %s/MODEL", provider.Name+"/"+model, provider.Name,
		)
	}
	return Target{Provider: provider.Name, Model: model}, nil
}

func parseBare(name string) (Target, error) {
	lower := strings.ToLower(name)
	for _, provider := range Providers {
		for _, begin := range provider.Begins {
			if strings.HasPrefix(lower, begin) {
				return Target{Provider: provider.Name, Model: name}, nil
			}
		}
	}
	if provider, ok := FindProvider(lower); ok {
		return Target{}, fmt.Errorf("%q is a provider without a model: write %s/MODEL", name, provider.Name)
	}
	return Target{}, newNoProvider(fmt.Sprintf("the provider of the model %q is unknown", name), "")
}

func newNoProvider(problem, prefix string) error {
	hint := "did you mean provider/model, such as ollama/llama3.2?"
	if p, ok := nearestProvider(prefix); ok {
		hint = fmt.Sprintf("did you mean %s/?", p)
	}
	var names []string
	for _, provider := range Providers {
		names = append(names, provider.Name)
	}
	last := len(names) - 1
	return noProviderError(fmt.Sprintf(
		"%s; %s The providers are %s and %s", problem, hint, strings.Join(names[:last], ", "), names[last],
	))
}

func checkName(name string) error {
	switch {
	case name == "":
		return errors.New("the name of the model is empty: write provider/model, such as ollama/llama3.2")
	case len(name) > maxName:
		return fmt.Errorf("the name of the model is longer than %d bytes", maxName)
	case strings.ContainsFunc(name, isForbiddenInName):
		return errors.New("the name of the model contains a space or a control character")
	}
	return nil
}

func isForbiddenInName(r rune) bool {
	return !unicode.IsPrint(r) || unicode.IsSpace(r) || r == unicode.ReplacementChar
}

func nearestProvider(word string) (string, bool) {
	best, least := "", 3
	for _, provider := range Providers {
		for _, name := range append([]string{provider.Name}, provider.Aliases...) {
			if d := plaintext.EditDistance(word, name); d < least && d < len(name)/2 {
				best, least = provider.Name, d
			}
		}
	}
	return best, best != ""
}

// A Target identifies a model at a provider.
type Target struct {
	// Provider is a provider's name in Providers, such as "openai".
	Provider string
	// Model is the provider's name for the model.
	Model string
	// BaseURL, if set, replaces the provider's address. Only the operator sets BaseURL.
	BaseURL string
}

// String returns provider/model, or the provider if Model is empty.
func (t Target) String() string {
	if t.Model == "" {
		return t.Provider
	}
	return t.Provider + "/" + t.Model
}
