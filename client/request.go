package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas/wire"
)

// Request is a call to any endpoint.
type Request struct {
	Method string
	// Path begins with "/" and may have a query. It is relative to Options.BaseURL.
	Path string
	// Query is added to the query in Path.
	Query url.Values
	// Body is JSON unless Headers contain a Content-Type. nil sends no body.
	Body []byte
	// Headers replace the client's default headers.
	Headers []Header
	// Key is the Idempotency-Key. The client retries requests with a key.
	Key string
	// NoToken omits the client's token.
	NoToken bool
	// Stream, if not nil, returns a writer for the body of an event stream. It receives the status
	// and the headers. The timeout then limits each pause, and Response.Body is nil.
	Stream func(head *Response) io.Writer
}

// Header is a request header. Errors omit the value of a secret header.
type Header struct {
	Name, Value string
	Secret      bool
}

// Do calls Send without extra headers.
func (c *Client) Do(ctx context.Context, method, path string, query url.Values, body []byte) (*Response, error) {
	return c.Send(ctx, Request{Method: method, Path: path, Query: query, Body: body})
}

// Send calls any endpoint. It retries GET, HEAD, PUT, DELETE and requests with a Key. Other
// requests are retried only after a 429 or a failed connection. An error status returns both the
// response and an error.
func (c *Client) Send(ctx context.Context, r Request) (*Response, error) {
	if !strings.HasPrefix(r.Path, "/") {
		return nil, fmt.Errorf("the path %q does not begin with a slash", r.Path)
	}
	path, own, _ := strings.Cut(r.Path, "?")
	query, err := url.ParseQuery(own)
	if err != nil {
		return nil, fmt.Errorf("invalid query in the path: %w", err)
	}
	for name, list := range r.Query {
		query[name] = append(query[name], list...)
	}
	headers, key, err := r.splitHeaders()
	if err != nil {
		return nil, err
	}
	idempotentMethods := []string{http.MethodGet, http.MethodHead, http.MethodPut, http.MethodDelete}
	spec := call{
		method: r.Method, path: path, query: query, body: r.Body, key: key,
		idempotent: slices.Contains(idempotentMethods, r.Method), usesModel: r.Method == http.MethodPost,
	}
	spec.signer = func(ctx context.Context) ([]credential, error) {
		if r.NoToken {
			return headers, nil
		}
		credentials, err := c.signCall(ctx, call{})
		return append(credentials, headers...), err
	}
	if r.Stream != nil {
		return c.forwardCall(ctx, spec, r.Stream)
	}
	return c.fetchResponse(ctx, spec)
}

func (c *Client) forwardCall(
	ctx context.Context, spec call, stream func(*Response) io.Writer,
) (response *Response, err error) {
	err = c.sendWithRetries(ctx, spec, func(target *url.URL) ([]credential, error) {
		attempt := streamAttempt{Client: c, call: spec, target: target}
		response, err = attempt.forwardAnswer(ctx, stream)
		return attempt.credentials, attempt.markFinal(err)
	})
	return response, err
}

func (a *streamAttempt) forwardAnswer(ctx context.Context, stream func(*Response) io.Writer) (*Response, error) {
	answer, err := a.openStream(ctx, "")
	if err != nil {
		return nil, err
	}
	defer answer.release()
	if isSuccess(answer.Status) && mediaType(answer.Header.Get("Content-Type")) == contentEvents {
		a.begun = true
		return answer.Response, a.forwardStream(stream(answer.Response), answer.timedBody)
	}
	if answer.Body, err = io.ReadAll(answer.body); err != nil {
		return nil, a.explainCut(err)
	}
	return answer.Response, a.checkStatus(answer.Response, a.credentials)
}

func (a *streamAttempt) forwardStream(out io.Writer, in io.Reader) error {
	buffer := make([]byte, 32<<10)
	for {
		n, err := in.Read(buffer)
		if n > 0 {
			if _, failed := out.Write(buffer[:n]); failed != nil {
				return failed
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return a.explainCut(err)
		}
	}
}

func (r *Request) splitHeaders() (list []credential, key string, err error) {
	key = r.Key
	for _, h := range r.Headers {
		if err := h.checkHeader(); err != nil {
			return nil, "", err
		}
		if strings.EqualFold(h.Name, wire.HeaderIdempotencyKey) {
			key = h.Value
			continue
		}
		c := credential{header: h.Name, value: h.Value}
		if h.Secret {
			c.placeholder = "[" + h.Name + "]"
		}
		list = append(list, c)
	}
	return list, key, nil
}

func (h Header) checkHeader() error {
	if h.Name == "" || strings.ContainsFunc(h.Name, func(r rune) bool { return !isTokenSign(r) }) {
		return fmt.Errorf("%q is not a valid header name", cmp.Or(h.Name, " "))
	}
	if strings.ContainsFunc(h.Value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
		return errors.New("the header " + h.Name + " cannot contain a line break or a control character")
	}
	return nil
}

// isTokenSign reports whether a header name may contain r (RFC 9110, section 5.6.2).
func isTokenSign(r rune) bool {
	isAlphanumeric := r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
	return isAlphanumeric || strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}
