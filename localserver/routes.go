package localserver

import (
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/draft"
	"github.com/parley-npc/parley/localserver/play"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/wire"
)

type route struct {
	api.Route
	register registration
}

type handlers struct {
	store     *store.Store
	play      *play.Service
	telemetry *api.Telemetry
	drafter   *draft.Drafter // may be nil
	playURL   string         // without a final slash
	now       func() time.Time
	after     func(time.Duration) <-chan time.Time
}

func (h *handlers) routeTable() []route {
	return slices.Concat(h.namedRoutes(), h.webAdditions(), h.sdkRoutes())
}

func (h *handlers) namedRoutes() []route {
	return []route{
		{api.Route{ID: "list-personas", Method: http.MethodGet, Path: wire.PathPersonas, Access: api.Optional,
			Limit: api.LimitGeneral, Success: []int{200}, HasPages: true, HasTotal: true}, respondWith(h.listPersonas)},
		{api.Route{ID: "get-persona", Method: http.MethodGet, Path: wire.PathPersona, Access: api.Optional,
			Limit: api.LimitGeneral, Success: []int{200}}, respondWith(h.getPersona)},
		{api.Route{ID: "get-full-persona", Method: http.MethodGet, Path: wire.PathFull, Access: api.Optional,
			Limit: api.LimitGeneral, Success: []int{200}}, respondWith(h.getFullPersona)},
		{api.Route{ID: "delete-persona", Method: http.MethodDelete, Path: wire.PathPersona, Access: api.Account,
			Limit: api.LimitGeneral, Success: []int{204}}, confirmDone(h.deletePersona)},
		{api.Route{ID: "save", Method: http.MethodPost, Path: wire.PathSave, Access: api.Account, Limit: api.LimitGeneral,
			Idempotent: true, Success: []int{201, 200}, MaxBody: wire.MaxSaveBody}, respondWith(h.savePersona)},
		{api.Route{ID: "publish", Method: http.MethodPost, Path: wire.PathPublish, Access: api.Account,
			Limit: api.LimitGeneral, Success: []int{200}}, respondWith(h.publishPersona)},
		{api.Route{ID: "get-progress", Method: http.MethodGet, Path: wire.PathProgress, Access: api.Optional,
			Limit: api.LimitGeneral, Success: []int{200}}, respondWith(h.getProgress)},
		{api.Route{ID: "reset-progress", Method: http.MethodDelete, Path: wire.PathProgress, Access: api.Optional,
			Limit: api.LimitGeneral, Success: []int{200}}, respondWith(h.resetProgress)},
		{api.Route{ID: "available-machines", Method: http.MethodGet, Path: wire.PathAvailableMachines, Access: api.Optional,
			Limit: api.LimitGeneral, Success: []int{200}}, respondWith(h.listAvailable)},
		{api.Route{ID: "init-session", Method: http.MethodPost, Path: wire.PathInitSession, Access: api.Player,
			Limit: api.LimitGeneral, Idempotent: true, Success: []int{200}, MaxBody: wire.MaxBody, CountsTokens: true,
			MayStream: true}, h.initSession},
		{api.Route{ID: "message", Method: http.MethodPost, Path: wire.PathMessage, Access: api.Player, Limit: api.LimitChat,
			Idempotent: true, Success: []int{200}, MaxBody: wire.MaxBody, CountsTokens: true}, respondWith(h.sendMessage)},
		{api.Route{ID: "history", Method: http.MethodGet, Path: wire.PathHistory, Access: api.Player,
			Limit: api.LimitGeneral, Success: []int{200}, HasPages: true}, respondInPages("messages", h.openHistory)},
		{api.Route{ID: "reset", Method: http.MethodPost, Path: wire.PathReset, Access: api.Player, Limit: api.LimitGeneral,
			Success: []int{200}, MaxBody: wire.MaxBody}, respondWith(h.resetSession)},
		{api.Route{ID: "me", Method: http.MethodGet, Path: wire.PathMe, Access: api.Account, Limit: api.LimitGeneral,
			Success: []int{200}}, respondWith(h.getUser)},
		{api.Route{ID: "migrate-progress", Method: http.MethodPost, Path: wire.PathMigrateProgress, Access: api.Account,
			Limit: api.LimitGeneral, Success: []int{200}, MaxBody: wire.MaxBody}, respondWith(h.migrateProgress)},
		{api.Route{ID: "create-api-key", Method: http.MethodPost, Path: wire.PathAPIKeys, Access: api.Account,
			Limit: api.LimitGeneral, Success: []int{201}, MaxBody: wire.MaxBody}, respondWith(h.createKey)},
	}
}

