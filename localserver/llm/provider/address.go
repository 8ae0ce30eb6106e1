package provider

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/wire"
)

// sharedNetwork is carrier-grade NAT (RFC 6598). Private overlay networks such as Tailscale use it.
var sharedNetwork = netip.MustParsePrefix("100.64.0.0/10")

// People often copy an address with the path of a call, such as https://host/v1/chat/completions.
// Addresses on Azure end in /models.
var (
	callPath = plaintext.Pattern(
		`(?i)/(?:chat/completions|completions|responses|embeddings|messages|api/(?:chat|generate|tags|show))/*$`,
	)
	modelPath = plaintext.Pattern(`(?i)(/v\d[^/?#]*)/models(?:/[^?#]*)?$`)
)

func withoutEndpoint(address string) string {
	return modelPath().ReplaceAllString(callPath().ReplaceAllString(strings.TrimSpace(address), ""), "$1")
}

// The errors never contain a password or a query.
func parseAddress(provider Provider, address string) (*url.URL, error) {
	address = withoutEndpoint(address)
	if provider.Format == Ollama {
		address = strings.TrimRight(ollamaAddress(address), "/")
		address = strings.TrimSuffix(strings.TrimSuffix(address, "/api"), "/v1")
	}
	u, err := url.Parse(address)
	switch {
	case strings.Contains(address, "@"):
		return nil, fmt.Errorf(
			"the address for %s contains a user or a password: put the key into an environment variable instead",
			provider.Title,
		)
	case err != nil || !isHTTP(u) || !wire.IsPort(u):
		return nil, fmt.Errorf(
			"%q is not a valid address for %s: an address looks like http://127.0.0.1:4000/v1",
			plaintext.ClipAfter(address, maxSaid, plaintext.Ellipsis), provider.Title,
		)
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		before, _, _ := strings.Cut(address, "?")
		before, _, _ = strings.Cut(before, "#")
		return nil, fmt.Errorf(
			"the address %q for %s has a query or a fragment: remove everything after the path",
			plaintext.ClipAfter(before, maxSaid, plaintext.Ellipsis), provider.Title,
		)
	}
	u.Path = strings.TrimRight(u.Path, "/")
	u.RawPath = ""
	if u.Path == "" && provider.Format == OpenAI {
		u.Path = "/v1"
	}
	return u, nil
}

func addSDKPath(provider Provider, address string) string {
	address = withoutEndpoint(address)
	if provider.addressPath == "" || strings.HasSuffix(strings.TrimRight(address, "/"), provider.addressPath) {
		return address
	}
	return strings.TrimRight(address, "/") + provider.addressPath
}

func ollamaAddress(text string) string {
	text = strings.TrimSpace(strings.Trim(text, `"' `))
	scheme, rest, found := strings.Cut(text, "://")
	port := map[string]string{"http": "80", "https": "443"}[scheme]
	if !found {
		scheme, rest, port = "http", text, "11434"
	}
	hostPort, path, _ := strings.Cut(rest, "/")
	host, ownPort, err := net.SplitHostPort(hostPort)
	if err != nil {
		host, ownPort = strings.Trim(hostPort, "[]"), port
	}
	switch host {
	case "", "0.0.0.0":
		host = "127.0.0.1"
	case "::":
		host = "::1"
	}
	return strings.TrimRight(scheme+"://"+net.JoinHostPort(host, ownPort)+"/"+path, "/")
}

func checkKeyTransport(provider Provider, u *url.URL, key llm.Secret) error {
	if u.Scheme == "https" || !key.IsSet() || isNear(u.Hostname()) {
		return nil
	}
	return fmt.Errorf("the address %s for %s would send the key unencrypted: use https", u, provider.Title)
}

// The address of a host can change, so isNear looks up no names.
func isNear(host string) bool {
	if wire.IsLoopback(host) {
		return true
	}
	host = strings.ToLower(host)
	if address, err := netip.ParseAddr(host); err == nil {
		address = address.Unmap()
		return address.IsPrivate() || address.IsLinkLocalUnicast() || sharedNetwork.Contains(address)
	}
	for _, end := range []string{".localhost", ".local", ".internal", ".lan", ".home.arpa"} {
		if strings.HasSuffix(host, end) {
			return true
		}
	}
	// A host name without letters is an IP address in another notation.
	return !strings.Contains(host, ".") && strings.Trim(host, "0123456789") != ""
}

func isHTTP(u *url.URL) bool {
	return (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != ""
}

// RunsHere reports whether the asker's model runs on this machine.
func RunsHere(a Asker) bool {
	address, _, _ := strings.Cut(a.Place(), " ")
	return wire.IsLoopbackURL(address)
}

func checkKey(key llm.Secret) error {
	for _, r := range key.Reveal() {
		if r <= ' ' || r > '~' {
			return errors.New("the key contains a space, a line break or another character that keys do not contain; " +
				"was it copied completely?")
		}
	}
	return nil
}
