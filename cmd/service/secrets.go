package service

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/localserver/models"
	"github.com/parley-npc/parley/personas/atomicfile"
	"github.com/parley-npc/parley/personas/plaintext"
)

// SecretVariables returns the environment variables with Parley's own secrets.
func SecretVariables() []string {
	return append([]string{"PARLEY_TOKEN", "PARLEY_API_KEY", "PARLEY_DATABASE"}, models.KeyVariables()...)
}

var otherKeys = []string{
	"PGPASSWORD",
	"ANTHROPIC_AUTH_TOKEN", "OPENAI_ADMIN_KEY", "AZURE_API_KEY", "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN",
	"AWS_BEARER_TOKEN_BEDROCK", "COHERE_API_KEY", "CO_API_KEY", "FIREWORKS_API_KEY", "HF_TOKEN", "HUGGINGFACE_API_KEY",
	"NVIDIA_API_KEY", "PERPLEXITYAI_API_KEY", "PERPLEXITY_API_KEY", "REPLICATE_API_KEY", "REPLICATE_API_TOKEN",
}

// HiddenVariables returns the environment variables that child processes do not inherit.
func HiddenVariables() []string {
	names := append(SecretVariables(), otherKeys...)
	for _, p := range provider.Providers {
		names = append(names, p.KeyVariables...)
	}
	return names
}

// HideSecrets moves secrets from the environment to streams. Child processes then lack the secrets.
func HideSecrets(s *cli.Streams) {
	hidden, lookup := map[string]string{}, s.Lookup
	for _, name := range HiddenVariables() {
		if value, ok := lookup(name); ok && os.Unsetenv(name) == nil {
			hidden[name] = value
		}
	}
	s.Lookup = func(name string) (string, bool) {
		key := name
		if runtime.GOOS == "windows" { // Names are case-insensitive.
			key = strings.ToUpper(name)
		}
		if value, ok := hidden[key]; ok {
			return value, true
		}
		return lookup(name)
	}
}

// SecretsFor returns the set variables as NAME=value, for the environment of a child process.
func SecretsFor(s *cli.Streams, names []string) []string {
	var list []string
	for _, name := range names {
		if value, ok := s.Lookup(name); ok {
			list = append(list, name+"="+value)
		}
	}
	return list
}

const (
	privateFile   = 0o600
	privateFolder = 0o700
	othersMask    = 0o077
)

// NarrowRights removes the access of other users to Parley's files and directories. The result
// lists the changes. A directory from an environment variable keeps its mode.
func NarrowRights(env *Environment) []atomicfile.Widened {
	d := env.Dirs()
	var files, folders []string
	for _, f := range []struct {
		variable string
		find     func() (string, error)
		inside   func(string) []string
	}{
		{"PARLEY_CONFIG_DIR", d.Config, settings.PrivateFiles},
		{"PARLEY_STATE_DIR", d.State, settings.PrivateFiles},
		{"PARLEY_DATA_DIR", d.Data, localserver.PrivateFiles},
	} {
		folder, err := f.find()
		if err != nil {
			continue
		}
		files = append(files, f.inside(folder)...)
		if env.Env(f.variable) == "" && !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	slices.Sort(files)
	return slices.Concat(
		atomicfile.NarrowRights(privateFolder, folders...),
		atomicfile.NarrowRights(privateFile, slices.Compact(files)...))
}

// DescribeWidened explains the access of other users and the next steps.
func DescribeWidened(w atomicfile.Widened) (message, remedy string) {
	found := fmt.Sprintf("other users of this machine had access to %s (mode %04o)", w.Path, uint32(w.Found))
	if w.Err == nil {
		return found + fmt.Sprintf(": the mode is now %04o", uint32(w.Found&^othersMask)),
			"if you do not trust all these users, sign out and in again, and revoke the keys in the file"
	}
	return found + fmt.Sprintf(", and the mode could not be changed: %v", w.Err),
		"chmod go-rwx " + plaintext.ShellFile(filepath.Clean(w.Path))
}
