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
	"github.com/parley-npc/parley/personas/remote"
)

// openAddresses are further networks without strangers, besides the private ones: those of
// carrier-grade NAT, which private overlays such as Tailscale use.
var openAddresses = []string{"100.64.0.0/10"}

// People copy the path of an API's call with its address:
// https://host/v1/chat/completions, https://host/v1beta/models/x:generateContent. A path
// that ends in /models is one only behind a version: on Azure it is an address.
var (
	callPath  = plaintext.Pattern(`(?i)/(?:chat/completions|completions|responses|embeddings|messages|api/(?:chat|generate|tags|show))/*$`)
	modelPath = plaintext.Pattern(`(?i)(/v\d[^/?#]*)/models(?:/[^?#]*)?$`)
)

// withoutEndpoint takes the path of a call off the end of an address: the part before it is
// wanted.
func withoutEndpoint(address string) string {
	return modelPath().ReplaceAllString(callPath().ReplaceAllString(strings.TrimSpace(address), ""), "$1")
}

// parseAddress reads a provider's address: http or https, a host, and an optional path. The default
// path of an OpenAI-compatible address is /v1. It removes the path of a call at the end. Its errors
// never contain a password or a query.
func parseAddress(p Provider, address string) (*url.URL, error) {
	address = withoutEndpoint(address)
	if p.Format == Ollama {
		// /api is part of its paths, and /v1 its address for OpenAI's clients.
		address = strings.TrimRight(ollamaAddress(address), "/")
		address = strings.TrimSuffix(strings.TrimSuffix(address, "/api"), "/v1")
	}
	u, err := url.Parse(address)
	switch {
	case strings.Contains(address, "@"):
		return nil, fmt.Errorf("the address for %s has a user or a password in it: put a key in the environment instead", p.Title)
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || !remote.IsPort(u):
		return nil, fmt.Errorf("the address %q for %s is none: one looks like http://127.0.0.1:4000/v1", plaintext.ClipAfter(address, maxSaid, plaintext.Ellipsis), p.Title)
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		before, _, _ := strings.Cut(address, "?")
		before, _, _ = strings.Cut(before, "#")
		return nil, fmt.Errorf("the address %q for %s has a query or a fragment: leave out what stands behind the path", plaintext.ClipAfter(before, maxSaid, plaintext.Ellipsis), p.Title)
	}
	u.Path = strings.TrimRight(u.Path, "/")
	u.RawPath = ""
	if u.Path == "" && p.Format == OpenAI {
		u.Path = "/v1"
	}
	return u, nil
}

// addSDKPath puts behind an address from the environment what the provider's own SDK
// puts there, unless it ends so already.
func addSDKPath(p Provider, address string) string {
	address = withoutEndpoint(address)
	if p.addressPath == "" || strings.HasSuffix(strings.TrimRight(address, "/"), p.addressPath) {
		return address
	}
	return strings.TrimRight(address, "/") + p.addressPath
}

// ollamaAddress reads values that Ollama itself accepts for OLLAMA_HOST: scheme and port may be
// missing, and a wildcard address means this machine.
func ollamaAddress(text string) string {
	text = strings.TrimSpace(strings.Trim(text, `"' `))
	scheme, rest, found := strings.Cut(text, "://")
	port := map[string]string{"http": "80", "https": "443"}[scheme]
	if !found {
		scheme, rest, port = "http", text, "11434"
	}
	hostPort, path, _ := strings.Cut(rest, "/")
	host, given, err := net.SplitHostPort(hostPort)
	if err != nil {
		host, given = strings.Trim(hostPort, "[]"), port
	}
	switch host {
	case "", "0.0.0.0":
		host = "127.0.0.1"
	case "::":
		host = "::1"
	}
	return strings.TrimRight(scheme+"://"+net.JoinHostPort(host, given)+"/"+path, "/")
}

// checkKeyTransport refuses to send a key over a connection that can be read in transit.
func checkKeyTransport(p Provider, u *url.URL, key llm.Secret) error {
	if u.Scheme == "https" || !key.IsSet() || isNear(u.Hostname()) {
		return nil
	}
	return fmt.Errorf("the address %s for %s would carry the key in the clear: use https", u, p.Title)
}

// isNear reports whether a host is on this machine or in a private network. A
// name counts by its form, since what it resolves to can change.
func isNear(host string) bool {
	if remote.IsLoopback(host) {
		return true
	}
	host = strings.ToLower(host)
	if address, err := netip.ParseAddr(host); err == nil {
		address = address.Unmap()
		return address.IsPrivate() || address.IsLinkLocalUnicast() || isOpen(address)
	}
	for _, end := range []string{".localhost", ".local", ".internal", ".lan", ".home.arpa"} {
		if strings.HasSuffix(host, end) {
			return true
		}
	}
	// A number is another way to write an address.
	return !strings.Contains(host, ".") && strings.Trim(host, "0123456789") != ""
}

// RunsHere reports whether the model of an asker is asked on this machine.
func RunsHere(a Asker) bool {
	address, _, _ := strings.Cut(a.Place(), " ")
	return remote.IsLoopbackURL(address)
}

func isOpen(address netip.Addr) bool {
	for _, text := range openAddresses {
		if network, err := netip.ParsePrefix(text); err == nil && network.Contains(address) {
			return true
		}
	}
	return false
}

// checkKey refuses what cannot be in a header, without repeating it.
func checkKey(key llm.Secret) error {
	for _, r := range key.Reveal() {
		if r <= ' ' || r > '~' {
			return errors.New("the key has a space, a line break or another character that none has; was it copied whole?")
		}
	}
	return nil
}
