package localserver

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// TestUnreadableRequestsAreAnsweredByUs: requests that net/http refuses before any handler get our
// body, in the format of their side, an id and a line in the log.
func TestUnreadableRequestsAreAnsweredByUs(t *testing.T) {
	h := begin(t)
	const host = "Host: 127.0.0.1\r\n"
	long := strings.Repeat("a", 80<<10)
	for _, c := range []struct {
		name, request string
		status        int
		code, words   string
	}{
		{"no host", "GET / HTTP/1.1\r\n\r\n", 400, wire.CodeBadRequest, "the header Host is missing"},
		{"no host of HTTP/1.0", "GET / HTTP/1.0\r\n\r\n", 400, wire.CodeBadRequest, "the header Host is missing"},
		{"an empty host", "GET / HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n", 400, wire.CodeBadRequest, "the header Host is missing"},
		{"no host on the SDK side", "GET /api/v1/sdk/personas HTTP/1.1\r\n\r\n", 400, wire.CodeBadRequest, "the header Host is missing"},
		{"a host that is none", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400, wire.CodeBadRequest, "Host is not a valid host name"},
		{"two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400, wire.CodeBadRequest, "not a valid HTTP/1.1 request"},
		{"no HTTP", "hello you there\r\n\r\n", 400, wire.CodeBadRequest, "not a valid HTTP/1.1 request"},
		{"TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n", 400, wire.CodeBadRequest, "not a valid HTTP/1.1 request"},
		{"a method that is none", "G(T / HTTP/1.1\r\n" + host + "\r\n", 400, wire.CodeBadRequest, "not a valid HTTP/1.1 request"},
		{"an address with a bad escape", "GET /a%zz HTTP/1.1\r\n" + host + "\r\n", 400, wire.CodeBadRequest, "two hexadecimal digits"},
		{"a header's name", "GET / HTTP/1.1\r\n" + host + "bad name: x\r\n\r\n", 400, wire.CodeBadRequest, "name of a header"},
		{"a header's value", "GET / HTTP/1.1\r\n" + host + "X: a\x01b\r\n\r\n", 400, wire.CodeBadRequest, "not a valid HTTP/1.1 request"},
		{"a length that is none", "POST / HTTP/1.1\r\n" + host + "Content-Length: x\r\n\r\n", 400, wire.CodeBadRequest, "not a valid HTTP/1.1 request"},
		{"an expectation", "POST " + wire.PathSave + " HTTP/1.1\r\n" + host + "Expect: 200-ok\r\nContent-Length: 0\r\n\r\n", 417, wire.CodeExpectation, "100-continue"},
		{"long headers", "GET / HTTP/1.1\r\n" + host + "X: " + long + "\r\n\r\n", 431, wire.CodeHeadersTooLarge, "65536 bytes"},
		{"a long address on the SDK side", "GET /api/v1/sdk/personas?" + long + " HTTP/1.1\r\n" + host + "\r\n", 431, wire.CodeHeadersTooLarge, "65536 bytes"},
		{"an encoding", "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: gzip\r\n\r\n", 501, wire.CodeUnsupported, "chunked"},
		{"a version", "GET / HTTP/2.0\r\n" + host + "\r\n", 505, wire.CodeUnsupported, "HTTP/1.1"},
		{"a version that does not exist", "GET /healthz HTTP/1.2\r\n" + host + "\r\n", 505, wire.CodeUnsupported, "HTTP/1.1"},
		{"another one, on the SDK side", "GET /api/v1/sdk/personas HTTP/1.9\r\n" + host + "\r\n", 505, wire.CodeUnsupported, "HTTP/1.1"},
		{"behind a good request", "GET /healthz HTTP/1.1\r\n" + host + "\r\nGET / HTTP/1.1\r\n\r\n", 400, wire.CodeBadRequest, "the header Host is missing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := h.with(t)
			answer := h.raw(c.request)
			got := readAnswer(t, answer[strings.LastIndex(answer, " "+strconv.Itoa(c.status)+" ")-len("HTTP/1.1"):])
			got.path = "/"
			if strings.Contains(c.name, "SDK side") {
				got.path = wire.PrefixSDK
			}
			e := got.fails(c.status, c.code)
			assert.Contains(t, e.Message, c.words)
			assert.Contains(t, h.journal.String(), e.RequestID)
			if !strings.Contains(answer, "\r\nConnection: close\r\n") && !strings.HasPrefix(answer, "HTTP/1.0") || got.header.Get("Cache-Control") != "no-store" || got.header.Get("Date") == "" {
				t.Errorf("%v", got.header)
			}
		})
	}
	answer := h.raw("HEAD / HTTP/1.1\r\n\r\n")
	assert.True(t, strings.HasSuffix(answer, "\r\n\r\n"), "the answer to HEAD has a body: %q", answer)
}

