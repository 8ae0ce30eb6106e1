package service

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/localserver"
)

// LoadSettings reads the settings. If anyProfile is set, a missing profile is accepted.
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

// GuardSecret returns an error if only a project's file names the server. The author of that file
// could otherwise collect secrets.
func GuardSecret(s *settings.Settings, secret string) error {
	server := s.Get(settings.Server)
	if server.Source != settings.FromProject || s.IsNamedByUser(server.Value) {
		return nil
	}
	return &cli.Failure{
		Code: cli.ExitUsage,
		Err: fmt.Errorf("%s is not sent to %s, because this server address comes only from %s",
			secret, server.Value, server.Origin),
		Hint: "to use this server, set its address with --server, PARLEY_SERVER or `parley profile add`",
	}
}

// CheckSetting returns an error with ExitUsage for an invalid value. An empty value is valid.
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

const passwordWays = "set PGPASSWORD, or use a password file (PGPASSFILE, ~/.pgpass) " +
	"or a service file (PGSERVICE, postgres:///?service=NAME), or set the whole address in PARLEY_DATABASE"

// FindDatabase returns the database of --database, or else of PARLEY_DATABASE. A password in the
// flag is an error, because other users can see flags.
func (e *Environment) FindDatabase(flag string, useEnvironment bool) (d localserver.Database, name string, err error) {
	d, name = localserver.Database{Address: flag}, "--database"
	if flag == "" && useEnvironment {
		d.Address, name = e.Env("PARLEY_DATABASE"), "PARLEY_DATABASE"
	}
	if err := d.Check(); err != nil {
		return localserver.Database{}, name, cli.UsageError("%s: %w", name, err)
	}
	if name == "--database" && d.HasPassword() {
		err := errors.New("--database contains a password, " +
			"which other users of this machine can see in the list of processes")
		return localserver.Database{}, name, &cli.Failure{Code: cli.ExitUsage, Err: err, Hint: passwordWays}
	}
	d.Password = e.Env("PGPASSWORD")
	return d, name, nil
}

func (e *Environment) listProfiles() []settings.Profile {
	s, err := e.LoadSettings(true)
	if err != nil {
		return nil
	}
	return s.Profiles()
}

// KnownServers returns the servers of all profiles, for completion.
func (e *Environment) KnownServers() []string {
	var servers []string
	for _, p := range e.listProfiles() {
		if server := p.Values[settings.Server].Value; server != "" && !slices.Contains(servers, server) {
			servers = append(servers, server)
		}
	}
	return servers
}

// CompleteProfileFlag completes the value of --profile.
func (e *Environment) CompleteProfileFlag(
	_ *cobra.Command, _ []string, typed string,
) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, p := range e.listProfiles() {
		names = append(names, cli.DescribeCompletion(p.Name, p.Values[settings.Server].Value))
	}
	return cli.CompleteWords(names, typed)
}

// CompleteProfiles completes an argument that is the name of a profile.
func (e *Environment) CompleteProfiles(
	c *cobra.Command, args []string, typed string,
) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return e.CompleteProfileFlag(c, nil, typed)
}
