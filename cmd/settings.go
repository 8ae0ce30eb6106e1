package cmd

import (
	"fmt"
	"strings"

	"github.com/parley-npc/parley/cmd/config"
	"github.com/parley-npc/parley/personas/loopback"
)

// loadSettings reads the settings. anyProfile is for commands that need no
// server: a profile that this machine does not have does not stop them.
func (a *app) loadSettings(anyProfile bool) (*config.Settings, error) {
	from := config.Sources{Lookup: a.lookup, Dirs: a.dirs(), Flags: map[config.Key]string{}, AnyProfile: anyProfile}
	from.Folder = a.folder()
	for key, value := range map[config.Key]string{config.Server: a.server, config.ProfileName: a.profile} {
		if value != "" {
			from.Flags[key] = value
		}
	}
	s, err := config.Load(from)
	if err != nil {
		return nil, &failure{code: exitUsage, err: err}
	}
	return s, nil
}

// guardToken keeps PARLEY_TOKEN from a server that only a project's file names.
// Tokens of a sign-in are kept for one address each, and need no guard.
func (a *app) guardToken(s *config.Settings) error {
	if strings.TrimSpace(a.env("PARLEY_TOKEN")) == "" {
		return nil
	}
	return guardSecret(s, "PARLEY_TOKEN")
}

// guardSecret refuses to send what is secret to a server that only a project's
// file names: whoever wrote that file would get it.
func guardSecret(s *config.Settings, what string) error {
	server := s.Get(config.Server)
	if server.Source != config.FromProject || loopback.IsURL(server.Value) || s.NamedByUser(server.Value) {
		return nil
	}
	return &failure{
		code: exitUsage,
		err:  fmt.Errorf("%s is not sent to %s, which only %s names", what, server.Value, server.Origin),
		hint: "if that server is to have it, name it yourself: with --server, PARLEY_SERVER or `parley profile add`",
	}
}