func (h *handlers) webAdditions() []route {
	return []route{
		{api.Route{ID: "message-stream", Method: http.MethodPost, Path: wire.PathMessageStream, Access: api.Player,
			Limit: api.LimitChat, Idempotent: true, Success: []int{200}, MaxBody: wire.MaxBody}, h.streamReply(false)},
		{api.Route{ID: "generate", Method: http.MethodPost, Path: wire.PathGenerate, Access: api.Account,
			Limit: api.LimitGeneration, Success: []int{200}, MaxBody: wire.MaxBody, CountsTokens: true},
			respondWith(h.generateDraft)},
		{api.Route{ID: "trace", Method: http.MethodGet, Path: wire.PathTrace, Access: api.Player, Limit: api.LimitGeneral,
			Success: []int{200}, HasPages: true}, respondInPages("turns", h.openTrace)},
		{api.Route{ID: "fork", Method: http.MethodPost, Path: wire.PathFork, Access: api.Player, Limit: api.LimitChat,
			Idempotent: true, Success: []int{201}, MaxBody: wire.MaxBody}, respondWith(h.fork)},
		{api.Route{ID: "branches", Method: http.MethodGet, Path: wire.PathBranches, Access: api.Player,
			Limit: api.LimitGeneral, Success: []int{200}}, respondWith(h.listBranches)},
		{api.Route{ID: "list-sessions", Method: http.MethodGet, Path: wire.PathSessions, Access: api.Account,
			Limit: api.LimitGeneral, Success: []int{200}, HasPages: true}, respondWith(h.listOwned)},
		{api.Route{ID: "delete-session", Method: http.MethodDelete, Path: wire.PathOwnedSession, Access: api.Account,
			Limit: api.LimitGeneral, Success: []int{204}}, confirmDone(h.deleteOwned)},
		{api.Route{ID: "list-api-keys", Method: http.MethodGet, Path: wire.PathAPIKeys, Access: api.Account,
			Limit: api.LimitGeneral, Success: []int{200}}, respondWith(h.listKeys)},
		{api.Route{ID: "revoke-api-key", Method: http.MethodDelete, Path: wire.PathAPIKey, Access: api.Account,
			Limit: api.LimitGeneral, Success: []int{204}}, confirmDone(h.revokeKey)},
	}
}

