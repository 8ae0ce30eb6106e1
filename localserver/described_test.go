package localserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

const checkedIn = "../docs/openapi.json"

func TestOpenAPIFresh(t *testing.T) {
	h := begin(t)
	served := h.send("", "GET", "/openapi.json", "").is(200)
	assert.Golden(t, checkedIn, served.body)
}

// TestOpenAPIComplete: the document is valid, and describes every row of the tables.
func TestOpenAPIComplete(t *testing.T) {
	d := description()
	assert.NoError(t, d.doc.Validate(t.Context()))
	h := begin(t)
	id := h.publishPersona()
	for _, p := range listPages() {
		answer := h.send("", "GET", wire.Path(p.Path, id), "").is(p.Success[0])
		kind := answer.header.Get("Content-Type")
		assert.True(t, strings.HasPrefix(kind, p.ContentType), "%s is %s, want %s", p.Path, kind, p.ContentType)
	}
	for i := range routes {
		row := &routes[i]
		op := d.doc.Paths.Value(row.Path).GetOperation(row.Method)
		if op == nil || op.OperationID != row.ID || op.Summary == "" || op.Description == "" || len(op.Tags) != 1 || op.Security == nil {
			t.Errorf("%s is not described: %+v", row.ID, op)
			continue
		}
		for _, p := range op.Parameters {
			assert.True(t, p.Value.Description != "", "%s: parameter %s has no meaning", row.ID, p.Value.Name)
		}
	}
	for name, s := range d.doc.Components.Schemas {
		for member, m := range s.Value.Properties {
			assert.True(t, m.Value.Description != "" || strings.HasPrefix(name, api.DocumentPrefix), "%s.%s has no meaning", name, member)
		}
	}
}

func TestUndescribedAnswersAreFound(t *testing.T) {
	d := description()
	item := `{"id":"x","name":"x","description":"x","is_public":true,"created_at":"2026-01-31T12:00:00.000Z"}`
	wait, flat, nested := `{"error":"x"}`, `{"error":"x","code":"x","request_id":"x"}`, `{"error":{"message":"x","code":"x","request_id":"x"}}`
	for _, c := range []struct {
		path   string
		status int
		body   string
		header string
		fails  string // a part of the error; empty if the answer matches
	}{
		{wire.PathPersonas, 200, "[" + item + "]", "", ""},
		{wire.PathPersonas, 200, "[" + strings.Replace(item, `"id":"x",`, "", 1) + "]", "", "property \"id\" is missing"},
		{wire.PathPersonas, 200, "[" + strings.Replace(item, `"id"`, `"extra":1,"id"`, 1) + "]", "", "\"extra\" is unsupported"},
		{wire.PathPersonas, 201, "[]", "", "status is not supported"},
		{wire.PathPersonas, 422, flat, "", ""},
		{wire.PathPersonas, 422, nested, "", "must be a string"},
		{wire.PathPersonas, 429, wait, "", "\"Retry-After\" missing"},
		{wire.PathPersonas, 429, wait, "Retry-After: 3", ""},
		{wire.PathSDKPersonas, 403, nested, "", ""},
		{wire.PathSDKPersonas, 403, flat, "", "is unsupported"},
		{wire.Prefix + "/nothing", 404, flat, "", ""},
		{wire.Prefix + "/nothing", 200, flat, "", "not described"},
	} {
		t.Run(caseName(c.path, c.status, c.header, c.body), func(t *testing.T) {
			r := assert.Value(http.NewRequestWithContext(t.Context(), "GET", "http://127.0.0.1"+c.path, nil))(t)
			header := http.Header{"Content-Type": {api.ContentJSON}, "X-Request-Id": {"x"}}
			if name, value, ok := strings.Cut(c.header, ": "); ok {
				header.Set(name, value)
			}
			if err := d.check(r, c.status, header, []byte(c.body)); (err == nil) != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%s %d %s %s: %v; want %q", c.path, c.status, c.header, c.body, err, c.fails)
			}
		})
	}
	stream := "event: metadata\ndata: {}\n\n"
	err := d.checkEvents(d.routes["POST "+wire.PathMessageStream], []byte(stream))
	assert.True(t, err != nil, "a stream of nothing passes")
}

type described struct {
	doc    *openapi3.T
	mux    *http.ServeMux
	routes map[string]*routers.Route
}

var description = sync.OnceValue(func() *described {
	text, err := describeInterface()
	if err != nil {
		panic(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(closeSchemas(text))
	if err != nil {
		panic(err)
	}
	d := &described{doc: doc, mux: http.NewServeMux(), routes: map[string]*routers.Route{}}
	for _, kind := range []string{api.ContentEvents, api.ContentHTML, api.ContentText} {
		openapi3filter.RegisterBodyDecoder(kind, openapi3filter.PlainBodyDecoder)
	}
	for p, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			pattern := method + " " + p
			if p == "/" {
				pattern += "{$}"
			}
			d.mux.HandleFunc(pattern, func(http.ResponseWriter, *http.Request) {})
			d.routes[pattern] = &routers.Route{Spec: doc, Path: p, PathItem: item, Method: method, Operation: op}
		}
	}
	return d
})

