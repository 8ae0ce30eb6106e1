package localserver

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/localserver/play"
	"github.com/parley-npc/parley/personas/wire"
)

// registration puts one row's handler behind the row's path.
type registration func(routes huma.API, op huma.Operation, log *slog.Logger)

// output is an answer as huma wants it.
type output[T any] struct {
	Status    int
	Replayed  string `header:"Idempotency-Replayed"`
	TokensIn  string `header:"X-LLM-Tokens-In"`
	TokensOut string `header:"X-LLM-Tokens-Out"`
	Body      T
}

// respondWith registers a handler that answers with a value.
func respondWith[I, O any](handle func(context.Context, *call, *I) (O, error)) registration {
	return func(routes huma.API, op huma.Operation, log *slog.Logger) {
		huma.Register(routes, op, func(ctx context.Context, in *I) (*output[O], error) {
			c := callOf(ctx)
			value, err := handle(ctx, c, in)
			switch {
			case err != nil:
				return nil, api.ForCaller(ctx, log, err)
			case c.answered:
				return nil, nil
			}
			out := &output[O]{Status: op.DefaultStatus, Body: value}
			if c.status != 0 {
				out.Status = c.status
			}
			if c.replayed {
				out.Replayed = "true"
			}
			if c.tokens != (wire.Tokens{}) {
				out.TokensIn, out.TokensOut = strconv.Itoa(c.tokens.In), strconv.Itoa(c.tokens.Out)
			}
			return out, nil
		})
	}
}

// confirmDone registers a handler that only confirms success.
func confirmDone[I any](handle func(context.Context, *call, *I) error) registration {
	return func(routes huma.API, op huma.Operation, log *slog.Logger) {
		huma.Register(routes, op, func(ctx context.Context, in *I) (*struct{}, error) {
			if err := handle(ctx, callOf(ctx), in); err != nil {
				return nil, api.ForCaller(ctx, log, err)
			}
			return &struct{}{}, nil
		})
	}
}

// mountRoutes adds every row of the table to the mux, behind its checks. The returned API has the
// types of all operations.
func mountRoutes(mux *http.ServeMux, table []route, checks *api.Checker, log *slog.Logger) huma.API {
	routes := humago.New(mux, humaConfig())
	for i := range table {
		row := &table[i]
		row.register(routes, huma.Operation{
			OperationID:   row.ID,
			Method:        row.Method,
			Path:          row.Path,
			DefaultStatus: row.Success[0],
			Middlewares:   huma.Middlewares{admitCalls(&row.Route, checks, routes.OpenAPI().Components.Schemas, log)},
			// The body is read and bounded before huma sees it (see call).
			MaxBodyBytes:    -1,
			BodyReadTimeout: -1,
		}, log)
	}
	return routes
}

// admitCalls runs the checks of a row before its handler.
func admitCalls(row *api.Route, checks *api.Checker, schemas huma.Registry, log *slog.Logger) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		r, w := humago.Unwrap(ctx)
		admitted, err := checks.Admit(row, w, r)
		if err != nil {
			api.Write(w, r, api.ForCaller(r.Context(), log, err))
			return
		}
		defer admitted.Release()
		names, err := readBodyNames(row, r.URL.Query(), admitted.Body)
		if err != nil {
			api.Write(w, r, api.ForCaller(r.Context(), log, err))
			return
		}
		next(&call{humaContext: ctx, Call: admitted, schemas: schemas, bodyNames: names})
	}
}

// humaConfig is huma without its additions: $schema members and Link headers (CreateHooks), a
// documentation page that loads an external script, and errors in another shape.
func humaConfig() huma.Config {
	c := huma.DefaultConfig("Parley", "")
	c.CreateHooks = nil
	c.OpenAPIPath, c.DocsPath, c.SchemasPath = "", "", ""
	c.Transformers = []huma.Transformer{shapeError}
	c.AllowAdditionalPropertiesByDefault = true
	c.Components.Schemas = api.NewRegistry()
	format := huma.Format{Marshal: writeJSON, Unmarshal: readJSON}
	c.Formats = map[string]huma.Format{api.ContentJSON: format, "json": format}
	return c
}

// writeJSON writes an answer. It ignores that the caller has gone: otherwise huma would append
// another status and body, or panic.
func writeJSON(w io.Writer, answer any) error {
	return huma.DefaultJSONFormat.Marshal(answerWriter{w}, answer)
}

// answerWriter hides that a caller has gone.
type answerWriter struct{ to io.Writer }

func (w answerWriter) Write(p []byte) (int, error) {
	_, _ = w.to.Write(p)
	return len(p), nil
}

// humaContext lets huma.Context be embedded although it has a method Context.
type humaContext huma.Context

// call is one request on its way to a handler: the admitted caller, and the handler's changes to
// the answer beside its value. It replaces huma's own context, which counts a body of exactly the
// limit as too large, and which cannot change the status of huma's errors.
type call struct {
	humaContext
	*api.Call
	// schemas are the schemas of all bodies.
	schemas huma.Registry
	// bodyNames are the names of a session that are in the body.
	bodyNames map[string]string
	status    int
	replayed  bool
	// answered means that the handler has written the answer itself.
	answered bool
	// tokens is the cost of the call; zero if no provider was asked.
	tokens wire.Tokens
}

// playerRef identifies the player of a call. On the SDK side each owner of keys has a separate
// namespace without users.
func (c *call) playerRef(personaID, userSessionID, machine string) play.Ref {
	return play.Ref{
		Space: c.Key.OwnerID, PersonaID: personaID, UserID: c.User.ID, UserSessionID: userSessionID, Machine: machine,
	}
}

type callKey struct{}

func callOf(ctx context.Context) *call { return ctx.Value(callKey{}).(*call) }

// Context returns the request's context, which includes the call for the handler.
func (c *call) Context() context.Context {
	return context.WithValue(c.humaContext.Context(), callKey{}, c)
}

// BodyReader returns the body that was read already; a body of white space only counts as empty.
func (c *call) BodyReader() io.Reader {
	return bytes.NewReader(dropMisspeltMembers(bytes.TrimSpace(c.Body)))
}

// Param returns a path parameter: an id in its stored form, regardless of case.
func (c *call) Param(name string) string { return identity.FoldID(c.humaContext.Param(name)) }

// Query returns a parameter of the query with its id in stored form, or the member of the same name
// in the body if it identifies a session. A machine's key may look like an id, so the store finds
// machines (store.Machines.FindID), and a player's session id is any text.
func (c *call) Query(name string) string {
	value := cmp.Or(c.humaContext.Query(name), c.bodyNames[name])
	if name == "persona_id" {
		value = identity.FoldID(value)
	}
	return value
}

// Header returns a request's header; that the body is JSON is known already.
func (c *call) Header(name string) string {
	if name == "Content-Type" {
		return api.ContentJSON
	}
	return c.humaContext.Header(name)
}

// SetReadDeadline is a no-op, because the body was read already.
func (c *call) SetReadDeadline(time.Time) error { return nil }

// SetStatus writes the status that the call has chosen, else huma's. It writes none if the answer
// was written already.
func (c *call) SetStatus(status int) {
	if c.status != 0 {
		status = c.status
	}
	if !c.answered {
		c.humaContext.SetStatus(status)
	}
}
