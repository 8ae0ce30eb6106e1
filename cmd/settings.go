package cmd

import (
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/parley-npc/parley/cmd/config"
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

// guardToken refuses to send PARLEY_TOKEN to a server that only a project's file
// names: whoever wrote that file would get it. Tokens of a sign-in are kept for
// one address each, and need no guard.
func (a *app) guardToken(s *config.Settings) error {
	server := s.Get(config.Server)
	if server.Source != config.FromProject || strings.TrimSpace(a.env("PARLEY_TOKEN")) == "" {
		return nil
	}
	if isLoopback(server.Value) || s.NamedByUser(server.Value) {
		return nil
	}
	return &failure{
		code: exitUsage,
		err:  fmt.Errorf("PARLEY_TOKEN is not sent to %s, which only %s names", server.Value, server.Origin),
		hint: fmt.Sprintf("if that server is to have it: set PARLEY_SERVER=%s, or `parley profile add NAME --server %s`", server.Value, server.Value),
	}
}

// isLoopback tells whether an address is on this machine.
func isLoopback(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}
