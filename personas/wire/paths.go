package wire

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// Prefix is the path prefix of all endpoints, with the version of the interface.
const Prefix = "/api/v1"

// LocalService is the service name in the local server's response to GET /.
const LocalService = "parley local server"

// PrefixSDK is the path prefix of the SDK endpoints.
const PrefixSDK = Prefix + "/sdk/"

// Paths of the endpoints. Path replaces the placeholder in braces by an id.
const (
	PathPersonas          = Prefix + "/personas"
	PathPersona           = Prefix + "/personas/{persona_id}"
	PathFull              = Prefix + "/personas/{persona_id}/full"
	PathProgress          = Prefix + "/personas/{persona_id}/progress"
	PathAvailableMachines = Prefix + "/personas/{persona_id}/available-machines"
	PathSave              = Prefix + "/creator/save"
	PathPublish           = Prefix + "/creator/publish"
	PathGenerate          = Prefix + "/creator/generate"
	PathInitSession       = Prefix + "/chat/{persona_id}/init-session"
	PathMessage           = Prefix + "/chat/{persona_id}/message"
	PathHistory           = Prefix + "/chat/{persona_id}/history"
	PathMessageStream     = Prefix + "/chat/{persona_id}/message/stream"
	PathReset             = Prefix + "/chat/{persona_id}/reset"
	PathTrace             = Prefix + "/chat/{persona_id}/trace"
	PathFork              = Prefix + "/chat/{persona_id}/fork"
	PathBranches          = Prefix + "/chat/{persona_id}/branches"
	PathSessions          = Prefix + "/personas/{persona_id}/sessions"
	PathOwnedSession      = Prefix + "/personas/{persona_id}/sessions/{session_id}"
	PathMe                = Prefix + "/auth/me"
	PathMigrateProgress   = Prefix + "/auth/migrate-progress"
	PathAPIKeys           = Prefix + "/sdk/api-keys"
	PathAPIKey            = Prefix + "/sdk/api-keys/{key_id}"

	PathSDKPersonas      = Prefix + "/sdk/personas"
	PathSDKMachines      = Prefix + "/sdk/chat/{persona_id}/machines"
	PathSDKSession       = Prefix + "/sdk/chat/{persona_id}/session"
	PathSDKInitSession   = Prefix + "/sdk/chat/{persona_id}/init-session"
	PathSDKMessage       = Prefix + "/sdk/chat/{persona_id}/message"
	PathSDKMessageStream = Prefix + "/sdk/chat/{persona_id}/message/stream"
	PathSDKHistory       = Prefix + "/sdk/chat/{persona_id}/history"
	PathSDKFork          = Prefix + "/sdk/chat/{persona_id}/fork"
	PathSDKBranches      = Prefix + "/sdk/chat/{persona_id}/branches"
	PathSDKReset         = Prefix + "/sdk/chat/{persona_id}/reset"
	PathSDKValidate      = Prefix + "/sdk/validate-llm-key"
)

// Path replaces the placeholder in a pattern by an id. It escapes the id, including "." and "..".
func Path(pattern, id string) string {
	before, rest, found := strings.Cut(pattern, "{")
	if !found {
		return pattern
	}
	_, after, _ := strings.Cut(rest, "}")
	escaped := url.PathEscape(id)
	if id == "." || id == ".." {
		escaped = strings.ReplaceAll(id, ".", "%2E")
	}
	return before + escaped + after
}

// IsLoopback reports whether a host name or address without a port is this machine. Secrets are
// sent without encryption only to this machine. The result is true for localhost, 127.0.0.0/8, ::1
// and IPv4-mapped loopback addresses.
//
// Addresses with a zone (::1%eth0) are excluded, because the zone selects a network interface.
// Names below localhost (a.localhost) are excluded too. Go's resolver may send these names to a
// name server, although RFC 6761, section 6.3, reserves them.
func IsLoopback(host string) bool {
	if strings.ToLower(strings.TrimSuffix(host, ".")) == "localhost" {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Zone() == "" && address.Unmap().IsLoopback()
}

// IsLoopbackURL reports whether the host of a URL is this machine. An invalid URL returns false.
func IsLoopbackURL(address string) bool {
	u, err := url.Parse(address)
	return err == nil && IsLoopback(u.Hostname())
}

// IsPort reports whether a URL has no port or a port from 1 to 65535.
func IsPort(u *url.URL) bool {
	if u.Port() == "" {
		return true
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	return err == nil && port > 0
}
