package service

import (
	"os"
	"runtime"
	"strings"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/localserver/models"
)

// SecretVariables returns the environment variables with Parley's own secrets.
func SecretVariables() []string {
	return append([]string{"PARLEY_TOKEN", "PARLEY_API_KEY", "PARLEY_DATABASE"}, models.KeyVariables()...)
}

// otherKeys are variables with secrets that Parley does not read itself. They are a database
// password, and API keys for the libraries of model providers.
var otherKeys = []string{
	"PGPASSWORD",
	"ANTHROPIC_AUTH_TOKEN", "OPENAI_ADMIN_KEY", "AZURE_API_KEY", "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN", "AWS_BEARER_TOKEN_BEDROCK",
	"COHERE_API_KEY", "CO_API_KEY", "FIREWORKS_API_KEY", "HF_TOKEN", "HUGGINGFACE_API_KEY", "NVIDIA_API_KEY", "PERPLEXITYAI_API_KEY", "PERPLEXITY_API_KEY",
	"REPLICATE_API_KEY", "REPLICATE_API_TOKEN",
}

// HiddenVariables returns the environment variables that child processes do not inherit. They
// contain Parley's secrets and the API keys of model providers.
func HiddenVariables() []string {
	names := append(SecretVariables(), otherKeys...)
	for _, p := range provider.Providers {
		names = append(names, p.KeyVariables...)
	}
	return names
}

// HideSecrets moves the secrets from the environment of the process to its streams. Then no child
// process inherits a secret, even if a library starts the process. HideSecrets must be called once,
// before anything is started.
func HideSecrets(s *cli.Streams) {
	hidden, under := map[string]string{}, s.Lookup
	for _, name := range HiddenVariables() {
		if value, ok := under(name); ok && os.Unsetenv(name) == nil {
			hidden[name] = value
		}
	}
	s.Lookup = func(name string) (string, bool) {
		if value, ok := hidden[nameOnSystem(name)]; ok {
			return value, true
		}
		return under(name)
	}
}

// nameOnSystem returns a variable's name in the form in which the operating system compares names.
func nameOnSystem(name string) string {
	if runtime.GOOS == "windows" {
		return strings.ToUpper(name)
	}
	return name
}

// SecretsFor returns the variables that are set, as NAME=value. It is for a child process that
// needs these secrets.
func SecretsFor(s *cli.Streams, names []string) []string {
	var list []string
	for _, name := range names {
		if value, ok := s.Lookup(name); ok {
			list = append(list, name+"="+value)
		}
	}
	return list
}
