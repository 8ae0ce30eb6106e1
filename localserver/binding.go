package localserver

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
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

type registration func(routes huma.API, op huma.Operation, log *slog.Logger)

// output is an answer in the form that huma expects.
type output[T any] struct {
	Status    int
	Replayed  string `header:"Idempotency-Replayed"`
	TokensIn  string `header:"X-LLM-Tokens-In"`
	TokensOut string `header:"X-LLM-Tokens-Out"`
	Body      T
}

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

func mountRoutes(mux *http.ServeMux, table []route, checks *api.Checker, log *slog.Logger) huma.API {
	routes := humago.New(mux, humaConfig())
	for i := range table {
		row := &table[i]
		row.register(routes, huma.Operation{
			OperationID:   row.ID,
			Method:        row.Method,
			Path:          row.Path,
			DefaultStatus: row.Success[0],
			Middlewares:   huma.Middlewares{admitCalls(&row.Route, checks, log)},
			// admitCalls has already read the body and checked its size.
			MaxBodyBytes:    -1,
			BodyReadTimeout: -1,
		}, log)
	}
	limitBodies(routes.OpenAPI().Components.Schemas.Map())
	return routes
}

func admitCalls(row *api.Route, checks *api.Checker, log *slog.Logger) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		r, w := humago.Unwrap(ctx)
		admitted, err := checks.Admit(row, w, r)
		if err != nil {
			api.Write(w, r, api.ForCaller(r.Context(), log, err))
			return
		}
		defer admitted.Release()
		c := &call{humaContext: ctx, Call: admitted}
		if row.Path != wire.PathSave { // savePersona parses the body itself.
			query, members := r.URL.Query(), bodyMembers(bytes.TrimSpace(admitted.Body))
			var faults []wire.Detail
			if row.NamesSession() {
				c.bodyNames, faults = readNames(query, members)
			}
			if faults = append(faults, checkTexts(row, query, members)...); len(faults) > 0 {
				api.Write(w, r, api.ForCaller(r.Context(), log, api.Invalid(faults...)))
				return
			}
			c.body = usableMembers(bytes.TrimSpace(admitted.Body), members)
		}
		next(c)
	}
}

// humaConfig disables $schema members and Link headers (CreateHooks), a page that loads an external script,
// and errors in huma's own format.
func humaConfig() huma.Config {
	c := huma.DefaultConfig("Parley", "")
	c.CreateHooks = nil
	c.OpenAPIPath, c.DocsPath, c.SchemasPath = "", "", ""
	c.Transformers = []huma.Transformer{shapeError}
	c.AllowAdditionalPropertiesByDefault = true
	c.Components.Schemas = api.NewRegistry()
	format := huma.Format{Marshal: writeJSON, Unmarshal: json.Unmarshal}
	c.Formats = map[string]huma.Format{api.ContentJSON: format, "json": format}
	return c
}

// writeJSON writes an answer, and ignores errors. An error means that the caller has disconnected.
// If writeJSON returned it, huma would append another status and body, or panic.
func writeJSON(w io.Writer, answer any) error {
	return huma.DefaultJSONFormat.Marshal(answerWriter{w}, answer)
}

type answerWriter struct{ to io.Writer }

func (w answerWriter) Write(p []byte) (int, error) {
	_, _ = w.to.Write(p)
	return len(p), nil
}

// humaContext renames huma.Context, because an embedded field Context would conflict with the
// method Context.
type humaContext huma.Context

// call is an admitted request, and those parts of its answer that are not in the body. huma's own
// context cannot be used: it rejects a body of exactly the maximum size, and cannot change the
// status of huma's errors.
type call struct {
	humaContext
	*api.Call
	// bodyNames contains those of sessionNames that are in the body, with their values.
	bodyNames map[string]string
	body      []byte // without unusable members and white space around it
	status    int
	replayed  bool
	answered  bool
	// tokens is the number of tokens that the call used. It is zero if no request was sent to a
	// model provider.
	tokens wire.Tokens
}

// playerRef returns a reference to the player of a call. On the SDK side, players belong to the owner of the
// API key, who has a separate namespace.
func (c *call) playerRef(personaID, userSessionID, machine string) play.Ref {
	return play.Ref{
		Space: c.Key.OwnerID, PersonaID: personaID, UserID: c.User.ID, UserSessionID: userSessionID, Machine: machine,
	}
}

type callKey struct{}

func callOf(ctx context.Context) *call { return ctx.Value(callKey{}).(*call) }

// Context returns the request's context. callOf returns the call from that context.
func (c *call) Context() context.Context {
	return context.WithValue(c.humaContext.Context(), callKey{}, c)
}

// BodyReader returns the body, which Admit has read.
func (c *call) BodyReader() io.Reader { return bytes.NewReader(c.body) }

// Param returns a path parameter. All path parameters are ids. Param converts an id to its stored
// form.
func (c *call) Param(name string) string { return identity.FoldID(c.humaContext.Param(name)) }

// Query returns a query parameter. If one of sessionNames is not in the query, Query returns the
// member of the body. Query converts a persona_id to its stored form. It does not convert a
// machine_id, because the key of a machine may look like an id.
func (c *call) Query(name string) string {
	value := cmp.Or(c.humaContext.Query(name), c.bodyNames[name])
	if name == "persona_id" {
		value = identity.FoldID(value)
	}
	return value
}

// Header returns a request header. Content-Type is always JSON, because readBody checked it.
func (c *call) Header(name string) string {
	if name == "Content-Type" {
		return api.ContentJSON
	}
	return c.humaContext.Header(name)
}

// SetReadDeadline does nothing, because the body has already been read.
func (c *call) SetReadDeadline(time.Time) error { return nil }

// SetStatus writes the status that the handler has set. If that is 0, it writes huma's status. It
// writes nothing if the handler has already written the answer.
func (c *call) SetStatus(status int) {
	if c.status != 0 {
		status = c.status
	}
	if !c.answered {
		c.humaContext.SetStatus(status)
	}
}
