package localserver

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"log/slog"
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

type output[T any] struct {
	Status    int
	Replayed  string `header:"Idempotency-Replayed"`
	TokensIn  string `header:"X-LLM-Tokens-In"`
	TokensOut string `header:"X-LLM-Tokens-Out"`
	Body      T
}

func respondWith[I, O any](handle func(context.Context, *call, *I) (O, error)) registration {
	return func(routes huma.API, op huma.Operation, log *slog.Logger) {
		huma.Register(routes, op, func(ctx context.Context, input *I) (*output[O], error) {
			c := callOf(ctx)
			value, err := handle(ctx, c, input)
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
		huma.Register(routes, op, func(ctx context.Context, input *I) (*struct{}, error) {
			if err := handle(ctx, callOf(ctx), input); err != nil {
				return nil, api.ForCaller(ctx, log, err)
			}
			return &struct{}{}, nil
		})
	}
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
		if row.Path != wire.PathSave { // readDocument checks this body.
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

// humaConfig disables $schema members, Link headers, the documentation page with an external
// script, and huma's error format.
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

// writeJSON ignores write errors of a closed connection. After an error, huma would append another
// body or panic.
func writeJSON(w io.Writer, answer any) error {
	return huma.DefaultJSONFormat.Marshal(answerWriter{w}, answer)
}

type answerWriter struct{ to io.Writer }

func (w answerWriter) Write(p []byte) (int, error) {
	_, _ = w.to.Write(p)
	return len(p), nil
}

// humaContext renames huma.Context, because an embedded field Context would hide the method
// Context.
type humaContext huma.Context

// call replaces huma's own context. The original rejects a body of exactly the maximum size, and
// cannot change the status of huma's errors.
type call struct {
	humaContext
	*api.Call
	bodyNames map[string]string
	body      []byte // without unusable members
	status    int
	replayed  bool
	answered  bool
	tokens    wire.Tokens
}

// At the SDK endpoints, the owner of the API key is the namespace of players.
func (c *call) playerRef(personaID, userSessionID, machine string) play.Ref {
	return play.Ref{
		Space: c.Key.OwnerID, PersonaID: personaID, UserID: c.User.ID, UserSessionID: userSessionID, Machine: machine,
	}
}

type callKey struct{}

func callOf(ctx context.Context) *call { return ctx.Value(callKey{}).(*call) }

// Context returns the request's context with the call as a value.
func (c *call) Context() context.Context {
	return context.WithValue(c.humaContext.Context(), callKey{}, c)
}

// BodyReader returns the body without unusable members.
func (c *call) BodyReader() io.Reader { return bytes.NewReader(c.body) }

// Param returns a path parameter. All path parameters are ids, and Param returns an id in its
// stored form.
func (c *call) Param(name string) string { return identity.FoldID(c.humaContext.Param(name)) }

// Query returns a query parameter. The body may contain sessionNames instead. A persona_id is
// returned in its stored form. A machine_id is unchanged, because a machine's key may look like an
// id.
func (c *call) Query(name string) string {
	value := cmp.Or(c.humaContext.Query(name), c.bodyNames[name])
	if name == "persona_id" {
		value = identity.FoldID(value)
	}
	return value
}

// Header returns a request header. Content-Type is always JSON, because Admit has checked the
// header.
func (c *call) Header(name string) string {
	if name == "Content-Type" {
		return api.ContentJSON
	}
	return c.humaContext.Header(name)
}

// SetReadDeadline does nothing, because Admit has already read the body.
func (c *call) SetReadDeadline(time.Time) error { return nil }

// SetStatus writes the handler's status, or the given status if the handler set none. It does
// nothing after the handler has written the response.
func (c *call) SetStatus(status int) {
	if c.status != 0 {
		status = c.status
	}
	if !c.answered {
		c.humaContext.SetStatus(status)
	}
}

func shapeError(ctx huma.Context, _ string, value any) (any, error) {
	c, ok := ctx.(*call)
	if !ok {
		return value, nil
	}
	switch e := value.(type) {
	case *api.Error:
		c.status = e.Status
		return e.Answer(c.Context(), c.URL().Path), nil
	case *huma.ErrorModel:
		refusal := refuseInput(e)
		c.status = refusal.Status
		ctx.SetHeader("Content-Type", api.ContentJSON)
		return refusal.Answer(c.Context(), c.URL().Path), nil
	}
	return value, nil
}
