package localserver

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/personas/plaintext"
)

// checkPublicURL returns an error unless the URL is a scheme and host, and with the development
// provider unless it is on loopback.
func (o Options) checkPublicURL() error {
	if o.PublicURL == "" {
		return nil
	}
	if origin, err := api.ParseOrigin(o.PublicURL); err != nil || origin != o.PublicURL {
		return fmt.Errorf("public URL %q: must be a scheme and a host, such as https://npc.example.com", plaintext.RedactUser(o.PublicURL))
	}
	if o.Tokens.isDevelopment() && !api.IsLoopbackOrigin(o.PublicURL) {
		return openToOthers("public URL", o.PublicURL)
	}
	return nil
}

// CheckHost refuses what no Host header can say: "", an address with a scheme, a wildcard.
// An empty name would make the server answer to all numbers.
func CheckHost(name string) error {
	if !api.IsHostName(name) {
		return fmt.Errorf("host %q: must be the name of a host, such as npc.example.com", plaintext.RedactUser(name))
	}
	return nil
}

// CheckPlayURL refuses what cannot begin a link. "" is for the server's own URL.
func CheckPlayURL(text string) error {
	if text == "" {
		return nil
	}
	if !api.IsAddress(text) {
		return fmt.Errorf("play URL %q: must be an address without ? and #, such as https://npc.example.com/play", plaintext.RedactUser(text))
	}
	return nil
}

// checkHosts refuses names of other machines with the development provider: a caller that uses such
// a name comes through a proxy, which may not identify itself.
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

func openToOthers(what, value string) error {
	return fmt.Errorf("%s %q is for other machines, and this server's development sign-in gives a token to whoever asks: name who issues tokens, with --issuer or --jwt-secret-file", what, plaintext.RedactUser(value))
}

// publicHost returns the host name in the public URL, or "".
func (o Options) publicHost() string {
	u, err := url.Parse(o.PublicURL)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// hostNames are the names that the server answers to.
func (o Options) hostNames() []string {
	names := append([]string{o.Listen}, o.Hosts...)
	if name := o.publicHost(); name != "" {
		names = append(names, name)
	}
	return names
}

// publicURL returns the address that callers use for the server.
func (s *Server) publicURL(o *Options) string { return cmp.Or(o.PublicURL, s.URL()) }

// findOrigin returns a function that returns the origin at which a caller reaches the server. With
// a public URL, the origin differs from it only for a request that was sent to this server's own
// address without a proxy.
func (s *Server) findOrigin(o *Options) func(*http.Request) string {
	proxies := identity.TrustedProxies(o.TrustedProxies)
	return func(r *http.Request) string {
		origin := proxies.Origin(r)
		if o.PublicURL == "" || origin == s.URL() && !identity.IsForwarded(r) {
			return origin
		}
		return o.PublicURL
	}
}
