package localserver

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/play"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/wire"
)

// binder puts one row's handler behind the row's path.
type binder func(*service, huma.API, huma.Operation)

// output is an answer as huma wants it.
type output[T any] struct {
	Status    int
	Replayed  string `header:"Idempotency-Replayed"`
	TokensIn  string `header:"X-LLM-Tokens-In"`
	TokensOut string `header:"X-LLM-Tokens-Out"`
	Body      T
}

// answer binds a handler that answers with a value.
func answer[I, O any](handle func(*service, context.Context, *call, *I) (O, error)) binder {
	return func(s *service, api huma.API, op huma.Operation) {
		huma.Register(api, op, func(ctx context.Context, in *I) (*output[O], error) {
			c := callOf(ctx)
			value, err := handle(s, ctx, c, in)
			if err != nil {
				return nil, s.fail(ctx, err)
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

// done binds a handler that has nothing to answer but that it is done.
func done[I any](handle func(*service, context.Context, *call, *I) error) binder {
	return func(s *service, api huma.API, op huma.Operation) {
		huma.Register(api, op, func(ctx context.Context, in *I) (*struct{}, error) {
			if err := handle(s, ctx, callOf(ctx), in); err != nil {
				return nil, s.fail(ctx, err)
			}
			return &struct{}{}, nil
		})
	}
}

// mount puts every row of the table on the mux. What comes back knows the types
// of all operations.
func (s *service) mount(mux *http.ServeMux) huma.API {
	api := humago.New(mux, s.config())
	for i := range routes {
		row := &routes[i]
		row.bind(s, api, huma.Operation{
			OperationID:   row.id,
			Method:        row.method,
			Path:          row.path,
			DefaultStatus: row.success[0],
			Middlewares:   huma.Middlewares{s.admit(row)},
			// The body is read and bounded before huma sees it (see call).
			MaxBodyBytes:    -1,
			BodyReadTimeout: -1,
		})
	}
	return api
}

// config is huma without what it adds of its own: no $schema members and Link
// headers (CreateHooks), no documentation page that loads a script from
// elsewhere, and no errors in its own shape.
func (s *service) config() huma.Config {
	c := huma.DefaultConfig("Parley", s.version)
	c.CreateHooks = nil
	c.OpenAPIPath, c.DocsPath, c.SchemasPath = "", "", ""
	c.Transformers = []huma.Transformer{shapeErrors}
	c.AllowAdditionalPropertiesByDefault = true
	c.Components.Schemas = registry()
	c.Formats = map[string]huma.Format{"application/json": huma.DefaultJSONFormat, "json": huma.DefaultJSONFormat}
	return c
}

// humaContext lets huma.Context be embedded although it has a method Context.
type humaContext huma.Context

// call is one request on its way to a handler: who calls, the body, and what the
// handler says about the answer beside its value. It stands in for huma's own
// context, which counts a body of exactly the limit as too large, and which
// cannot change the status of its own errors.
type call struct {
	humaContext
	// user is the signed-in caller; its ID is "" without a token.
	user identity.User
	// key is the API key of a call of the SDK side; its ID is "" on the web side.
	key store.Key
	// lent is what a caller of the SDK side brings for the model.
	lent        llm.Caller
	body        []byte
	idempotency play.Idempotency
	status      int
	replayed    bool
	// tokens are what the call cost; zero where no provider was asked.
	tokens wire.Tokens
}

type callKey struct{}

func callOf(ctx context.Context) *call { return ctx.Value(callKey{}).(*call) }

// Context is the request's context, in which a handler finds the call.
func (c *call) Context() context.Context {
	return context.WithValue(c.humaContext.Context(), callKey{}, c)
}

// BodyReader gives the body that was read already.
func (c *call) BodyReader() io.Reader { return bytes.NewReader(exactNames(c.body)) }

// Header gives a request's header; that the body is JSON is known already.
func (c *call) Header(name string) string {
	if name == "Content-Type" {
		return contentJSON
	}
	return c.humaContext.Header(name)
}

// SetReadDeadline does nothing: the body was read already.
func (c *call) SetReadDeadline(time.Time) error { return nil }

// SetStatus writes the status that the call has decided on, else huma's.
func (c *call) SetStatus(status int) {
	if c.status != 0 {
		status = c.status
	}
	c.humaContext.SetStatus(status)
}

// shapeErrors gives every error the service's shape: those of handlers and those
// of huma itself.
func shapeErrors(ctx huma.Context, _ string, value any) (any, error) {
	c, ok := ctx.(*call)
	if !ok {
		return value, nil
	}
	switch e := value.(type) {
	case *failure:
		c.status = e.Status
		return e.body(c.Context(), c.URL().Path), nil
	case *huma.ErrorModel:
		f := refuseInput(e)
		c.status = f.Status
		ctx.SetHeader("Content-Type", contentJSON)
		return f.body(c.Context(), c.URL().Path), nil
	}
	return value, nil
}

// refuseInput words huma's refusal of a request. What the caller sent is left
// out: only places and rules are named.
func refuseInput(e *huma.ErrorModel) *failure {
	refusal := &wire.Error{Status: e.Status, Code: wire.CodeInvalid}
	for _, d := range e.Errors {
		if d != nil {
			refusal.Details = append(refusal.Details, inputDetail(d))
		}
	}
	unreadable := func(d *huma.ErrorDetail) bool { return d != nil && strings.HasPrefix(d.Message, "invalid ") }
	switch {
	case e.Status >= http.StatusInternalServerError:
		return internal(nil)
	case e.Status == http.StatusBadRequest:
		refusal.Code, refusal.Message = wire.CodeBadRequest, "the body is not valid JSON"
		if len(e.Errors) == 0 {
			refusal.Message = "the body is empty, it must be a JSON object"
		}
		return &failure{wireError: refusal}
	case slices.ContainsFunc(e.Errors, unreadable):
		refusal.Status, refusal.Code = http.StatusBadRequest, wire.CodeBadRequest
	}
	return &failure{wireError: firstFault(refusal)}
}

// wordings are huma's messages in our words; what huma says after said stands
// between before and after.
var wordings = []struct{ said, before, after string }{
	{"required ", "is required", ""},
	{"expected string to match pattern", "must not be empty", ""},
	{"expected string", "must be a text", ""},
	{"expected object", "must be an object", ""},
	{"expected length >= 1", "must not be empty", ""},
	{"expected length <= ", "must have at most ", " characters"},
	{"expected value to be one of ", "must be one of ", ""},
	{"expected number >= ", "must be at least ", ""},
	{"expected number <= ", "must be at most ", ""},
	{"invalid integer", "must be a whole number", ""},
	{"invalid boolean", "must be true or false", ""},
}

// inputDetail turns huma's place ("body.message", "query.limit") into a path and
// words its message.
func inputDetail(d *huma.ErrorDetail) wire.Detail {
	const before, after = "expected required property ", " to be present"
	_, path, _ := strings.Cut(d.Location, ".")
	if name, ok := strings.CutPrefix(d.Message, before); ok {
		path = strings.TrimPrefix(path+"."+strings.TrimSuffix(name, after), ".")
		return wire.Detail{Path: path, Message: "is required"}
	}
	return wire.Detail{Path: path, Message: worded(d.Message)}
}

func worded(message string) string {
	for _, w := range wordings {
		rest, ok := strings.CutPrefix(message, w.said)
		switch {
		case !ok:
		case w.after == "" && !strings.HasSuffix(w.before, " "):
			return w.before
		default:
			return w.before + strings.Trim(rest, `"`) + w.after
		}
	}
	return message
}

// firstFault makes the first detail the error's sentence.
func firstFault(e *wire.Error) *wire.Error {
	if len(e.Details) > 0 {
		first := e.Details[0]
		e.Message = strings.TrimPrefix(first.Path+": "+first.Message, ": ")
	}
	return e
}
