package service

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/config"
)

// profiles are those of settings that can be read; none of others.
func (a *Environment) profiles() []config.Profile {
	s, err := a.LoadSettings(true)
	if err != nil {
		return nil
	}
	return s.Profiles()
}

// KnownServers are the servers that profiles name.
func (a *Environment) KnownServers() []string {
	var servers []string
	for _, p := range a.profiles() {
		if server := p.Values[config.Server].Value; server != "" && !slices.Contains(servers, server) {
			servers = append(servers, server)
		}
	}
	return servers
}

// CompleteProfileFlag completes the value of --profile.
func (a *Environment) CompleteProfileFlag(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, p := range a.profiles() {
		names = append(names, cli.DescribeCompletion(p.Name, p.Values[config.Server].Value))
	}
	return cli.CompleteWords(names, typed)
}

func (a *Environment) CompleteProfiles(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.CompleteProfileFlag(c, nil, typed)
}
