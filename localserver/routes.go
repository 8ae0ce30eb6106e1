package localserver

import (
	"net/http"
	"slices"

	"github.com/parley-npc/parley/localserver/apidoc"
	"github.com/parley-npc/parley/localserver/endpoint"
	"github.com/parley-npc/parley/localserver/pages"
	"github.com/parley-npc/parley/personas/wire"
)

// route is a row of the table of routes: the properties of an endpoint, and its handler.
type route struct {
	endpoint.Route
	register registration
}

// handlers answer the interface's endpoints.
type handlers struct {
	personas personaHandlers
	sessions sessionHandlers
	progress progressHandlers
	accounts accountHandlers
	drafts   draftHandlers
}

// routeTable are the endpoints: the sixteen of the interface in its order, then what
// it leaves unnamed (docs/interface.md, the SDK side).
func (h *handlers) routeTable() []route {
	return slices.Concat(h.namedRoutes(), h.webAdditions(), h.sdkRoutes())
}

func (h *handlers) namedRoutes() []route {
	return []route{
		{endpoint.Route{ID: "list-personas", Method: http.MethodGet, Path: wire.PathPersonas, Access: endpoint.Optional, Limit: endpoint.LimitGeneral, Success: []int{200}, HasPages: true, HasTotal: true}, respondWith(h.personas.listPersonas)},
		{endpoint.Route{ID: "get-persona", Method: http.MethodGet, Path: wire.PathPersona, Access: endpoint.Optional, Limit: endpoint.LimitGeneral, Success: []int{200}}, respondWith(h.personas.getPersona)},
		{endpoint.Route{ID: "get-full-persona", Method: http.MethodGet, Path: wire.PathFull, Access: endpoint.Optional, Limit: endpoint.LimitGeneral, Success: []int{200}}, respondWith(h.personas.getFullPersona)},
		{endpoint.Route{ID: "delete-persona", Method: http.MethodDelete, Path: wire.PathPersona, Access: endpoint.Account, Limit: endpoint.LimitGeneral, Success: []int{204}}, confirmDone(h.personas.deletePersona)},
		{endpoint.Route{ID: "save", Method: http.MethodPost, Path: wire.PathSave, Access: endpoint.Account, Limit: endpoint.LimitGeneral, Idempotent: true, Success: []int{201, 200}, MaxBody: wire.MaxSaveBody}, respondWith(h.personas.savePersona)},
		{endpoint.Route{ID: "publish", Method: http.MethodPost, Path: wire.PathPublish, Access: endpoint.Account, Limit: endpoint.LimitGeneral, Success: []int{200}}, respondWith(h.personas.publishPersona)},
		{endpoint.Route{ID: "get-progress", Method: http.MethodGet, Path: wire.PathProgress, Access: endpoint.Optional, Limit: endpoint.LimitGeneral, Success: []int{200}}, respondWith(h.progress.getProgress)},
		{endpoint.Route{ID: "reset-progress", Method: http.MethodDelete, Path: wire.PathProgress, Access: endpoint.Optional, Limit: endpoint.LimitGeneral, Success: []int{200}}, respondWith(h.progress.resetProgress)},
		{endpoint.Route{ID: "available-machines", Method: http.MethodGet, Path: wire.PathAvailableMachines, Access: endpoint.Optional, Limit: endpoint.LimitGeneral, Success: []int{200}}, respondWith(h.progress.listAvailable)},
		{endpoint.Route{ID: "init-session", Method: http.MethodPost, Path: wire.PathInitSession, Access: endpoint.Player, Limit: endpoint.LimitGeneral, Idempotent: true, Success: []int{200}, MaxBody: wire.MaxBody, CountsTokens: true, MayStream: true}, h.sessions.initSession},
		{endpoint.Route{ID: "message", Method: http.MethodPost, Path: wire.PathMessage, Access: endpoint.Player, Limit: endpoint.LimitChat, Idempotent: true, Success: []int{200}, MaxBody: wire.MaxBody, CountsTokens: true}, respondWith(h.sessions.sendMessage)},
		{endpoint.Route{ID: "history", Method: http.MethodGet, Path: wire.PathHistory, Access: endpoint.Player, Limit: endpoint.LimitGeneral, Success: []int{200}, HasPages: true}, respondInPages("messages", h.sessions.openHistory)},
		{endpoint.Route{ID: "reset", Method: http.MethodPost, Path: wire.PathReset, Access: endpoint.Player, Limit: endpoint.LimitGeneral, Success: []int{200}, MaxBody: wire.MaxBody}, respondWith(h.sessions.resetSession)},
		{endpoint.Route{ID: "me", Method: http.MethodGet, Path: wire.PathMe, Access: endpoint.Account, Limit: endpoint.LimitGeneral, Success: []int{200}}, respondWith(h.accounts.getUser)},
		{endpoint.Route{ID: "migrate-progress", Method: http.MethodPost, Path: wire.PathMigrateProgress, Access: endpoint.Account, Limit: endpoint.LimitGeneral, Success: []int{200}, MaxBody: wire.MaxBody}, respondWith(h.progress.migrateProgress)},
		{endpoint.Route{ID: "create-api-key", Method: http.MethodPost, Path: wire.PathAPIKeys, Access: endpoint.Account, Limit: endpoint.LimitGeneral, Success: []int{201}, MaxBody: wire.MaxBody}, respondWith(h.accounts.createKey)},
	}
}

