package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/wire"
)

const interfaceVersion = "1.0.0"

const (
	schemeToken = "bearerToken"
	schemeKey   = "apiKey"
)

// Describe returns the OpenAPI document. described must contain the types of all routes.
func Describe(described *huma.OpenAPI, routes []Route, pages []Page) ([]byte, error) {
	described.Info = &huma.Info{Title: "Persona chat service", Version: interfaceVersion, Description: aboutInterface}
	described.Servers = []*huma.Server{
		{URL: "/", Description: "The server that serves this document."},
		{URL: "http://127.0.0.1:8787", Description: "The default address of parley localserver."},
	}
	for _, t := range tags {
		described.Tags = append(described.Tags, &huma.Tag{Name: t.name, Description: t.text})
	}
	describeShared(described.Components)
	for i := range routes {
		describeRoute(described, &routes[i])
	}
	for i := range pages {
		describePage(described, &pages[i])
	}
	describeMembers(described.Components.Schemas)
	return writeDocument(described)
}

// Summary returns a short description of a route.
func Summary(route *Route) string { return textOf(route).summary }

// ErrorName returns the name of the OpenAPI response for a status.
func ErrorName(status int) string { return errorTexts[status].name }

func describeShared(components *huma.Components) {
	components.SecuritySchemes = map[string]*huma.SecurityScheme{
		schemeToken: {
			Type: "http", Scheme: "bearer", BearerFormat: "JWT",
			Description: "A token of the identity provider that the server trusts.",
		},
		schemeKey: {
			Type: "apiKey", In: "header", Name: wire.HeaderAPIKey,
			Description: "A key of POST /api/v1/sdk/api-keys.",
		},
	}
	components.Headers = map[string]*huma.Header{}
	for name, h := range responseHeaders {
		schema := &huma.Schema{Type: h.kind}
		components.Headers[name] = &huma.Header{Description: h.text, Required: h.always, Schema: schema}
	}
	components.Responses = map[string]*huma.Response{}
	for status, e := range errorTexts {
		web, sdk := reflect.TypeFor[wire.Error](), reflect.TypeFor[wire.SDKError]()
		if status == http.StatusTooManyRequests { // section Errors of the service's HTTP interface
			web, sdk = reflect.TypeFor[wire.RateLimited](), reflect.TypeFor[wire.RateLimited]()
		}
		components.Responses[e.name] = errorResponse(status, e.text, components.Schemas.Schema(web, true, ""))
		components.Responses["SDK"+e.name] = errorResponse(status, e.text, components.Schemas.Schema(sdk, true, ""))
	}
}

func headerRef(name string) *huma.Header { return &huma.Header{Ref: "#/components/headers/" + name} }

func errorResponse(status int, text string, schema *huma.Schema) *huma.Response {
	headers := map[string]*huma.Header{wire.HeaderRequestID: headerRef(wire.HeaderRequestID)}
	switch status {
	case http.StatusUnauthorized:
		headers["WWW-Authenticate"] = headerRef("WWW-Authenticate")
	case http.StatusTooManyRequests:
		headers[wire.HeaderRetryAfter] = headerRef(wire.HeaderRetryAfter)
		describeLimits(headers)
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		headers[wire.HeaderShouldRetry] = headerRef(wire.HeaderShouldRetry)
	}
	content := map[string]*huma.MediaType{ContentJSON: {Schema: schema}}
	return &huma.Response{Description: text, Headers: headers, Content: content}
}

func describeLimits(headers map[string]*huma.Header) {
	for name := range responseHeaders {
		if strings.HasPrefix(name, "RateLimit-") {
			headers[name] = headerRef(name)
		}
	}
}

func describeRoute(described *huma.OpenAPI, route *Route) {
	item := described.Paths[route.Path]
	operation := map[string]*huma.Operation{
		http.MethodGet: item.Get, http.MethodPost: item.Post, http.MethodDelete: item.Delete,
		http.MethodPut: item.Put, http.MethodPatch: item.Patch,
	}[route.Method]
	text := textOf(route)
	operation.Tags, operation.Summary, operation.Description = []string{text.tag}, text.summary, text.description
	operation.Security = securityOf(route)
	describeBody(operation, route)
	describeParameters(operation, route)
	describeSuccess(described.Components.Schemas, operation, route)
	delete(operation.Responses, "default")
	side := ""
	if route.IsSDK() {
		side = "SDK"
	}
	for _, status := range errorsOf(operation, route, text.errors) {
		ref := "#/components/responses/" + side + ErrorName(status)
		operation.Responses[strconv.Itoa(status)] = &huma.Response{Ref: ref}
	}
}

func textOf(route *Route) operationText {
	text, ok := operationTexts[route.ID]
	name, isSDK := strings.CutPrefix(route.ID, "sdk-")
	if !ok && isSDK {
		text = operationTexts[name]
	}
	if isSDK {
		text.tag = tagSDK
	}
	return text
}

