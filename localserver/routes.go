package localserver

import (
	"net/http"

	"github.com/parley-npc/parley/personas/wire"
)

// access says who may call an endpoint. A token that is sent must be valid
// everywhere, so that nobody plays for weeks under an expired one without
// knowing it.
type access string

const (
	// optional: a token is not needed; with one the caller is that user.
	optional access = "optional"
	// player: as optional, or as account when Options.ChatAuth says required.
	player access = "player"
	// account: only with a token.
	account access = "account"
	// sdk: only with an API key, which alone says who calls.
	sdk access = "sdk key"
	// sdkPlayer: as sdk, and with a key for the model.
	sdkPlayer access = "sdk key and model key"
)

// category is a row of the interface's table of rate limits.
type category string

const (
	limitGeneration category = "generation"
	limitChat       category = "chat"
	limitGeneral    category = "general"
	limitSDKChat    category = "sdk-chat"
	limitSDKGeneral category = "sdk-general"
)

// route is one endpoint: all that is known about it stands in its row.
type route struct {
	id     string // operation id, the interface's verb
	method string
	path   string
	who    access
	limit  category
	// idempotent endpoints honour Idempotency-Key.
	idempotent bool
	// success are the statuses of answers that are no errors, the usual one first.
	success []int
	// maxBody is the largest request body in bytes; 0 where none is read.
	maxBody int64
	bind    binder
}

// routes are the endpoints: the sixteen of the interface in its order, then what
// it leaves unnamed (docs/interface.md, the SDK side).
var routes = []route{
	{"list-personas", http.MethodGet, wire.PathPersonas, optional, limitGeneral, false, []int{200}, 0, answer((*service).listPersonas)},
	{"get-persona", http.MethodGet, wire.PathPersona, optional, limitGeneral, false, []int{200}, 0, answer((*service).getPersona)},
	{"get-full-persona", http.MethodGet, wire.PathFull, optional, limitGeneral, false, []int{200}, 0, answer((*service).getFullPersona)},
	{"delete-persona", http.MethodDelete, wire.PathPersona, account, limitGeneral, false, []int{204}, 0, done((*service).deletePersona)},
	{"save", http.MethodPost, wire.PathSave, account, limitGeneral, true, []int{201, 200}, wire.MaxSaveBody, answer((*service).save)},
	{"publish", http.MethodPost, wire.PathPublish, account, limitGeneral, false, []int{200}, 0, answer((*service).publish)},
	{"get-progress", http.MethodGet, wire.PathProgress, optional, limitGeneral, false, []int{200}, 0, answer((*service).progress)},
	{"reset-progress", http.MethodDelete, wire.PathProgress, optional, limitGeneral, false, []int{200}, 0, answer((*service).resetProgress)},
	{"available-machines", http.MethodGet, wire.PathAvailableMachines, optional, limitGeneral, false, []int{200}, 0, answer((*service).availableMachines)},
	{"init-session", http.MethodPost, wire.PathInitSession, player, limitGeneral, true, []int{200}, wire.MaxBody, answer((*service).initSession)},
	{"message", http.MethodPost, wire.PathMessage, player, limitChat, true, []int{200}, wire.MaxBody, answer((*service).message)},
	{"history", http.MethodGet, wire.PathHistory, player, limitGeneral, false, []int{200}, 0, answer((*service).history)},
	{"reset", http.MethodPost, wire.PathReset, player, limitGeneral, false, []int{200}, 0, answer((*service).reset)},
	{"me", http.MethodGet, wire.PathMe, account, limitGeneral, false, []int{200}, 0, answer((*service).me)},
	{"migrate-progress", http.MethodPost, wire.PathMigrateProgress, account, limitGeneral, false, []int{200}, wire.MaxBody, answer((*service).migrateProgress)},
	{"create-api-key", http.MethodPost, wire.PathAPIKeys, account, limitGeneral, false, []int{201}, wire.MaxBody, answer((*service).createKey)},

	{"message-stream", http.MethodPost, wire.PathMessageStream, player, limitChat, true, []int{200}, wire.MaxBody, stream(webReplies)},
	{"generate", http.MethodPost, wire.PathGenerate, account, limitGeneration, false, []int{200}, wire.MaxBody, answer((*service).generate)},
	{"trace", http.MethodGet, wire.PathTrace, account, limitGeneral, false, []int{200}, 0, answer((*service).trace)},
	{"list-api-keys", http.MethodGet, wire.PathAPIKeys, account, limitGeneral, false, []int{200}, 0, answer((*service).listKeys)},
	{"revoke-api-key", http.MethodDelete, wire.PathAPIKey, account, limitGeneral, false, []int{204}, 0, done((*service).revokeKey)},
	{"sdk-list-personas", http.MethodGet, wire.PathSDKPersonas, sdk, limitSDKGeneral, false, []int{200}, 0, answer((*service).sdkPersonas)},
	{"sdk-machines", http.MethodGet, wire.PathSDKMachines, sdk, limitSDKGeneral, false, []int{200}, 0, answer((*service).availableMachines)},
	{"sdk-session", http.MethodGet, wire.PathSDKSession, sdk, limitSDKGeneral, false, []int{200}, 0, answer((*service).sdkSession)},
	{"sdk-init-session", http.MethodPost, wire.PathSDKInitSession, sdkPlayer, limitSDKGeneral, true, []int{200}, wire.MaxBody, answer((*service).initSession)},
	{"sdk-message", http.MethodPost, wire.PathSDKMessage, sdkPlayer, limitSDKChat, true, []int{200}, wire.MaxBody, answer((*service).sdkMessage)},
	{"sdk-message-stream", http.MethodPost, wire.PathSDKMessageStream, sdkPlayer, limitSDKChat, true, []int{200}, wire.MaxBody, stream(sdkReplies)},
	{"sdk-history", http.MethodGet, wire.PathSDKHistory, sdk, limitSDKGeneral, false, []int{200}, 0, answer((*service).history)},
	{"sdk-reset", http.MethodPost, wire.PathSDKReset, sdk, limitSDKGeneral, false, []int{200}, 0, answer((*service).reset)},
	{"sdk-validate-llm-key", http.MethodPost, wire.PathSDKValidate, sdkPlayer, limitSDKGeneral, false, []int{200}, wire.MaxBody, answer((*service).validateLLMKey)},
}
