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

var otherKeys = []string{
	"PGPASSWORD",
	"ANTHROPIC_AUTH_TOKEN", "OPENAI_ADMIN_KEY", "AZURE_API_KEY", "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN", "AWS_BEARER_TOKEN_BEDROCK",
	"COHERE_API_KEY", "CO_API_KEY", "FIREWORKS_API_KEY", "HF_TOKEN", "HUGGINGFACE_API_KEY", "NVIDIA_API_KEY", "PERPLEXITYAI_API_KEY", "PERPLEXITY_API_KEY",
	"REPLICATE_API_KEY", "REPLICATE_API_TOKEN",
}

// HiddenVariables returns the environment variables that child processes do not inherit: Parley's
// secrets and providers' API keys.
func HiddenVariables() []string {
	names := append(SecretVariables(), otherKeys...)
	for _, p := range provider.Providers {
		names = append(names, p.KeyVariables...)
	}
	return names
}

// HideSecrets moves the secrets from the environment of the process to its streams, so that no
// child process inherits a secret. Call HideSecrets once, before anything is started.
func HideSecrets(s *cli.Streams) {
	hidden, under := map[string]string{}, s.Lookup
	for _, name := range HiddenVariables() {
		if value, ok := under(name); ok && os.Unsetenv(name) == nil {
			hidden[name] = value
		}
	}
	s.Lookup = func(name string) (string, bool) {
		key := name
		if runtime.GOOS == "windows" { // names of variables have no case there
			key = strings.ToUpper(name)
		}
		if value, ok := hidden[key]; ok {
			return value, true
		}
		return under(name)
	}
}

// SecretsFor returns the set variables as NAME=value, for a child process that needs these secrets.
func SecretsFor(s *cli.Streams, names []string) []string {
	var list []string
	for _, name := range names {
		if value, ok := s.Lookup(name); ok {
			list = append(list, name+"="+value)
		}
	}
	return list
}
