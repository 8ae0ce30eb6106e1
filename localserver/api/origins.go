package api

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/remote"
	"github.com/parley-npc/parley/personas/wire"
)

// Origins are the web sites that may call the server from a browser. If empty, the server does not
// send CORS headers.
type Origins struct {
	allowed map[string]bool
	// protection refuses cross-origin requests from other sites.
	protection *http.CrossOriginProtection
}

// What a page of an allowed site may send and read. A browser asks again after
// corsAge seconds.
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

// ParseOrigin reads a web origin, a scheme and a host such as https://game.example, and returns it
// in the form that browsers send.
func ParseOrigin(text string) (string, error) {
	u, err := url.Parse(strings.TrimSuffix(text, "/"))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || !remote.IsPort(u) || strings.ContainsAny(text, "*,") {
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

// IsAddress reports whether a text is a URL that more can be appended to: with a scheme and a
// host, without user, query and fragment.
func IsAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Scheme != "" && u.Hostname() != "" && u.User == nil && remote.IsPort(u) && !strings.ContainsAny(text, "?#")
}

// IsLoopbackOrigin reports whether an origin is one of this machine alone.
func IsLoopbackOrigin(origin string) bool {
	u, err := url.Parse(origin)
	return err == nil && remote.IsLoopback(u.Hostname())
}

func notOrigin(text string) error {
	return fmt.Errorf("origin %q: must be the scheme and host of one web site without a name or password, such as https://game.example or http://localhost:5173", plaintext.RedactUser(text))
}

// NewOrigins returns Origins from results of ParseOrigin.
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

// allowPage sends the headers with which the page may read the answer, if it may. It is
// true when that was all that the browser has asked (a preflight). Credentials
// are not allowed: tokens and keys travel in headers that the page sets itself.
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

// Hosts are the names in Host headers that a server accepts, besides loopback ones.
type Hosts map[string]bool

// NewHosts makes them of addresses, with a port or without.
func NewHosts(names ...string) Hosts {
	h := Hosts{}
	for _, name := range names {
		h[hostName(name)] = true
	}
	return h
}

func (h Hosts) isAllowed(host string) bool {
	name := hostName(host)
	ip := net.ParseIP(name)
	return h[name] || remote.IsLoopback(name) || ip != nil && h.areAll()
}

// areAll reports whether the server listens on all addresses of the machine. Then Host may be any
// IP address, because only names can be made to point here by others.
func (h Hosts) areAll() bool { return h[""] || h["0.0.0.0"] || h["::"] }

// IsLoopbackHost reports whether an address, with a port or without, names this machine
// alone.
func IsLoopbackHost(address string) bool { return remote.IsLoopback(hostName(address)) }

// IsHostName reports whether a text is the name or number of a host, with an optional port, as in a
// Host header.
func IsHostName(text string) bool {
	name := hostName(text)
	if net.ParseIP(name) != nil {
		return true
	}
	return name != "" && !strings.Contains(text, "/") && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-._") == ""
}

// hostName is a Host header without port, brackets, final dot and capitals.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.ToLower(strings.TrimSuffix(host, "."))
}
