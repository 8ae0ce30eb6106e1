package service

import (
	"fmt"
	"strings"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/settings"
)

// LoadSettings reads the settings. Mistakes in them are errors with ExitUsage. If anyProfile is
// set, a missing profile is ignored, so that commands which need no server work.
func (e *Environment) LoadSettings(anyProfile bool) (*settings.Settings, error) {
	sources := settings.Sources{Lookup: e.Lookup, Dirs: e.Dirs(), Flags: map[settings.Key]string{}, AnyProfile: anyProfile}
	sources.Folder = e.WorkingFolder()
	for key, value := range map[settings.Key]string{settings.Server: e.Server, settings.ProfileName: e.Profile} {
		if value != "" {
			sources.Flags[key] = value
		}
	}
	s, err := settings.Load(sources)
	if err != nil {
		return nil, &cli.Failure{Code: cli.ExitUsage, Err: err}
	}
	return s, nil
}

// guardToken calls GuardSecret for PARLEY_TOKEN if the variable is set. A sign-in's token needs no
// guard, because it is stored for one address.
func (e *Environment) guardToken(s *settings.Settings) error {
	if strings.TrimSpace(e.Env("PARLEY_TOKEN")) == "" {
		return nil
	}
	return GuardSecret(s, "PARLEY_TOKEN")
}

// GuardSecret returns an error with ExitUsage if only a project's file specifies the server.
// Otherwise the author of that file would receive the secret. This also applies to addresses of
// this machine, because a program of the author may listen there. secret is the name of the secret
// for the error.
func GuardSecret(s *settings.Settings, secret string) error {
	server := s.Get(settings.Server)
	if server.Source != settings.FromProject || s.IsNamedByUser(server.Value) {
		return nil
	}
	return &cli.Failure{
		Code: cli.ExitUsage,
		Err:  fmt.Errorf("%s is not sent to %s, because only %s names that server", secret, server.Value, server.Origin),
		Hint: "to send it, name the server yourself with --server, PARLEY_SERVER or `parley profile add`",
	}
}

// CheckSetting returns an error with ExitUsage if the value is invalid for the setting. An empty
// value is always valid.
func CheckSetting(key settings.Key, value string) error {
	if value == "" {
		return nil
	}
	if err := settings.CheckSecret(value); err != nil {
		return cli.UsageError("%s was not written: %w", key, err)
	}
	d, err := settings.FindDefinition(string(key))
	if err == nil {
		err = d.Check(value)
	}
	if err != nil {
		return cli.UsageError("%s %q: %w", key, value, err)
	}
	return nil
}
