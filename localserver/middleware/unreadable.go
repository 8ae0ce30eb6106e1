package middleware

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"

	"github.com/parley-npc/parley/localserver/apierror"
	"github.com/parley-npc/parley/localserver/connections"
	"github.com/parley-npc/parley/localserver/endpoint"
	"github.com/parley-npc/parley/localserver/request"
	"github.com/parley-npc/parley/personas/wire"
)

// MaxHeader is the maximum length of a request's first line and headers together, in bytes.
const MaxHeader = 64 << 10

// unreadable maps the status of requests that net/http refuses before any layer sees them to codes
// and sentences; a reason of net/http is more specific.
var unreadable = map[int]struct{ code, sentence string }{
	http.StatusBadRequest:                  {wire.CodeBadRequest, "this cannot be read as a request of HTTP/1.1"},
	http.StatusExpectationFailed:           {wire.CodeExpectation, "the header Expect may ask for nothing but 100-continue"},
	http.StatusRequestHeaderFieldsTooLarge: {wire.CodeHeadersTooLarge, fmt.Sprintf("the address and the headers are longer than %d bytes", MaxHeader)},
	http.StatusNotImplemented:              {wire.CodeUnsupported, "a Transfer-Encoding other than chunked is not supported"},
	http.StatusHTTPVersionNotSupported:     {wire.CodeUnsupported, "this server speaks HTTP/1.1"},
}

const noHost = "the header Host is missing"

// reasons are net/http's reasons in our words.
var reasons = map[string]string{
	"missing required Host header": noHost,
	"malformed Host header":        "the header Host is no name or address of a host",
	"invalid header name":          "the name of a header has a character that it may not have",
	"invalid header value":         "the value of a header has a character that it may not have",
}

// AnswerUnreadable returns the whole answer to a request that net/http could not read: as
// every other one it has an id, a body in the shape of its side, and a line in the log.
func (s *Stack) AnswerUnreadable(bad connections.Unreadable) []byte {
	as, known := unreadable[bad.Status]
	if !known {
		as = unreadable[http.StatusBadRequest]
	}
	ctx := request.WithInfo(context.Background(), request.Info{ID: newRequestID()})
	refusal := apierror.New(bad.Status, as.code, cmp.Or(reasons[bad.Reason], explainAddress(bad), as.sentence))
	body := apierror.EncodeJSON(refusal.Answer(ctx, bad.Path))
	r := &http.Request{Method: bad.Method}
	s.Telemetry.CountRequest(methodName(r), "", bad.Status, 0)
	s.logAnswer(ctx, methodName(r), "", bad.Status, 0, int64(len(body)))
	answer := &http.Response{
		Request: r, StatusCode: bad.Status, ProtoMajor: 1, ProtoMinor: 1, Close: true,
		Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
	}
	answer.Header.Set("Date", s.Now().UTC().Format(http.TimeFormat))
	answer.Header.Set("Content-Type", endpoint.ContentJSON)
	answer.Header.Set(wire.HeaderRequestID, request.ID(ctx))
	setSafeHeaders(answer.Header)
	var text bytes.Buffer
	_ = answer.Write(&text) // A buffer takes everything.
	return text.Bytes()
}

// explainAddress returns the defect of the address, if that is why net/http could not read the
// request, because net/http does not report it.
func explainAddress(bad connections.Unreadable) string {
	if bad.Status != http.StatusBadRequest || bad.Target == "" {
		return ""
	}
	if _, err := url.ParseRequestURI(bad.Target); err == nil {
		return ""
	}
	return "the address cannot be read: it must begin with / and have two hexadecimal digits behind each %"
}

func newRequestID() string { return uuid.Must(uuid.NewV7()).String() }

// isPlayLink reports whether a browser opens a play link, or a damaged one: it gets a page instead
// of JSON.
func isPlayLink(r *http.Request) bool {
	const play = "/play"
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	return reads && (r.URL.Path == play || strings.HasPrefix(r.URL.Path, play+"/"))
}
