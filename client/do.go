package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-resty/resty/v2"
	"github.com/google/uuid"

	"github.com/parley-npc/parley/personas/retry"
	"github.com/parley-npc/parley/personas/wire"
)

// call is one call of the service, over all its attempts.
type call struct {
	method string
	// path is a pattern of personas/wire; id fills its variable.
	path  string
	id    string
	query url.Values
	// body is JSON, or nil.
	body    []byte
	ifMatch string
	// key is the Idempotency-Key: the service carries the call out once, however
	// often it arrives.
	key string
	// again marks a call that does the same when it arrives twice.
	again bool
	// slow marks a call in which a model may think.
	slow bool
	// least is a time that an attempt may take, whatever the client's limits are.
	least time.Duration
	// as says who calls; nil is whom the client's token names.
	as signer
}

// signer gives the headers that say who calls, for one attempt.
type signer func(ctx context.Context) ([]credential, error)

// credential is a header. The name that stands for it, where it is a secret,
// replaces it in an error body that repeats it.
type credential struct{ header, value, name string }

// repeatable calls may be sent again although the service may have had them.
func (k call) repeatable() bool { return k.key != "" || k.again }

// Response is an answer as it came.
type Response struct {
	Status int
	// Proto is the protocol that it came in, such as HTTP/1.1.
	Proto  string
	Header http.Header
	Body   []byte
	url    string
}

// ask makes a call and decodes its answer.
func ask[T any](ctx context.Context, c *Client, k call) (T, error) {
	var answer T
	response, err := c.do(ctx, k)
	if err == nil {
		err = response.decode(&answer)
	}
	return answer, err
}

// tell makes a call whose answer has nothing to say. A page of HTML is refused
// all the same: it comes from something that did not do what was asked.
func (c *Client) tell(ctx context.Context, k call) error {
	response, err := c.do(ctx, k)
	if err != nil || !isHTML(response.Header.Get("Content-Type"), response.Body) {
		return err
	}
	return response.decode(new(any))
}

func (r *Response) decode(into any) error {
	err := json.Unmarshal(r.Body, into)
	if err == nil {
		return nil
	}
	return &NotService{URL: r.url, Status: r.Status, Problem: badJSON(r.Header.Get("Content-Type"), r.Body, err)}
}

// do makes a call and gives its answer.
func (c *Client) do(ctx context.Context, k call) (response *Response, err error) {
	err = c.try(ctx, k, func(target *url.URL) (who []credential, again bool, err error) {
		response, who, err = c.attempt(ctx, k, target)
		return who, true, err
	})
	return response, err
}

// sender makes one attempt of a call. It gives who made it, and whether there may
// be another one.
type sender func(target *url.URL) (who []credential, again bool, err error)

// try sends a call until it is answered, or refused, or the policy says enough,
// or the attempt itself says that there must not be another. A token that is
// refused is renewed once.
func (c *Client) try(ctx context.Context, k call, send sender) error {
	target, err := c.target(k)
	if err != nil {
		return err
	}
	renewed := false
	for attempt := 1; ; attempt++ {
		who, again, err := send(target)
		if err == nil || ctx.Err() != nil || !again {
			return err
		}
		if isUnauthenticated(err) && !renewed {
			if renewed, err = c.renewed(ctx, who, err); renewed {
				attempt--
				continue
			}
			return err
		}
		wait, again := c.planRetry(k, attempt, err)
		if !again {
			return err
		}
		if c.pace != nil && isLimited(err) {
			continue
		}
		c.onRetry(Retry{
			Method: k.method, Path: target.EscapedPath(), Attempt: attempt, Attempts: c.retry.Attempts,
			Wait: wait, Err: err, Reason: reason(err),
		})
		if stopped := c.sleep(ctx, wait); stopped != nil {
			return fmt.Errorf("stopped while waiting to try again: %w: %w", stopped, err)
		}
	}
}

// renewed asks for another token than the one that was refused.
func (c *Client) renewed(ctx context.Context, who []credential, refusal error) (bool, error) {
	token := tokenOf(who)
	if token == "" {
		return false, refusal
	}
	again, err := c.renew(ctx, token)
	switch {
	case err != nil:
		return false, err
	case !again:
		return false, refusal
	}
	return true, nil
}

// target is the URL of a call. An id that is missing would make it another call.
func (c *Client) target(k call) (*url.URL, error) {
	if _, variable, ok := strings.Cut(k.path, "{"); ok && k.id == "" {
		what, _, _ := strings.Cut(variable, "_")
		return nil, fmt.Errorf("a %s id is missing", what)
	}
	for name, value := range map[string]string{wire.HeaderIdempotencyKey: k.key, "If-Match": k.ifMatch, "User-Agent": c.userAgent} {
		if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return nil, fmt.Errorf("the header %s cannot hold a line break or a control character", name)
		}
	}
	target, err := url.Parse(c.base.String() + wire.Path(k.path, k.id))
	if err != nil {
		return nil, fmt.Errorf("the path of the call: %w", cause(err))
	}
	target.RawQuery = k.query.Encode()
	return target, nil
}

