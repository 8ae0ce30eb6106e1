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
	method      string
	path        string
	id          string
	query       url.Values
	ifMatch     string
	body        []byte
	bodyErr     error
	key         string
	idempotent  bool
	usesModel   bool
	acceptsJSON bool
	// A nil signer sends the client's token.
	signer signer
}

type signer func(ctx context.Context) ([]credential, error)

// credential is a header with a secret value. placeholder replaces the value in errors of the
// service.
type credential struct{ header, value, placeholder string }

func (c call) withBody(body any) call {
	raw, isRaw := body.(json.RawMessage)
	switch {
	case !isRaw:
		if c.body, c.bodyErr = json.Marshal(body); c.bodyErr != nil {
			c.bodyErr = fmt.Errorf("encoding the request body as JSON: %w", c.bodyErr)
		}
	case !json.Valid(raw):
		c.bodyErr = fmt.Errorf("the request body of %d bytes is not valid JSON", len(raw))
	default:
		c.body = raw
	}
	return c
}

func (c call) isRepeatable() bool { return c.key != "" || c.idempotent }

// Response is a response of the service with its undecoded body.
type Response struct {
	Status int
	// Proto is the protocol, such as HTTP/1.1.
	Proto  string
	Header http.Header
	Body   []byte
	url    string
}

func fetchAnswer[T any](ctx context.Context, c *Client, spec call) (T, error) {
	var answer T
	response, err := c.fetchResponse(ctx, spec)
	if err == nil {
		err = response.decodeBody(&answer)
	}
	return answer, err
}

func (c *Client) callWithoutAnswer(ctx context.Context, spec call) error {
	response, err := c.fetchResponse(ctx, spec)
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

func (c *Client) fetchResponse(ctx context.Context, spec call) (response *Response, err error) {
	err = c.sendWithRetries(ctx, spec, func(target *url.URL) (credentials []credential, err error) {
		response, credentials, err = c.sendOnce(ctx, spec, target)
		return credentials, err
	})
	return response, err
}

// sender makes one attempt. It returns the credentials that it sent.
type sender func(target *url.URL) ([]credential, error)

// finalError is an error of a sender after which the call must not be repeated.
type finalError struct{ error }

func (c *Client) sendWithRetries(ctx context.Context, spec call, send sender) error {
	target, err := c.buildURL(spec)
	if err != nil {
		return err
	}
	renewed := false
	var waited time.Duration
	for attempt := 1; ; attempt++ {
		credentials, err := c.sendInTurn(ctx, target, send)
		if !renewed && ctx.Err() == nil && wire.ErrorStatus(err) == http.StatusUnauthorized {
			if err := c.renewToken(ctx, credentials, err); err != nil {
				return err
			}
			renewed = true
			_, err = c.sendInTurn(ctx, target, send)
		}
		if final, ok := errors.AsType[finalError](err); ok {
			return final.error
		}
		if err == nil || ctx.Err() != nil || attempt >= c.options.Attempts || !mayRepeat(spec, err) {
			return err
		}
		wait := c.waitAfter(attempt, err)
		if waited += wait; waited > maxWait {
			return err
		}
		c.announceRetry(ctx, Retry{
			Method: spec.method, Path: target.EscapedPath(), Attempt: attempt, Attempts: c.options.Attempts,
			Wait: wait, Err: err, Reason: retryReason(err),
		})
		if stopped := c.pace.sleep(ctx, wait, c.options.Sleep); stopped != nil {
			return fmt.Errorf("stopped while waiting to try again: %w: %w", stopped, err)
		}
	}
}

func (c *Client) sendInTurn(ctx context.Context, target *url.URL, send sender) ([]credential, error) {
	if err := c.pace.awaitTurn(ctx); err != nil {
		return nil, err
	}
	return send(target)
}

// renewToken returns nil if a new token replaces the refused one.
func (c *Client) renewToken(ctx context.Context, credentials []credential, refusal error) error {
	token := ""
	for _, h := range credentials {
		switch {
		case h.placeholder == tokenName:
			token = h.value
		case token != "" && strings.EqualFold(h.header, headerAuthorization):
			return refusal // Request.Headers have replaced the token.
		}
	}
	if token == "" {
		return refusal
	}
	again, err := c.options.Renew(ctx, token)
	if err == nil && !again {
		return refusal
	}
	return err
}

func (c *Client) buildURL(spec call) (*url.URL, error) {
	if spec.bodyErr != nil {
		return nil, spec.bodyErr
	}
	if _, variable, ok := strings.Cut(spec.path, "{"); ok && spec.id == "" {
		what, _, _ := strings.Cut(variable, "_")
		return nil, fmt.Errorf("a %s id is missing", what)
	}
	values := []Header{{Name: wire.HeaderIdempotencyKey, Value: spec.key}, {Name: "If-Match", Value: spec.ifMatch}}
	for _, h := range values {
		if strings.ContainsFunc(h.Value, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return nil, fmt.Errorf("the header %s cannot contain a line break or a control character", h.Name)
		}
	}
	target, err := url.Parse(c.base.String() + wire.Path(spec.path, spec.id))
	if err != nil {
		return nil, fmt.Errorf("invalid path: %w", findCause(err))
	}
	target.RawQuery = spec.query.Encode()
	return target, nil
}

func (c *Client) sendOnce(
	ctx context.Context, spec call, target *url.URL,
) (response *Response, credentials []credential, err error) {
	if credentials, err = c.signCall(ctx, spec); err != nil {
		return nil, nil, err
	}
	limit := c.attemptTimeout(spec)
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var connected atomic.Bool
	request := c.newRequest(watchConnection(bounded, &connected), spec, credentials)
	answer, err := request.Execute(spec.method, target.String())
	if err != nil {
		return nil, credentials, c.describeFailure(ctx, bounded, limit, connected.Load(), target, err)
	}
	response = c.readHead(answer, target)
	response.Body = answer.Body()
	return response, credentials, c.checkStatus(response, credentials)
}

// readHead returns a response without a body. The Pace learns the rate limit from the headers.
func (c *Client) readHead(answer *resty.Response, target *url.URL) *Response {
	c.pace.learnLimit(answer.StatusCode(), answer.Header())
	return &Response{
		Status: answer.StatusCode(), Proto: answer.Proto(), Header: answer.Header(), url: redactURL(target),
	}
}

func (c *Client) signCall(ctx context.Context, spec call) ([]credential, error) {
	if spec.signer != nil {
		return spec.signer(ctx)
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
	return []credential{
		{header: headerAuthorization, value: "Bearer " + token},
		{value: token, placeholder: tokenName},
	}, nil
}

const (
	headerAuthorization = "Authorization"
	tokenName           = "[token]"
)

func (c *Client) attemptTimeout(spec call) time.Duration {
	limit := c.options.Timeout
	if spec.usesModel {
		limit = c.options.ModelTimeout
	}
	if c.http.Timeout > 0 {
		limit = min(limit, c.http.Timeout)
	}
	return limit
}

// watchConnection sets connected when the request gets a connection. Before that, the service
// cannot have received the request.
func watchConnection(ctx context.Context, connected *atomic.Bool) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
		Got1xxResponse: func(_ int, header textproto.MIMEHeader) error {
			wire.ReadWaitNotice(ctx, header.Get(wire.HeaderWaitNotice))
			return nil
		},
	})
}

