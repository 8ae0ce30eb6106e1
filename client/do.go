package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-resty/resty/v2"
	"github.com/google/uuid"

	"github.com/parley-npc/parley/personas/wire"
)

type call struct {
	method string
	// path is a pattern of personas/wire. id replaces its variable.
	path    string
	id      string
	query   url.Values
	ifMatch string
	// body is the body of the request, and problem the error of encoding it.
	body        []byte
	problem     error
	key         string
	idempotent  bool
	usesModel   bool
	acceptsJSON bool
	// signer returns the headers that identify the caller. A nil signer sends the client's token.
	signer signer
}

// A signer returns the headers that identify the caller. It is called for each attempt.
type signer func(ctx context.Context) ([]credential, error)

// credential is a header that identifies the caller. placeholder replaces the value in errors of
// the service.
type credential struct{ header, value, placeholder string }

// withBody returns the call with a body, which is a value to encode, or a json.RawMessage.
func (c call) withBody(body any) call {
	raw, isRaw := body.(json.RawMessage)
	switch {
	case !isRaw:
		if c.body, c.problem = json.Marshal(body); c.problem != nil {
			c.problem = fmt.Errorf("encoding the request body as JSON: %w", c.problem)
		}
	case !json.Valid(raw):
		c.problem = fmt.Errorf("the request body of %d bytes is not valid JSON", len(raw))
	default:
		c.body = raw
	}
	return c
}

func (c call) isRepeatable() bool { return c.key != "" || c.idempotent }

// Response is an answer of the service with its undecoded body.
type Response struct {
	Status int
	// Proto is the protocol of the answer, such as HTTP/1.1.
	Proto  string
	Header http.Header
	Body   []byte
	url    string
}

func fetchAnswer[T any](ctx context.Context, c *Client, k call) (T, error) {
	var answer T
	response, err := c.makeCall(ctx, k)
	if err == nil {
		err = response.decodeBody(&answer)
	}
	return answer, err
}

// callWithoutAnswer ignores the body of the answer. An HTML page is an error, because the service
// never sends HTML.
func (c *Client) callWithoutAnswer(ctx context.Context, k call) error {
	response, err := c.makeCall(ctx, k)
	if err != nil || !isHTML(response.Header.Get("Content-Type"), response.Body) {
		return err
	}
	return response.decodeBody(new(any))
}

func (r *Response) decodeBody(into any) error {
	if decodeJSON(r.Body, into) == nil {
		return nil
	}
	return &NotServiceError{URL: r.url, Status: r.Status, Problem: describeBadJSON(r.Header.Get("Content-Type"), r.Body)}
}

func (c *Client) makeCall(ctx context.Context, k call) (response *Response, err error) {
	err = c.tryCall(ctx, k, func(target *url.URL) (who []credential, again bool, err error) {
		response, who, err = c.attemptCall(ctx, k, target)
		return who, true, err
	})
	return response, err
}

// A sender makes one attempt of a call. It returns the credentials of the request, and whether
// another attempt is allowed.
type sender func(target *url.URL) (who []credential, again bool, err error)

// tryCall calls send until it succeeds or fails for good. It renews the token after the first 401.
func (c *Client) tryCall(ctx context.Context, k call, send sender) error {
	target, err := c.buildURL(k)
	if err != nil {
		return err
	}
	renewed := false
	var waited time.Duration
	for attempt := 1; ; attempt++ {
		who, again, err := send(target)
		if err == nil || ctx.Err() != nil || !again {
			return err
		}
		if wire.ErrorStatus(err) == http.StatusUnauthorized && !renewed {
			if renewed, err = c.renewToken(ctx, who, err); renewed {
				attempt--
				continue
			}
			return err
		}
		wait, again := c.planRetry(k, attempt, waited, err)
		if !again {
			return err
		}
		if c.pace != nil && isLimited(err) {
			continue
		}
		c.announceRetry(ctx, Retry{
			Method: k.method, Path: target.EscapedPath(), Attempt: attempt, Attempts: c.options.Attempts,
			Wait: wait, Err: err, Reason: retryReason(err),
		})
		waited += wait
		if stopped := c.options.Sleep(ctx, wait); stopped != nil {
			return fmt.Errorf("stopped while waiting to try again: %w: %w", stopped, err)
		}
	}
}