func (h *handlers) webAdditions() []route {
	return []route{
		{endpoint.Route{ID: "message-stream", Method: http.MethodPost, Path: wire.PathMessageStream, Access: endpoint.Player, Limit: endpoint.LimitChat, Idempotent: true, Success: []int{200}, MaxBody: wire.MaxBody}, h.sessions.streamReply(webReply)},
		{endpoint.Route{ID: "generate", Method: http.MethodPost, Path: wire.PathGenerate, Access: endpoint.Account, Limit: endpoint.LimitGeneration, Success: []int{200}, MaxBody: wire.MaxBody, CountsTokens: true}, respondWith(h.drafts.generateDraft)},
		{endpoint.Route{ID: "trace", Method: http.MethodGet, Path: wire.PathTrace, Access: endpoint.Account, Limit: endpoint.LimitGeneral, Success: []int{200}, HasPages: true}, respondInPages("turns", h.sessions.openTrace)},
		{endpoint.Route{ID: "fork", Method: http.MethodPost, Path: wire.PathFork, Access: endpoint.Player, Limit: endpoint.LimitChat, Idempotent: true, Success: []int{201}, MaxBody: wire.MaxBody}, respondWith(h.sessions.fork)},
		{endpoint.Route{ID: "branches", Method: http.MethodGet, Path: wire.PathBranches, Access: endpoint.Player, Limit: endpoint.LimitGeneral, Success: []int{200}}, respondWith(h.sessions.listBranches)},
		{endpoint.Route{ID: "list-sessions", Method: http.MethodGet, Path: wire.PathSessions, Access: endpoint.Account, Limit: endpoint.LimitGeneral, Success: []int{200}, HasPages: true}, respondWith(h.sessions.listOwned)},
		{endpoint.Route{ID: "delete-session", Method: http.MethodDelete, Path: wire.PathOwnedSession, Access: endpoint.Account, Limit: endpoint.LimitGeneral, Success: []int{204}}, confirmDone(h.sessions.deleteOwned)},
		{endpoint.Route{ID: "list-api-keys", Method: http.MethodGet, Path: wire.PathAPIKeys, Access: endpoint.Account, Limit: endpoint.LimitGeneral, Success: []int{200}}, respondWith(h.accounts.listKeys)},
		{endpoint.Route{ID: "revoke-api-key", Method: http.MethodDelete, Path: wire.PathAPIKey, Access: endpoint.Account, Limit: endpoint.LimitGeneral, Success: []int{204}}, confirmDone(h.accounts.revokeKey)},
	}
}