func (h *handlers) sdkRoutes() []route {
	return []route{
		{api.Route{ID: "sdk-list-personas", Method: http.MethodGet, Path: wire.PathSDKPersonas, Access: api.SDK,
			Limit: api.LimitSDKGeneral, Success: []int{200}}, h.listForSDK},
		{api.Route{ID: "sdk-machines", Method: http.MethodGet, Path: wire.PathSDKMachines, Access: api.SDK,
			Limit: api.LimitSDKGeneral, Success: []int{200}}, respondWith(h.listAvailable)},
		{api.Route{ID: "sdk-session", Method: http.MethodGet, Path: wire.PathSDKSession, Access: api.SDK,
			Limit: api.LimitSDKGeneral, Success: []int{200}}, respondWith(h.getSession)},
		{api.Route{ID: "sdk-init-session", Method: http.MethodPost, Path: wire.PathSDKInitSession, Access: api.SDKPlayer,
			Limit: api.LimitSDKGeneral, Idempotent: true, Success: []int{200}, MaxBody: wire.MaxBody, CountsTokens: true,
			MayStream: true}, h.initSession},
		{api.Route{ID: "sdk-message", Method: http.MethodPost, Path: wire.PathSDKMessage, Access: api.SDKPlayer,
			Limit: api.LimitSDKChat, Idempotent: true, Success: []int{200}, MaxBody: wire.MaxBody, CountsTokens: true},
			respondWith(h.sendSDKMessage)},
		{api.Route{ID: "sdk-message-stream", Method: http.MethodPost, Path: wire.PathSDKMessageStream,
			Access: api.SDKPlayer, Limit: api.LimitSDKChat, Idempotent: true, Success: []int{200}, MaxBody: wire.MaxBody},
			h.streamReply(true)},
		{api.Route{ID: "sdk-history", Method: http.MethodGet, Path: wire.PathSDKHistory, Access: api.SDK,
			Limit: api.LimitSDKGeneral, Success: []int{200}, HasPages: true}, respondInPages("messages", h.openSDKHistory)},
		{api.Route{ID: "sdk-reset", Method: http.MethodPost, Path: wire.PathSDKReset, Access: api.SDK,
			Limit: api.LimitSDKGeneral, Success: []int{200}, MaxBody: wire.MaxBody}, respondWith(h.resetSession)},
		{api.Route{ID: "sdk-fork", Method: http.MethodPost, Path: wire.PathSDKFork, Access: api.SDK,
			Limit: api.LimitSDKChat, Idempotent: true, Success: []int{201}, MaxBody: wire.MaxBody}, respondWith(h.fork)},
		{api.Route{ID: "sdk-branches", Method: http.MethodGet, Path: wire.PathSDKBranches, Access: api.SDK,
			Limit: api.LimitSDKGeneral, Success: []int{200}}, respondWith(h.listBranches)},
		{api.Route{ID: "sdk-validate-llm-key", Method: http.MethodPost, Path: wire.PathSDKValidate, Access: api.SDKPlayer,
			Limit: api.LimitSDKGeneral, Success: []int{200}, MaxBody: wire.MaxBody}, respondWith(h.validateLLMKey)},
	}
}

func knownRoutes() []api.Route {
	table := new(handlers).routeTable()
	list := make([]api.Route, len(table))
	for i := range table {
		list[i] = table[i].Route
	}
	return list
}

func describeInterface() ([]byte, error) {
	types := mountRoutes(http.NewServeMux(), new(handlers).routeTable(), nil, nil).OpenAPI()
	return api.Describe(types, knownRoutes(), listPages())
}

// Endpoint describes an endpoint for commands.
type Endpoint struct {
	Method  string `json:"method"`
	Path    string `json:"path"` // a pattern
	Summary string `json:"summary"`
	// SDK endpoints require an API key. ModelKey endpoints also require the key of a model
	// provider. Idempotent endpoints support an Idempotency-Key.
	SDK        bool `json:"sdk"`
	ModelKey   bool `json:"model_key"`
	Idempotent bool `json:"idempotent"`
}

// Endpoints lists the endpoints of the API, followed by the server's pages.
func Endpoints() []Endpoint {
	var list []Endpoint
	for _, r := range knownRoutes() {
		list = append(list, Endpoint{
			Method: r.Method, Path: r.Path, Summary: api.Summary(&r),
			SDK: r.Access.NeedsAPIKey(), ModelKey: r.Access.NeedsModelKey(), Idempotent: r.Idempotent,
		})
	}
	for _, p := range listPages() {
		list = append(list, Endpoint{Method: http.MethodGet, Path: p.Path, Summary: p.Summary})
	}
	return list
}

func mountRoutes(mux *http.ServeMux, table []route, checks *api.Checker, log *slog.Logger) huma.API {
	routes := humago.New(mux, humaConfig())
	for i := range table {
		row := &table[i]
		row.register(routes, huma.Operation{
			OperationID:     row.ID,
			Method:          row.Method,
			Path:            row.Path,
			DefaultStatus:   row.Success[0],
			Middlewares:     huma.Middlewares{admitCalls(&row.Route, checks, log)},
			MaxBodyBytes:    -1, // admitCalls has already read the body.
			BodyReadTimeout: -1,
		}, log)
	}
	limitBodies(routes.OpenAPI().Components.Schemas.Map())
	return routes
}