func securityOf(route *Route) []map[string][]string {
	token := map[string][]string{schemeToken: {}}
	nobody := map[string][]string{} // makes credentials optional
	switch route.Access {
	case Account:
		return []map[string][]string{token}
	case Optional, Player:
		return []map[string][]string{nobody, token}
	}
	return []map[string][]string{{schemeKey: {}}}
}

func describeBody(operation *huma.Operation, route *Route) {
	if route.Method != http.MethodPost { // OpenAPI allows no other bodies
		operation.RequestBody = nil
	}
	if route.Path != wire.PathSave { // only the body of save has no Go type
		return
	}
	operation.RequestBody = &huma.RequestBody{
		Required: true, Description: "A persona document, in the format of a persona file.",
		Content: map[string]*huma.MediaType{ContentJSON: {Schema: documentSchema("Persona")}},
	}
}

func describeParameters(operation *huma.Operation, route *Route) {
	if route.Idempotent {
		maxLength := wire.MaxIdempotencyKey
		operation.Parameters = append(operation.Parameters, &huma.Param{
			Name: wire.HeaderIdempotencyKey, In: "header",
			Schema: &huma.Schema{Type: huma.TypeString, MaxLength: &maxLength},
		})
	}
	if route.Access.NeedsModelKey() {
		operation.Parameters = append(operation.Parameters, modelKeyParameters()...)
	}
	for _, p := range operation.Parameters {
		p.Description = parameterTexts[p.Name]
		if p.Schema.Format == "int64" {
			p.Schema.Format = ""
		}
	}
}

func modelKeyParameters() []*huma.Param {
	var list []*huma.Param
	for _, step := range []string{"", "Eval-", "Response-", "Summarization-"} {
		for kind, limit := range map[string]int{"API-Key": MaxModelKey, "Model": MaxModelName} {
			name := "X-LLM-" + step + kind
			list = append(list, &huma.Param{
				Name: name, In: "header", Required: name == wire.HeaderLLMKey,
				Schema: &huma.Schema{Type: huma.TypeString, MaxLength: &limit},
			})
		}
	}
	slices.SortFunc(list, func(a, b *huma.Param) int { return strings.Compare(a.Name, b.Name) })
	return list
}

func describeSuccess(r huma.Registry, operation *huma.Operation, route *Route) {
	response := operation.Responses[strconv.Itoa(route.Success[0])]
	switch {
	case route.IsStream() && route.IsSDK():
		events := describeEvents(r, reflect.TypeFor[wire.SDKReplyMetadata](), reflect.TypeFor[wire.SDKReply]())
		response.Content = map[string]*huma.MediaType{ContentEvents: events}
	case route.IsStream():
		events := describeEvents(r, reflect.TypeFor[wire.ReplyMetadata](), reflect.TypeFor[wire.Reply]())
		response.Content = map[string]*huma.MediaType{ContentEvents: events}
	case route.MayStream:
		events := describeEvents(r, reflect.TypeFor[wire.OpeningMetadata](), reflect.TypeFor[wire.Opening]())
		response.Content[ContentEvents] = events
	}
	response.Headers = map[string]*huma.Header{wire.HeaderRequestID: headerRef(wire.HeaderRequestID)}
	if route.Idempotent {
		response.Headers[HeaderReplayed] = headerRef(HeaderReplayed)
	}
	if route.CountsTokens {
		response.Headers[wire.HeaderLLMTokensIn] = headerRef(wire.HeaderLLMTokensIn)
		response.Headers[wire.HeaderLLMTokensOut] = headerRef(wire.HeaderLLMTokensOut)
	}
	if route.HasPages {
		response.Headers[wire.HeaderLink] = headerRef(wire.HeaderLink)
	}
	if route.HasTotal {
		response.Headers[wire.HeaderTotal] = headerRef(wire.HeaderTotal)
	}
	describeLimits(response.Headers)
	for _, status := range route.Success {
		same := *response
		same.Description = http.StatusText(status)
		operation.Responses[strconv.Itoa(status)] = &same
	}
}

// describeEvents uses an extension, because OpenAPI 3.1 cannot describe server-sent events.
func describeEvents(r huma.Registry, metadata, done reflect.Type) *huma.MediaType {
	return &huma.MediaType{
		Schema: &huma.Schema{Type: huma.TypeString, Description: "Events in the order metadata, text_delta, done."},
		Extensions: map[string]any{"x-events": map[string]*huma.Schema{
			wire.EventMetadata:  r.Schema(metadata, true, ""),
			wire.EventTextDelta: r.Schema(reflect.TypeFor[wire.TextDelta](), true, ""),
			wire.EventDone:      r.Schema(done, true, ""),
			wire.EventError:     r.Schema(reflect.TypeFor[wire.SDKError](), true, ""),
		}},
	}
}

