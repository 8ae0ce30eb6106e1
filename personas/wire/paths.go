package wire

import (
	"net/url"
	"strings"
)

// Prefix is the path prefix of every endpoint. It contains the version of the interface.
const Prefix = "/api/v1"

// LocalService is the name that Parley's own server reports at the path /.
const LocalService = "parley local server"

// PrefixSDK is the path prefix of the SDK endpoints.
const PrefixSDK = Prefix + "/sdk/"

// Paths of the endpoints. {persona_id} and {key_id} are placeholders for an id (see Path).
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

// Path returns a pattern with its variable replaced by id. The id is escaped, including "." and
// "..", so that it cannot lead to another path.
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