// renewToken renews the token after the service rejected it. If there is no other token, it returns
// refusal.
func (c *Client) renewToken(ctx context.Context, who []credential, refusal error) (bool, error) {
	token := ""
	for _, h := range who {
		switch {
		case h.placeholder == tokenName:
			token = h.value
		case token != "" && strings.EqualFold(h.header, headerAuthorization):
			return false, refusal // The caller's own header replaces the token.
		}
	}
	if token == "" {
		return false, refusal
	}
	again, err := c.options.Renew(ctx, token)
	switch {
	case err != nil:
		return false, err
	case !again:
		return false, refusal
	}
	return true, nil
}

// buildURL checks the call and returns its URL. It fails if the id is missing, because the URL
// would belong to another endpoint.
func (c *Client) buildURL(k call) (*url.URL, error) {
	if k.problem != nil {
		return nil, k.problem
	}
	if _, variable, ok := strings.Cut(k.path, "{"); ok && k.id == "" {
		what, _, _ := strings.Cut(variable, "_")
		return nil, fmt.Errorf("a %s id is missing", what)
	}
	for name, value := range map[string]string{wire.HeaderIdempotencyKey: k.key, "If-Match": k.ifMatch} {
		if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return nil, fmt.Errorf("the header %s cannot contain a line break or a control character", name)
		}
	}
	target, err := url.Parse(c.base.String() + wire.Path(k.path, k.id))
	if err != nil {
		return nil, fmt.Errorf("invalid path: %w", findCause(err))
	}
	target.RawQuery = k.query.Encode()
	return target, nil
}

func (c *Client) attemptCall(ctx context.Context, k call, target *url.URL) (response *Response, who []credential, err error) {
	if err := c.pace.awaitTurn(ctx); err != nil {
		return nil, nil, err
	}
	defer func() { c.pace.learnLimit(response) }()
	if who, err = c.signCall(ctx, k); err != nil {
		return nil, nil, err
	}
	limit := c.attemptTimeout(k)
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var connected atomic.Bool
	answer, err := c.newRequest(watchConnection(bounded, &connected), k, who).Execute(k.method, target.String())
	if err != nil {
		return nil, who, c.describeFailure(ctx, bounded, limit, connected.Load(), target, err)
	}
	response = &Response{Status: answer.StatusCode(), Proto: answer.Proto(), Header: answer.Header(), Body: answer.Body(), url: redactURL(target)}
	return response, who, c.checkStatus(response, who)
}

func (c *Client) signCall(ctx context.Context, k call) ([]credential, error) {
	if k.signer != nil {
		return k.signer(ctx)
	}
	token, err := c.token(ctx)
	if err == nil {
		err = checkToken(token)
	}
	if err != nil {
		return nil, fmt.Errorf("invalid access token: %w", err)
	}
	if token == "" {
		return nil, nil
	}
	return []credential{{header: headerAuthorization, value: "Bearer " + token}, {value: token, placeholder: tokenName}}, nil
}

const (
	headerAuthorization = "Authorization"
	tokenName           = "[token]"
)

func (c *Client) attemptTimeout(k call) time.Duration {
	limit := c.options.Timeout
	if k.usesModel {
		limit = c.options.ModelTimeout
	}
	if c.http.Timeout > 0 {
		limit = min(limit, c.http.Timeout)
	}
	return limit
}

// watchConnection returns a context that passes on wait notices. It sets connected when the request
// gets a connection. Before that, the service cannot have received the request.
func watchConnection(ctx context.Context, connected *atomic.Bool) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
		Got1xxResponse: func(_ int, header textproto.MIMEHeader) error {
			wire.ReadWaitNotice(ctx, header.Get(wire.HeaderWaitNotice))
			return nil
		},
	})
}

func (c *Client) newRequest(ctx context.Context, k call, who []credential) *resty.Request {
	request := c.resty.R().SetContext(ctx).SetHeader("Accept", "application/json").SetHeader("User-Agent", strings.TrimSuffix("parley/"+c.options.Version, "/"))
	if k.key != "" {
		request.SetHeader(wire.HeaderIdempotencyKey, k.key)
	}
	if k.usesModel && wire.WantsWaitNotice(ctx) {
		request.SetHeader(wire.HeaderTellWaits, "1")
	}
	if k.ifMatch != "" {
		request.SetHeader("If-Match", k.ifMatch)
	}
	if k.body != nil {
		request.SetHeader("Content-Type", "application/json").SetBody(k.body)
	}
	for _, h := range who { // They come last, because headers of a Request replace the defaults.
		if h.header != "" {
			request.SetHeader(h.header, h.value)
		}
	}
	return request
}