func errorsOf(operation *huma.Operation, route *Route, extra []int) []int {
	statuses := append([]int{401, 403, 429, 500, 503}, extra...)
	if route.BodyLimit() > 0 {
		statuses = append(statuses, 400, 408, 413, 415, 422)
	}
	if strings.Contains(route.Path, "{") {
		statuses = append(statuses, 404)
	}
	for _, p := range operation.Parameters {
		if p.In == "query" || p.In == "header" {
			statuses = append(statuses, 400, 422)
		}
	}
	slices.Sort(statuses)
	return slices.Compact(statuses)
}

func describePage(described *huma.OpenAPI, page *Page) {
	schema := &huma.Schema{Type: page.Schema}
	if page.Type != nil {
		schema = described.Components.Schemas.Schema(page.Type, true, "")
	}
	content := map[string]*huma.MediaType{page.ContentType: {Schema: schema}}
	operation := &huma.Operation{
		OperationID: page.ID, Method: http.MethodGet, Path: page.Path,
		Tags: []string{tagServer}, Summary: page.Summary, Description: page.Text,
		Security:  []map[string][]string{},
		Responses: map[string]*huma.Response{},
	}
	headers := map[string]*huma.Header{wire.HeaderRequestID: headerRef(wire.HeaderRequestID)}
	if page.Limit != "" {
		describeLimits(headers)
	}
	for _, status := range page.Success {
		operation.Responses[strconv.Itoa(status)] = &huma.Response{
			Description: http.StatusText(status), Content: content, Headers: headers,
		}
	}
	for _, status := range page.Errors {
		operation.Responses[strconv.Itoa(status)] = &huma.Response{Ref: "#/components/responses/" + ErrorName(status)}
	}
	if strings.Contains(page.Path, "{persona_id}") {
		operation.Parameters = []*huma.Param{{
			Name: "persona_id", In: "path", Required: true, Description: parameterTexts["persona_id"],
			Schema: &huma.Schema{Type: huma.TypeString},
		}}
	}
	described.AddOperation(operation)
}

func describeMembers(r huma.Registry) {
	schemas := r.Map()
	// Errors in huma's own format are never sent (localserver/inputerrors.go).
	delete(schemas, "ErrorModel")
	delete(schemas, "ErrorDetail")
	schemas["Error"].Required = []string{"error", "code", "request_id"}
	for name, schema := range schemas {
		if strings.HasSuffix(name, "ReplyMetadata") {
			delete(schema.Properties, "message")
		}
		for member, s := range schema.Properties {
			if text := textOfMember(name, member); text != "" {
				s.Description = text
			}
			s.Nullable = s.Nullable || slices.Contains(nullMembers, name+"."+member)
			if s.Format == "int64" {
				s.Format = ""
			}
		}
	}
}

func textOfMember(schema, member string) string {
	plain := strings.TrimSuffix(strings.TrimPrefix(schema, "SDK"), "Metadata")
	return cmp.Or(memberTexts[schema+"."+member], memberTexts[plain+"."+member], memberTexts[member])
}

func writeDocument(described *huma.OpenAPI) ([]byte, error) {
	raw, err := json.Marshal(described)
	if err != nil {
		return nil, fmt.Errorf("describe the interface: %w", err)
	}
	// The fields have the order of the output.
	var page struct {
		OpenAPI    string         `json:"openapi"`
		Info       map[string]any `json:"info"`
		Servers    []any          `json:"servers"`
		Tags       []any          `json:"tags"`
		Paths      map[string]any `json:"paths"`
		Components map[string]any `json:"components"`
	}
	var document struct {
		Definitions map[string]any `json:"$defs"`
	}
	text := bytes.ReplaceAll(personas.Schema(), []byte(`"#/$defs/`), []byte(`"`+schemaPrefix+DocumentPrefix))
	for source, target := range map[*[]byte]any{&raw: &page, &text: &document} {
		decoder := json.NewDecoder(bytes.NewReader(*source))
		decoder.UseNumber()
		if err := decoder.Decode(target); err != nil {
			return nil, fmt.Errorf("describe the interface: %w", err)
		}
	}
	schemas, _ := page.Components["schemas"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(document.Definitions)) {
		schemas[DocumentPrefix+name] = document.Definitions[name]
	}
	tidySchemas(page.Paths)
	tidySchemas(page.Components)
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err = encoder.Encode(page)
	return out.Bytes(), err
}

func tidySchemas(node any) {
	switch node := node.(type) {
	case map[string]any:
		if node["additionalProperties"] == true {
			delete(node, "additionalProperties")
		}
		if types, ok := node["type"].([]any); ok && slices.Contains(types, any(huma.TypeArray)) {
			node["type"] = huma.TypeArray
		}
		for _, child := range node {
			tidySchemas(child)
		}
	case []any:
		for _, child := range node {
			tidySchemas(child)
		}
	}
}
