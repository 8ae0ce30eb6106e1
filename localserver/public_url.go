package localserver

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/personas/plaintext"
)

func (o Options) checkPublicURL() error {
	if o.PublicURL == "" {
		return nil
	}
	if origin, err := api.ParseOrigin(o.PublicURL); err != nil || origin != o.PublicURL {
		return fmt.Errorf("public URL %q: must be a scheme and a host, such as https://npc.example.com",
			plaintext.RedactUser(o.PublicURL))
	}
	if o.Tokens.isDevelopment() && !api.IsLoopbackOrigin(o.PublicURL) {
		return openToOthers("public URL", o.PublicURL)
	}
	return nil
}

// CheckHost returns an error for a name that a Host header cannot contain. An empty name would
// allow all IP addresses.
func CheckHost(name string) error {
	if !api.IsHostName(name) {
		return fmt.Errorf("host %q: must be the name of a host, such as npc.example.com", plaintext.RedactUser(name))
	}
	return nil
}

// CheckPlayURL returns an error for an invalid prefix of a link. It accepts "".
func CheckPlayURL(text string) error {
	if text == "" {
		return nil
	}
	if !api.IsAddress(text) {
		return fmt.Errorf("play URL %q: must be an address without ? and #, such as https://npc.example.com/play",
			plaintext.RedactUser(text))
	}
	return nil
}

// checkHosts allows only loopback names with the development provider. A request through a proxy
// without headers would look like a local request.
func (o Options) checkHosts() error {
	for _, name := range o.Hosts {
		if err := CheckHost(name); err != nil {
			return err
		}
	}
	if !o.Tokens.isDevelopment() {
		return nil
	}
	for _, name := range o.Hosts {
		if !api.IsLoopbackHost(name) {
			return openToOthers("host", name)
		}
	}
	return nil
}

// checkListen rejects a login, because errors of package net contain parts of an address.
func (o Options) checkListen() error {
	for _, address := range []string{o.Listen, o.MetricsListen} {
		if strings.Contains(address, "@") {
			return fmt.Errorf("address %q: must be a host and a port, such as 127.0.0.1:8787", plaintext.RedactUser(address))
		}
	}
	return nil
}

func openToOthers(setting, value string) error {
	return fmt.Errorf("%s %q is for other machines, but the development sign-in gives a token to everybody: "+
		"set a token issuer with --issuer or --jwt-secret-file", setting, plaintext.RedactUser(value))
}

func (o Options) hostNames() []string {
	names := append([]string{o.Listen}, o.Hosts...)
	if u, err := url.Parse(o.PublicURL); err == nil && u.Hostname() != "" {
		names = append(names, u.Hostname())
	}
	return names
}

func (s *Server) publicURL(options *Options) string { return cmp.Or(options.PublicURL, s.URL()) }

func (s *Server) findOrigin(options *Options) func(*http.Request) string {
	proxies := identity.TrustedProxies(options.TrustedProxies)
	return func(r *http.Request) string {
		origin := proxies.Origin(r)
		isDirect := origin == s.URL() && !identity.IsForwarded(r)
		if options.PublicURL == "" || isDirect {
			return origin
		}
		return options.PublicURL
	}
}