// attempt sends a call once, and gives as whom.
func (c *Client) attempt(ctx context.Context, k call, target *url.URL) (response *Response, who []credential, err error) {
	if err := c.pace.enter(ctx); err != nil {
		return nil, nil, err
	}
	defer func() { c.pace.leave(response) }()
	if who, err = c.sign(ctx, k); err != nil {
		return nil, nil, err
	}
	limit := c.limit(k)
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var connected atomic.Bool
	answer, err := c.request(watch(bounded, &connected), k, who).Execute(k.method, target.String())
	if err != nil {
		return nil, who, c.failure(ctx, bounded, limit, connected.Load(), target, err)
	}
	response = &Response{Status: answer.StatusCode(), Proto: answer.Proto(), Header: answer.Header(), Body: answer.Body(), url: shown(target)}
	return response, who, c.judge(response, who)
}

// sign gives the headers that say who makes a call.
func (c *Client) sign(ctx context.Context, k call) ([]credential, error) {
	if k.as != nil {
		return k.as(ctx)
	}
	token, err := c.token(ctx)
	if err == nil {
		err = checkToken(token)
	}
	if err != nil {
		return nil, fmt.Errorf("the access token cannot be used: %w", err)
	}
	if token == "" {
		return nil, nil
	}
	return []credential{{header: headerAuthorization, value: "Bearer " + token}, {value: token, name: tokenName}}, nil
}

const (
	headerAuthorization = "Authorization"
	// tokenName stands for the client's token where an answer repeats it
	// (docs/decisions/client.md, token-in-error).
	tokenName = "[token]"
)

// tokenOf is the client's token among credentials; "" when it is not what said who
// calls.
func tokenOf(who []credential) (token string) {
	for _, h := range who {
		switch {
		case h.name == tokenName:
			token = h.value
		case token != "" && strings.EqualFold(h.header, headerAuthorization):
			return "" // a caller's own one came after it and won
		}
	}
	return token
}

// limit is how long one attempt may take.
func (c *Client) limit(k call) time.Duration {
	limit := c.timeout
	if k.slow {
		limit = c.patience
	}
	limit = max(limit, k.least)
	if c.http.Timeout > 0 {
		limit = min(limit, c.http.Timeout)
	}
	return limit
}

// watch notes whether a connection was had, which tells a request that was
// perhaps received from one that never was.
func watch(ctx context.Context, connected *atomic.Bool) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	})
}

func (c *Client) request(ctx context.Context, k call, who []credential) *resty.Request {
	request := c.resty.R().SetContext(ctx).SetHeader("Accept", "application/json").SetHeader("User-Agent", c.userAgent)
	if k.key != "" {
		request.SetHeader(wire.HeaderIdempotencyKey, k.key)
	}
	if k.ifMatch != "" {
		request.SetHeader("If-Match", k.ifMatch)
	}
	if k.body != nil {
		request.SetHeader("Content-Type", "application/json").SetBody(k.body)
	}
	for _, h := range who { // Last, because a caller's own headers win (Request).
		if h.header != "" {
			request.SetHeader(h.header, h.value)
		}
	}
	return request
}

// failure names what kept a call from being answered.
func (c *Client) failure(ctx, bounded context.Context, limit time.Duration, connected bool, target *url.URL, err error) error {
	timeout, isTimeout := errors.AsType[interface {
		error
		Timeout() bool
	}](err)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("the call of %s was given up: %w", shown(target), context.Cause(ctx))
	case errors.Is(err, resty.ErrResponseBodyTooLarge):
		return &NotService{URL: shown(target), Problem: fmt.Sprintf("answered more than %d MiB", MaxAnswer>>20)}
	case bounded.Err() != nil, connected && isTimeout && timeout.Timeout():
		return &TimedOut{URL: shown(target), After: limit}
	}
	return &Unreachable{URL: c.Address(), Err: cause(err), Broken: connected}
}

// judge makes an error of every answer but a 2xx.
func (c *Client) judge(response *Response, who []credential) error {
	switch status := response.Status; {
	case status >= 200 && status < 300:
		return nil
	case status >= 300 && status < 400:
		return &NotService{URL: response.url, Status: status, Problem: redirected(response)}
	case isStrangePage(response):
		problem := fmt.Sprintf("answered %d with a page of HTML", status)
		return &NotService{URL: response.url, Status: status, Problem: problem}
	}
	refusal := wire.ReadError(response.Status, withoutSecrets(response.Body, who))
	refusal.RetryAfter = retry.ParseAfter(response.Header.Get(wire.HeaderRetryAfter), c.now())
	refusal.Final = response.Header.Get(wire.HeaderShouldRetry) == "false"
	refusal.RequestID = cmp.Or(refusal.RequestID, response.Header.Get(wire.HeaderRequestID))
	return refusal
}

// withoutSecrets takes the caller's secrets out of a body that repeats them.
func withoutSecrets(body []byte, who []credential) []byte {
	for _, h := range who {
		if h.name != "" && h.value != "" {
			body = bytes.ReplaceAll(body, []byte(h.value), []byte(h.name))
		}
	}
	return body
}

// isStrangePage tells a page of something that is not the service. 401 and 429
// mean the same whoever words them.
func isStrangePage(r *Response) bool {
	return r.Status != http.StatusUnauthorized && r.Status != http.StatusTooManyRequests &&
		isHTML(r.Header.Get("Content-Type"), r.Body)
}

func redirected(r *Response) string {
	to, err := url.Parse(r.Header.Get("Location"))
	if err != nil || to.String() == "" {
		return fmt.Sprintf("answered with the redirect %d to nowhere", r.Status)
	}
	return fmt.Sprintf("answered with the redirect %d to %s, which is not followed", r.Status, shown(to))
}

// newKey is a key for a call that must not be carried out twice.
func newKey() string { return uuid.NewString() }
