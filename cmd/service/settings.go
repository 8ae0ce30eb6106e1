package service

import (
	"fmt"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/settings"
)

// LoadSettings reads the settings. Mistakes are errors with ExitUsage. With anyProfile a missing
// profile is no error, for commands that need no server.
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

// GuardSecret returns an error with ExitUsage if only a project's file specifies the server.
// Otherwise the file's author would receive the secret. This also applies to an address of this
// machine, where a program of the author may listen. secret names the secret in the error.
func GuardSecret(s *settings.Settings, secret string) error {
	server := s.Get(settings.Server)
	if server.Source != settings.FromProject || s.IsNamedByUser(server.Value) {
		return nil
	}
	return &cli.Failure{
		Code: cli.ExitUsage,
		Err:  fmt.Errorf("%s is not sent to %s, because this server address comes only from %s", secret, server.Value, server.Origin),
		Hint: "to use this server, set its address with --server, PARLEY_SERVER or `parley profile add`",
	}
}

// CheckSetting returns an error with ExitUsage if the value is invalid for the setting. An empty
// value is valid.
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