// TestHandlersMayWriteAnything: a handler's output is never mistaken for a response of net/http
// itself, even if it looks like one and at any boundary between writes.
func TestHandlersMayWriteAnything(t *testing.T) {
	forged := "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n400 Bad Request"
	h := begin(t, telling(pieces(strings.Repeat("x", 8<<10), forged, forged)))
	id := h.publishPersona()
	h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)
	for range 2 {
		reply := h.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON("ann", "hi")).want(200)
		text := reply["message"].(string)
		assert.Equal(t, strings.Count(text, forged), 2, "%d bytes", len(text))
	}
}

// TestOptionsOfTheServer: OPTIONS * concerns the whole server, and passes the same checks as every
// request.
func TestOptionsOfTheServer(t *testing.T) {
	h := begin(t)
	got := readAnswer(t, h.raw("OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"))
	if got.status != http.StatusNoContent || got.header.Get("Allow") == "" || got.header.Get(wire.HeaderRequestID) == "" {
		t.Errorf("%d %v", got.status, got.header)
	}
	got = readAnswer(t, h.raw("OPTIONS * HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"))
	got.fails(403, wire.CodeForbidden)
}

// TestMethodAndMediaTypeHaveCodes checks the codes on both sides.
func TestMethodAndMediaTypeHaveCodes(t *testing.T) {
	h := begin(t)
	for _, path := range []string{wire.PathPersonas, wire.PathSDKPersonas} {
		h.send("", "PUT", path, "{}").fails(405, wire.CodeMethod)
	}
	id := h.publishPersona()
	h.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON("ann", "hi"), "Content-Type", "text/plain").fails(415, wire.CodeMediaType)
	h.send(alice, "POST", wire.PathAPIKeys, `{"name": "x"}`, "Content-Type", "text/plain").fails(415, wire.CodeMediaType)
	assert.Equal(t, wire.StatusOf(wire.CodeMethod), 405, "the codes' statuses are not known to clients")
	assert.Equal(t, wire.StatusOf(wire.CodeMediaType), 415, "the codes' statuses are not known to clients")
}

// TestMisspeltPlayLinkIsAPage: a browser that opens a play link gets a page, even if the link was
// damaged.
func TestMisspeltPlayLinkIsAPage(t *testing.T) {
	h := begin(t)
	for _, path := range []string{"/play/..%2F..", "/play/%2e%2e", "/play/", "/play", "/play/a/b", "/play//", "/play/../x", "/play/..%2f..%2fetc%2fpasswd", "/play/a%00", "/play/%ff", "/play/" + nobodyID} {
		t.Run(path, func(t *testing.T) {
			got := readAnswer(t, h.with(t).raw("GET "+path+" HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"))
			if got.status != 404 || !strings.HasPrefix(got.header.Get("Content-Type"), "text/html") || !strings.Contains(string(got.body), "<!DOCTYPE html>") {
				t.Errorf("%d %v", got.status, got.header)
			}
		})
	}
	h.send("", "POST", "/play/x", "{}").fails(405, wire.CodeMethod)
	h.send("", "GET", "/playing", "").fails(404, wire.CodeNotFound)
}

// TestMetricsAreDescribed: the description contains the page and its answer to remote callers.
func TestMetricsAreDescribed(t *testing.T) {
	op := description().doc.Paths.Value("/metrics").Get
	assert.True(t, op.Responses.Value("200").Value.Content.Get("text/plain") != nil && op.Responses.Value("404") != nil,
		"%+v", op.Responses)
}

// TestGeneratedClientsKeepTheText: the members at the top of a document are in the schema of the
// full persona, because clients save it again, and in the schema of save.
func TestGeneratedClientsKeepTheText(t *testing.T) {
	schemas := description().doc.Components.Schemas
	full := schemas["FullPersona"].Value.Properties["persona"]
	for _, schema := range []string{strings.TrimPrefix(full.Ref, "#/components/schemas/"), "DocumentPersona"} {
		for _, member := range []string{"perplexity_description", "language", "offline"} {
			assert.True(t, schemas[schema] != nil && schemas[schema].Value.Properties[member] != nil,
				"%s has no %s", schema, member)
		}
	}
	h := begin(t)
	document := strings.Replace(gatePersona, `"name": "Gate guard"`,
		`"name": "Gate guard", "perplexity_description": "found by this", "language": "en", "x-own": 1, "offline": {"answers": [{"ask": ["Who?"], "say": ["Me."]}]}`, 1)
	id := h.savePersona(document)
	persona := h.send(alice, "GET", wire.Path(wire.PathFull, id), "").want(200)["persona"]
	text := assert.Value(json.Marshal(persona))(t)
	assert.Contains(t, string(text), "found by this")
	assert.Contains(t, string(text), "Who?")
}
