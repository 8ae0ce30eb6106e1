package service

import (
	"fmt"
	"strings"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/config"
	"github.com/parley-npc/parley/personas/loopback"
)

// LoadSettings reads the settings. anyProfile is for commands that need no
// server: a profile that this machine does not have does not stop them.
func (a *Environment) LoadSettings(anyProfile bool) (*config.Settings, error) {
	from := config.Sources{Lookup: a.Lookup, Dirs: a.Dirs(), Flags: map[config.Key]string{}, AnyProfile: anyProfile}
	from.Folder = a.WorkingFolder()
	for key, value := range map[config.Key]string{config.Server: a.Server, config.ProfileName: a.Profile} {
		if value != "" {
			from.Flags[key] = value
		}
	}
	s, err := config.Load(from)
	if err != nil {
		return nil, &cli.Failure{Code: cli.ExitUsage, Err: err}
	}
	return s, nil
}

// guardToken keeps PARLEY_TOKEN from a server that only a project's file names.
// Tokens of a sign-in are kept for one address each, and need no guard.
func (a *Environment) guardToken(s *config.Settings) error {
	if strings.TrimSpace(a.Env("PARLEY_TOKEN")) == "" {
		return nil
	}
	return GuardSecret(s, "PARLEY_TOKEN")
}

// GuardSecret refuses to send what is secret to a server that only a project's
// file names: whoever wrote that file would get it.
func GuardSecret(s *config.Settings, what string) error {
	server := s.Get(config.Server)
	if server.Source != config.FromProject || loopback.IsURL(server.Value) || s.NamedByUser(server.Value) {
		return nil
	}
	return &cli.Failure{
		Code: cli.ExitUsage,
		Err:  fmt.Errorf("%s is not sent to %s, which only %s names", what, server.Value, server.Origin),
		Hint: "if that server is to have it, name it yourself: with --server, PARLEY_SERVER or `parley profile add`",
	}
}