func closeSchemas(text []byte) []byte {
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		panic(err)
	}
	for name, s := range doc["components"].(map[string]any)["schemas"].(map[string]any) {
		schema := s.(map[string]any)
		open := name == "PersonaCore" || strings.HasPrefix(name, api.DocumentPrefix) || strings.HasSuffix(name, "Body")
		if schema["properties"] != nil && !open {
			schema["additionalProperties"] = false
		}
	}
	text, err := json.Marshal(doc)
	if err != nil {
		panic(err)
	}
	return text
}

func (d *described) check(r *http.Request, status int, header http.Header, body []byte) error {
	_, pattern := d.mux.Handler(r)
	route := d.routes[pattern]
	if route == nil || !api.IsClean(r.URL.Path) {
		return d.checkUnknown(r, status, body)
	}
	in := &openapi3filter.RequestValidationInput{
		Request: r, Route: route, PathParams: pathParams(route.Path, r.URL.EscapedPath()),
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, IncludeResponseStatus: true},
	}
	if status < 300 && r.Method != http.MethodHead {
		if err := checkRequest(r, in); err != nil {
			return err
		}
	}
	out := &openapi3filter.ResponseValidationInput{RequestValidationInput: in, Status: status, Header: header, Options: in.Options}
	out.SetBodyBytes(body)
	if err := openapi3filter.ValidateResponse(r.Context(), out); err != nil {
		return err
	}
	if strings.HasPrefix(header.Get("Content-Type"), api.ContentEvents) {
		return d.checkEvents(route, body)
	}
	return nil
}

func checkRequest(r *http.Request, in *openapi3filter.RequestValidationInput) error {
	again := r.Clone(r.Context())
	if in.Options.ExcludeRequestBody = r.GetBody == nil; r.GetBody != nil {
		again.Body, _ = r.GetBody()
		again.Header.Set("Content-Type", api.ContentJSON)
	}
	in.Request = again
	return openapi3filter.ValidateRequest(r.Context(), in)
}

func (d *described) checkUnknown(r *http.Request, status int, body []byte) error {
	if !strings.HasPrefix(r.URL.Path, wire.Prefix) || r.Method == http.MethodHead {
		return nil
	}
	name := api.ErrorName(status)
	if strings.HasPrefix(r.URL.Path, wire.PrefixSDK) {
		name = "SDK" + name
	}
	response := d.doc.Components.Responses[name]
	if response == nil {
		return fmt.Errorf("status %d for a path that is not described", status)
	}
	return visit(response.Value.Content[api.ContentJSON].Schema.Value, body)
}

func visit(schema *openapi3.Schema, text []byte) error {
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return err
	}
	return schema.VisitJSON(value, openapi3.EnableJSONSchema2020(), openapi3.VisitAsResponse())
}

var streamComment = regexp.MustCompile("(?m)^:.*\n")

func (d *described) checkEvents(route *routers.Route, body []byte) error {
	events := route.Operation.Responses.Value("200").Value.Content[api.ContentEvents].Extensions["x-events"].(map[string]any)
	// On a slow machine a stream has a comment, which every reader passes over (docs/interface.md).
	blocks := strings.Split(streamComment.ReplaceAllString(string(body), ""), "\n\n")
	for i, block := range blocks[:len(blocks)-1] {
		name, data, ok := strings.Cut(strings.TrimPrefix(block, "event: "), "\ndata: ")
		if !ok || strings.Contains(data, "\n") || (i == 0) != (name == wire.EventMetadata) {
			return fmt.Errorf("event %d is %q", i, block)
		}
		ref, ok := events[name].(map[string]any)
		if !ok {
			return fmt.Errorf("event %q is not described", name)
		}
		schema := d.doc.Components.Schemas[path.Base(ref["$ref"].(string))].Value
		if err := visit(schema, []byte(data)); err != nil {
			return fmt.Errorf("event %s: %w", name, err)
		}
	}
	return nil
}

func pathParams(pattern, p string) map[string]string {
	params, values := map[string]string{}, strings.Split(p, "/")
	for i, segment := range strings.Split(pattern, "/") {
		if strings.HasPrefix(segment, "{") && i < len(values) {
			params[strings.Trim(segment, "{}")] = values[i]
		}
	}
	return params
}

// clientOf returns a client that compares answers with the document. In benchmarks it does not,
// because that would count as time of the server.
func clientOf(t testing.TB) *http.Client {
	transport := &http.Transport{MaxIdleConnsPerHost: 32}
	if _, bench := t.(*testing.B); bench {
		return &http.Client{Transport: transport}
	}
	return &http.Client{Transport: &witness{TB: t, Transport: transport}}
}

type witness struct {
	testing.TB
	*http.Transport
}

// RoundTrip makes the request.
func (w *witness) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := w.Transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	copied := &copiedBody{ReadCloser: answer.Body}
	copied.end = func(body []byte) {
		err := description().check(r, answer.StatusCode, answer.Header, body)
		assert.True(w, err == nil, "%s %s answers what docs/openapi.json does not describe: %d %s\n%v", r.Method, r.URL.Path, answer.StatusCode, body, err)
	}
	answer.Body = copied
	return answer, nil
}

type copiedBody struct {
	io.ReadCloser
	text bytes.Buffer
	end  func([]byte)
	once sync.Once
}

func (b *copiedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.text.Write(p[:n])
	if errors.Is(err, io.EOF) {
		b.once.Do(func() { b.end(b.text.Bytes()) })
	}
	return n, err
}
