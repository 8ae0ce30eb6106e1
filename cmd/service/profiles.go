package service

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/settings"
)

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
func (e *Environment) CompleteProfileFlag(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, p := range e.listProfiles() {
		names = append(names, cli.DescribeCompletion(p.Name, p.Values[settings.Server].Value))
	}
	return cli.CompleteWords(names, typed)
}

// CompleteProfiles completes an argument that is the name of a profile.
func (e *Environment) CompleteProfiles(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return e.CompleteProfileFlag(c, nil, typed)
}
