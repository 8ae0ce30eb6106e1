package wire

import (
	"net/url"
	"strings"
)

// Prefix is the path prefix of every endpoint: the version of the interface.
const Prefix = "/api/v1"

// Paths of the sixteen endpoints as patterns; {persona_id} is the one variable.
const (
	PathPersonas          = Prefix + "/personas"
	PathPersona           = Prefix + "/personas/{persona_id}"
	PathFull              = Prefix + "/personas/{persona_id}/full"
	PathProgress          = Prefix + "/personas/{persona_id}/progress"
	PathAvailableMachines = Prefix + "/personas/{persona_id}/available-machines"
	PathSave              = Prefix + "/creator/save"
	PathPublish           = Prefix + "/creator/publish"
	PathInitSession       = Prefix + "/chat/{persona_id}/init-session"
	PathMessage           = Prefix + "/chat/{persona_id}/message"
	PathHistory           = Prefix + "/chat/{persona_id}/history"
	PathReset             = Prefix + "/chat/{persona_id}/reset"
	PathMe                = Prefix + "/auth/me"
	PathMigrateProgress   = Prefix + "/auth/migrate-progress"
	PathAPIKeys           = Prefix + "/sdk/api-keys"
)

// Path fills {persona_id} in one of the patterns above. The id is escaped, dots
// too where they would name a folder, so that it never reaches another path.
func Path(pattern, personaID string) string {
	return strings.Replace(pattern, "{persona_id}", segment(personaID), 1)
}

func segment(id string) string {
	if id == "." || id == ".." {
		return strings.ReplaceAll(id, ".", "%2E")
	}
	return url.PathEscape(id)
}
