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

// Request is a call to any endpoint, for example one without a method of Client.
type Request struct {
	Method string
	// Path is relative to the base address. It begins with "/" and may have a query.
	Path string
	// Query is added to the query in Path.
	Query url.Values
	// Body is JSON unless Headers set another Content-Type. nil sends no body.
	Body []byte
	// Headers replace the client's default headers.
	Headers []Header
	// Key is the Idempotency-Key. A call with a key may be retried.
	Key string
	// NoToken omits the client's token, because another header identifies the caller.
	NoToken bool
	// Stream, if it is not nil, is called when the answer is a stream of events. It receives the
	// status and headers, and returns a writer for the body. The Response of Send then has no Body.
	// For a stream, the client's time limit applies to each pause, not to the whole answer.
	Stream func(head *Response) io.Writer
}

// Header is one header of a request. Errors do not contain Value if Secret is true.
type Header struct {
	Name, Value string
	Secret      bool
}

// Do is Send without extra headers.
func (c *Client) Do(ctx context.Context, method, path string, query url.Values, body []byte) (*Response, error) {
	return c.Send(ctx, Request{Method: method, Path: path, Query: query, Body: body})
}

// Send makes any call. It retries GET, HEAD, PUT, DELETE and calls with a Key like the other
// methods of Client. It retries other calls only if the service rejected them with 429 or never
// received them. For an error status it returns both the response and an error.
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
	again := slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodPut, http.MethodDelete}, r.Method)
	k := call{method: r.Method, path: path, query: query, body: r.Body, key: key, idempotent: again, usesModel: r.Method == http.MethodPost}
	k.signer = func(ctx context.Context) ([]credential, error) {
		if r.NoToken {
			return headers, nil
		}
		who, err := c.signCall(ctx, call{})
		return append(who, headers...), err
	}
	if r.Stream != nil {
		return c.forwardCall(ctx, k, r.Stream)
	}
	return c.makeCall(ctx, k)
}

func (c *Client) forwardCall(ctx context.Context, k call, stream func(*Response) io.Writer) (response *Response, err error) {
	err = c.tryCall(ctx, k, func(target *url.URL) ([]credential, bool, error) {
		l := streamAttempt{Client: c, call: k, target: target}
		response, err = l.forwardAnswer(ctx, stream)
		return l.credentials, !l.begun, err
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
	piece := make([]byte, 32<<10)
	for {
		n, err := in.Read(piece)
		if n > 0 {
			if _, failed := out.Write(piece[:n]); failed != nil {
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

// isTokenSign reports whether a header's name may contain r (RFC 9110, section 5.6.2).
func isTokenSign(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}
