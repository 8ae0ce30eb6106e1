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

// Origins contains the allowed web origins of requests. The zero Origins sends no CORS headers.
type Origins struct {
	allowed    map[string]bool
	protection *http.CrossOriginProtection
}

const (
	corsMethods = "GET, POST, DELETE"
	corsMaxAge  = "600" // seconds
)

const (
	corsRequestHeaders = "Authorization, Content-Type, If-Match, " +
		wire.HeaderIdempotencyKey + ", " + wire.HeaderAPIKey + ", " +
		wire.HeaderLLMKey + ", " + wire.HeaderLLMModel + ", " +
		wire.HeaderLLMEvalKey + ", " + wire.HeaderLLMEvalModel + ", " +
		wire.HeaderLLMResponseKey + ", " + wire.HeaderLLMResponseModel + ", " +
		wire.HeaderLLMSummarizationKey + ", " + wire.HeaderLLMSummarizationModel
	corsResponseHeaders = wire.HeaderRequestID + ", " + wire.HeaderRetryAfter + ", " +
		HeaderLimit + ", " + HeaderRemaining + ", " + HeaderReset + ", " + HeaderReplayed + ", " +
		"WWW-Authenticate, " + wire.HeaderShouldRetry + ", " +
		wire.HeaderLink + ", " + wire.HeaderTotal + ", " +
		wire.HeaderLLMTokensIn + ", " + wire.HeaderLLMTokensOut
)

// ParseOrigin parses a web origin, for example https://game.example. It returns the origin in the
// form that browsers send.
func ParseOrigin(text string) (string, error) {
	u, err := url.Parse(strings.TrimSuffix(text, "/"))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || strings.ContainsAny(text, "*,") {
		return "", notOrigin(text)
	}
	if u.Hostname() == "" || u.User != nil || !wire.IsPort(u) {
		return "", notOrigin(text)
	}
	origin := u.Scheme + "://" + strings.ToLower(u.Host)
	defaultPort := map[string]string{"http": "80", "https": "443"}[u.Scheme]
	origin = strings.TrimSuffix(origin, ":"+defaultPort)
	if u.Path != "" || http.NewCrossOriginProtection().AddTrustedOrigin(u.String()) != nil {
		return "", notOrigin(text)
	}
	return origin, nil
}

// IsAddress reports whether text is a base URL. A base URL has a scheme and a host. It has no user,
// query or fragment.
func IsAddress(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Scheme == "" || u.Hostname() == "" || u.User != nil {
		return false
	}
	return wire.IsPort(u) && !strings.ContainsAny(text, "?#")
}

// IsLoopbackOrigin reports whether the host of origin is a loopback name or address.
func IsLoopbackOrigin(origin string) bool {
	u, err := url.Parse(origin)
	return err == nil && wire.IsLoopback(u.Hostname())
}

func notOrigin(text string) error {
	return fmt.Errorf("origin %q: must be a scheme and a host without a user, "+
		"such as https://game.example or http://localhost:5173", plaintext.RedactUser(text))
}

// NewOrigins returns the Origins for allowed. It returns an error for an invalid origin.
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

// allowPage does not allow cookies. Pages send tokens and keys in headers.
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
	h.Set("Access-Control-Max-Age", corsMaxAge)
	w.WriteHeader(http.StatusNoContent)
	return true
}

// Hosts contains the allowed names in Host headers. Loopback names are always allowed.
type Hosts map[string]bool

// NewHosts returns Hosts for names or addresses. Ports are ignored.
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
	// DNS rebinding needs a name, so IP addresses are safe.
	isOnAll := h[""] || h["0.0.0.0"] || h["::"]
	return isOnAll && net.ParseIP(name) != nil
}

// IsLoopbackHost reports whether the host in address is a loopback name or address. A port is
// ignored.
func IsLoopbackHost(address string) bool { return wire.IsLoopback(hostName(address)) }

// IsHostName reports whether text is a host name or an IP address. A port is allowed.
func IsHostName(text string) bool {
	name := hostName(text)
	if net.ParseIP(name) != nil {
		return true
	}
	const allowed = "abcdefghijklmnopqrstuvwxyz0123456789-._"
	return name != "" && !strings.Contains(text, "/") && strings.Trim(name, allowed) == ""
}

func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.ToLower(strings.TrimSuffix(host, "."))
}
