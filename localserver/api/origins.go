package api

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/wire"
)

// Origins contains the origins of web pages that may call the server. If it is empty, the server does
// not send CORS headers.
type Origins struct {
	allowed    map[string]bool
	protection *http.CrossOriginProtection
}

// corsMethods are the methods that a page of an allowed origin may use. A browser may cache the
// answer to a preflight for corsAge seconds.
const (
	corsMethods = "GET, POST, DELETE"
	corsAge     = "600"
)

const (
	corsRequestHeaders = "Authorization, Content-Type, If-Match, " + wire.HeaderIdempotencyKey + ", " + wire.HeaderAPIKey + ", " +
		wire.HeaderLLMKey + ", " + wire.HeaderLLMModel + ", " + wire.HeaderLLMEvalKey + ", " + wire.HeaderLLMEvalModel + ", " +
		wire.HeaderLLMResponseKey + ", " + wire.HeaderLLMResponseModel + ", " +
		wire.HeaderLLMSummarizationKey + ", " + wire.HeaderLLMSummarizationModel
	corsResponseHeaders = wire.HeaderRequestID + ", " + wire.HeaderRetryAfter + ", " + HeaderLimit + ", " + HeaderRemaining + ", " +
		HeaderReset + ", " + HeaderReplayed + ", WWW-Authenticate, " + wire.HeaderShouldRetry + ", " +
		wire.HeaderLink + ", " + wire.HeaderTotal + ", " +
		wire.HeaderLLMTokensIn + ", " + wire.HeaderLLMTokensOut
)

// ParseOrigin parses a web origin, which is a scheme and a host such as https://game.example. It
// returns the origin in the form that browsers send.
func ParseOrigin(text string) (string, error) {
	u, err := url.Parse(strings.TrimSuffix(text, "/"))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || !wire.IsPort(u) || strings.ContainsAny(text, "*,") {
		return "", notOrigin(text)
	}
	origin := u.Scheme + "://" + strings.ToLower(u.Host)
	if port := u.Port(); port != "" && port == map[string]string{"http": "80", "https": "443"}[u.Scheme] {
		origin = strings.TrimSuffix(origin, ":"+port)
	}
	if u.Path != "" || http.NewCrossOriginProtection().AddTrustedOrigin(u.String()) != nil {
		return "", notOrigin(text)
	}
	return origin, nil
}

// IsAddress reports whether a text is a URL to which a path can be appended. The URL must have a
// scheme and a host, and no user, query or fragment.
func IsAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Scheme != "" && u.Hostname() != "" && u.User == nil && wire.IsPort(u) && !strings.ContainsAny(text, "?#")
}

// IsLoopbackOrigin reports whether the host of an origin is a loopback name or address.
func IsLoopbackOrigin(origin string) bool {
	u, err := url.Parse(origin)
	return err == nil && wire.IsLoopback(u.Hostname())
}

func notOrigin(text string) error {
	return fmt.Errorf("origin %q: must be a scheme and a host without a user, such as https://game.example or http://localhost:5173", plaintext.RedactUser(text))
}

// NewOrigins returns the Origins with the given origins. It fails if ParseOrigin rejects one of
// them.
func NewOrigins(allowed []string) (Origins, error) {
	o := Origins{allowed: map[string]bool{}, protection: http.NewCrossOriginProtection()}
	for _, text := range allowed {
		origin, err := ParseOrigin(text)
		if err != nil {
			return o, err
		}
		if err := o.protection.AddTrustedOrigin(origin); err != nil {
			return o, err
		}
		o.allowed[origin] = true
	}
	return o, nil
}

// allowPage sets the CORS headers for an allowed origin. It does not allow cookies, because pages
// send tokens and keys in headers that they set themselves.
func (o *Origins) allowPage(w http.ResponseWriter, r *http.Request) (answered bool) {
	if len(o.allowed) == 0 {
		return false
	}
	h, origin := w.Header(), r.Header.Get("Origin")
	h.Add("Vary", "Origin")
	if !o.allowed[origin] {
		return false
	}
	h.Set("Access-Control-Allow-Origin", origin)
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		h.Set("Access-Control-Expose-Headers", corsResponseHeaders)
		return false
	}
	h.Add("Vary", "Access-Control-Request-Method, Access-Control-Request-Headers")
	h.Set("Access-Control-Allow-Methods", corsMethods)
	h.Set("Access-Control-Allow-Headers", corsRequestHeaders)
	h.Set("Access-Control-Max-Age", corsAge)
	w.WriteHeader(http.StatusNoContent)
	return true
}

// Hosts contains the names that a server accepts in Host headers, in addition to loopback names.
type Hosts map[string]bool

// NewHosts returns the Hosts with the given names or addresses, each with or without a port.
func NewHosts(names ...string) Hosts {
	h := Hosts{}
	for _, name := range names {
		h[hostName(name)] = true
	}
	return h
}

func (h Hosts) isAllowed(host string) bool {
	name := hostName(host)
	if h[name] || wire.IsLoopback(name) {
		return true
	}
	// A server that listens on all addresses accepts every IP address, because DNS rebinding is
	// only possible with names.
	isOnAll := h[""] || h["0.0.0.0"] || h["::"]
	return isOnAll && net.ParseIP(name) != nil
}

// IsLoopbackHost reports whether a host, with or without a port, is a loopback name or address.
func IsLoopbackHost(address string) bool { return wire.IsLoopback(hostName(address)) }

// IsHostName reports whether a text is valid in a Host header. It must be a host name or an IP
// address, with or without a port.
func IsHostName(text string) bool {
	name := hostName(text)
	if net.ParseIP(name) != nil {
		return true
	}
	return name != "" && !strings.Contains(text, "/") && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-._") == ""
}

// hostName returns the host in a Host header in lower case, without port, brackets and final dot.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.ToLower(strings.TrimSuffix(host, "."))
}