func (h *handlers) sdkRoutes() []route {
	return []route{
		{endpoint.Route{ID: "sdk-list-personas", Method: http.MethodGet, Path: wire.PathSDKPersonas, Access: endpoint.SDK, Limit: endpoint.LimitSDKGeneral, Success: []int{200}}, h.personas.listForSDK},
		{endpoint.Route{ID: "sdk-machines", Method: http.MethodGet, Path: wire.PathSDKMachines, Access: endpoint.SDK, Limit: endpoint.LimitSDKGeneral, Success: []int{200}}, respondWith(h.progress.listAvailable)},
		{endpoint.Route{ID: "sdk-session", Method: http.MethodGet, Path: wire.PathSDKSession, Access: endpoint.SDK, Limit: endpoint.LimitSDKGeneral, Success: []int{200}}, respondWith(h.sessions.getSession)},
		{endpoint.Route{ID: "sdk-init-session", Method: http.MethodPost, Path: wire.PathSDKInitSession, Access: endpoint.SDKPlayer, Limit: endpoint.LimitSDKGeneral, Idempotent: true, Success: []int{200}, MaxBody: wire.MaxBody, CountsTokens: true, MayStream: true}, h.sessions.initSession},
		{endpoint.Route{ID: "sdk-message", Method: http.MethodPost, Path: wire.PathSDKMessage, Access: endpoint.SDKPlayer, Limit: endpoint.LimitSDKChat, Idempotent: true, Success: []int{200}, MaxBody: wire.MaxBody, CountsTokens: true}, respondWith(h.sessions.sendSDKMessage)},
		{endpoint.Route{ID: "sdk-message-stream", Method: http.MethodPost, Path: wire.PathSDKMessageStream, Access: endpoint.SDKPlayer, Limit: endpoint.LimitSDKChat, Idempotent: true, Success: []int{200}, MaxBody: wire.MaxBody}, h.sessions.streamReply(sdkReply)},
		{endpoint.Route{ID: "sdk-history", Method: http.MethodGet, Path: wire.PathSDKHistory, Access: endpoint.SDK, Limit: endpoint.LimitSDKGeneral, Success: []int{200}, HasPages: true}, respondInPages("messages", h.sessions.openSDKHistory)},
		{endpoint.Route{ID: "sdk-reset", Method: http.MethodPost, Path: wire.PathSDKReset, Access: endpoint.SDK, Limit: endpoint.LimitSDKGeneral, Success: []int{200}, MaxBody: wire.MaxBody}, respondWith(h.sessions.resetSession)},
		{endpoint.Route{ID: "sdk-fork", Method: http.MethodPost, Path: wire.PathSDKFork, Access: endpoint.SDK, Limit: endpoint.LimitSDKChat, Idempotent: true, Success: []int{201}, MaxBody: wire.MaxBody}, respondWith(h.sessions.fork)},
		{endpoint.Route{ID: "sdk-branches", Method: http.MethodGet, Path: wire.PathSDKBranches, Access: endpoint.SDK, Limit: endpoint.LimitSDKGeneral, Success: []int{200}}, respondWith(h.sessions.listBranches)},
		{endpoint.Route{ID: "sdk-validate-llm-key", Method: http.MethodPost, Path: wire.PathSDKValidate, Access: endpoint.SDKPlayer, Limit: endpoint.LimitSDKGeneral, Success: []int{200}, MaxBody: wire.MaxBody}, respondWith(h.sessions.validateLLMKey)},
	}
}

// knownRoutes returns the properties of the endpoints of every server.
func knownRoutes() []endpoint.Route {
	table := new(handlers).routeTable()
	list := make([]endpoint.Route, len(table))
	for i := range table {
		list[i] = table[i].Route
	}
	return list
}

// describeInterface returns the OpenAPI document of every server, and the ids of its
// routes in their order.
func describeInterface() (document []byte, order []string, err error) {
	known := knownRoutes()
	for i := range known {
		order = append(order, known[i].ID)
	}
	types := mountRoutes(http.NewServeMux(), new(handlers).routeTable(), nil, nil).OpenAPI()
	document, err = apidoc.Describe(types, known, pages.List())
	return document, order, err
}

// Endpoint is an endpoint as a command may name it.
type Endpoint struct {
	Method  string `json:"method"`
	Path    string `json:"path"` // a pattern
	Summary string `json:"summary"`
	// SDK means that the caller is identified by an API key, ModelKey that a provider's key is
	// needed too, Idempotent that an Idempotency-Key is honoured.
	SDK        bool `json:"sdk"`
	ModelKey   bool `json:"model_key"`
	Idempotent bool `json:"idempotent"`
}

// Endpoints lists all endpoints: the interface's endpoints and our additions, then the pages about
// the server.
func Endpoints() []Endpoint {
	var list []Endpoint
	for _, r := range knownRoutes() {
		list = append(list, Endpoint{
			Method: r.Method, Path: r.Path, Summary: apidoc.Summary(&r),
			SDK: r.Access.NeedsAPIKey(), ModelKey: r.Access.NeedsModelKey(), Idempotent: r.Idempotent,
		})
	}
	for _, p := range pages.List() {
		list = append(list, Endpoint{Method: http.MethodGet, Path: p.Path, Summary: p.Summary})
	}
	return list
}