func (c *Client) describeFailure(ctx, bounded context.Context, limit time.Duration, connected bool, target *url.URL, err error) error {
	timeout, isTimeout := errors.AsType[interface {
		error
		Timeout() bool
	}](err)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("the call to %s was canceled: %w", redactURL(target), context.Cause(ctx))
	case errors.Is(err, resty.ErrResponseBodyTooLarge):
		return &NotServiceError{URL: redactURL(target), Problem: fmt.Sprintf("answered more than %d MiB", MaxAnswer>>20)}
	case bounded.Err() != nil, connected && isTimeout && timeout.Timeout():
		return &TimeoutError{URL: redactURL(target), After: limit}
	}
	return &UnreachableError{URL: c.Address(), Err: findCause(err), Broken: connected, Proxy: failedProxy(target, err)}
}

func failedProxy(target *url.URL, err error) string {
	failed, ok := errors.AsType[*net.OpError](err)
	refused := strings.Contains(err.Error(), http.StatusText(http.StatusProxyAuthRequired))
	if !refused && (!ok || failed.Op != "proxyconnect" && !strings.HasPrefix(failed.Op, "socks")) {
		return ""
	}
	proxy, err := http.ProxyFromEnvironment(&http.Request{URL: target})
	if err != nil || proxy == nil {
		return ""
	}
	return redactURL(proxy)
}

func (c *Client) checkStatus(response *Response, who []credential) error {
	switch status := response.Status; {
	case status >= 200 && status < 300:
		return nil
	case status >= 300 && status < 400:
		return &NotServiceError{URL: response.url, Status: status, Problem: describeRedirect(response)}
	case status != http.StatusUnauthorized && status != http.StatusTooManyRequests && isHTML(response.Header.Get("Content-Type"), response.Body):
		// An HTML page comes from another program, such as a proxy. A 401 or 429 is handled in the
		// same way from any sender.
		problem := fmt.Sprintf("answered %d with a page of HTML", status)
		return &NotServiceError{URL: response.url, Status: status, Problem: problem}
	}
	refusal := wire.ReadError(response.Status, withoutSecrets(response.Body, who))
	refusal.RetryAfter = wire.ParseRetryAfter(response.Header.Get(wire.HeaderRetryAfter), c.options.Now())
	refusal.Final = response.Header.Get(wire.HeaderShouldRetry) == "false"
	refusal.RequestID = cmp.Or(refusal.RequestID, response.Header.Get(wire.HeaderRequestID))
	return refusal
}

func withoutSecrets(body []byte, who []credential) []byte {
	for _, h := range who {
		if h.placeholder != "" && h.value != "" {
			body = bytes.ReplaceAll(body, []byte(h.value), []byte(h.placeholder))
		}
	}
	return body
}

func describeRedirect(r *Response) string {
	to, err := url.Parse(r.Header.Get("Location"))
	if err != nil || to.String() == "" {
		return fmt.Sprintf("answered with the redirect %d without a target", r.Status)
	}
	return fmt.Sprintf("answered with a redirect (%d) to %s, which the client does not follow", r.Status, redactURL(to))
}

func newIdempotencyKey() string { return uuid.NewString() }

// decodeJSON decodes an answer. The interface calls scores and counts numbers, and variables an
// object. If the service sends 3.0 or a variable other than a text, decodeJSON rounds the number and
// uses the JSON of the variable.
func decodeJSON(text []byte, into any) error {
	err := json.Unmarshal(text, into)
	if _, ok := errors.AsType[*json.UnmarshalTypeError](err); !ok {
		return err
	}
	var value any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if d.Decode(&value) != nil {
		return err
	}
	rounded, failed := json.Marshal(roundNumbers(value))
	if failed != nil {
		return err
	}
	return json.Unmarshal(rounded, into)
}

func roundNumbers(value any) any {
	switch v := value.(type) {
	case json.Number:
		if n, err := v.Float64(); err == nil && math.Abs(n) <= math.MaxInt32 {
			return int(math.Round(n))
		}
	case []any:
		for i := range v {
			v[i] = roundNumbers(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = roundNumbers(v[name])
		}
		if variables, ok := v["cross_machine_vars"].(map[string]any); ok {
			for name, variable := range variables {
				if _, isText := variable.(string); !isText && variable != nil {
					text, _ := json.Marshal(variable)
					variables[name] = string(text)
				}
			}
		}
	}
	return value
}
