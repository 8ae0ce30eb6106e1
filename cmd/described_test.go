package cmd_test

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"

	"github.com/parley-npc/parley/personas/assert"
)

// description is the checked-in document, which readers use.
var description = sync.OnceValues(func() (*openapi3.T, error) {
	return openapi3.NewLoader().LoadFromFile("../docs/openapi.json")
})

// described checks status, headers and body of an answer against the document, but not streams.
func (c *answerCounter) described(pattern string, r *http.Request, answer *http.Response) {
	doc := assert.Value(description())(c.t)
	method, path, _ := strings.Cut(pattern, " ")
	item := doc.Paths.Value(path)
	if item == nil || item.GetOperation(method) == nil {
		c.t.Errorf("docs/openapi.json has no %s", pattern)
		return
	}
	in := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{
			Request: r, Route: &routers.Route{Spec: doc, Path: path, PathItem: item, Method: method, Operation: item.GetOperation(method)},
		},
		Status: answer.StatusCode, Header: answer.Header,
		Options: &openapi3filter.Options{IncludeResponseStatus: true},
	}
	if strings.HasPrefix(answer.Header.Get("Content-Type"), "text/event-stream") {
		in.Options.ExcludeResponseBody = true
	} else {
		in.SetBodyBytes(c.copied(answer))
	}
	assert.NoError(c.t, openapi3filter.ValidateResponse(r.Context(), in), "%s answers what docs/openapi.json does not describe", pattern)
}

// copied reads a body and puts it back.
func (c *answerCounter) copied(answer *http.Response) []byte {
	body := assert.Value(io.ReadAll(answer.Body))(c.t)
	answer.Body = io.NopCloser(bytes.NewReader(body))
	return body
}

// TestDescribedEndpoints: the document has the endpoints of the interface and the server's own status.
func TestDescribedEndpoints(t *testing.T) {
	t.Parallel()
	doc := assert.Value(description())(t)
	var found []string
	for path, item := range doc.Paths.Map() {
		for method := range item.Operations() {
			if strings.HasPrefix(path, "/api/") {
				found = append(found, method+" "+path)
			}
		}
	}
	slices.Sort(found)
	assert.EqualSlices(t, found, slices.Sorted(slices.Values(endpoints)), "docs/openapi.json")
}