func (c *Client) newRequest(ctx context.Context, spec call, credentials []credential) *resty.Request {
	request := c.resty.R().SetContext(ctx)
	request.SetHeader("Accept", "application/json")
	request.SetHeader("User-Agent", strings.TrimSuffix("parley/"+c.options.Version, "/"))
	if spec.key != "" {
		request.SetHeader(wire.HeaderIdempotencyKey, spec.key)
	}
	if spec.usesModel && wire.WantsWaitNotice(ctx) {
		request.SetHeader(wire.HeaderTellWaits, "1")
	}
	if spec.ifMatch != "" {
		request.SetHeader("If-Match", spec.ifMatch)
	}
	if spec.body != nil {
		request.SetHeader("Content-Type", "application/json").SetBody(spec.body)
	}
	for _, h := range credentials { // Request.Headers replace the defaults.
		if h.header != "" {
			request.SetHeader(h.header, h.value)
		}
	}
	return request
}

func (c *Client) describeFailure(
	ctx, bounded context.Context, limit time.Duration, connected bool, target *url.URL, err error,
) error {
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
	isProxy := ok && (failed.Op == "proxyconnect" || strings.HasPrefix(failed.Op, "socks"))
	if !isProxy && !strings.Contains(err.Error(), http.StatusText(http.StatusProxyAuthRequired)) {
		return ""
	}
	proxy, err := http.ProxyFromEnvironment(&http.Request{URL: target})
	if err != nil || proxy == nil {
		return ""
	}
	return redactURL(proxy)
}

func (c *Client) checkStatus(response *Response, credentials []credential) error {
	status := response.Status
	isPage := isHTML(response.Header.Get("Content-Type"), response.Body)
	switch {
	case isSuccess(status):
		return nil
	case status >= 300 && status < 400:
		return &NotServiceError{URL: response.url, Status: status, Problem: describeRedirect(response)}
	case isPage && status != http.StatusUnauthorized && status != http.StatusTooManyRequests:
		// An HTML page comes from another program, such as a proxy. A 401 or a 429 means the same
		// from any program.
		problem := fmt.Sprintf("answered %d with a page of HTML", status)
		return &NotServiceError{URL: response.url, Status: status, Problem: problem}
	}
	refusal := wire.ReadError(response.Status, withoutSecrets(response.Body, credentials))
	refusal.RetryAfter = wire.ParseRetryAfter(response.Header.Get(wire.HeaderRetryAfter), c.options.Now())
	refusal.Final = response.Header.Get(wire.HeaderShouldRetry) == "false"
	refusal.RequestID = cmp.Or(refusal.RequestID, response.Header.Get(wire.HeaderRequestID))
	return refusal
}

func withoutSecrets(body []byte, credentials []credential) []byte {
	for _, h := range credentials {
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

// decodeJSON accepts numbers such as 3.0 for integers, and other types than strings for variables.
// The service's HTTP interface allows both.
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
	normal, failed := json.Marshal(normalizeValue(value))
	if failed != nil {
		return err
	}
	return json.Unmarshal(normal, into)
}

// normalizeValue writes integers without fraction and exponent, and variables as strings.
func normalizeValue(value any) any {
	switch v := value.(type) {
	case json.Number:
		if n, err := v.Float64(); err == nil && n == math.Trunc(n) && math.Abs(n) <= math.MaxInt32 {
			return int(n)
		}
	case []any:
		for i := range v {
			v[i] = normalizeValue(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = normalizeValue(v[name])
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
