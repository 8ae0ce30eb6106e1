package provider

import (
	"cmp"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-resty/resty/v2"

	"github.com/parley-npc/parley/personas/plaintext"
)

const (
	connectTimeout = 10 * time.Second
	maxHeaders     = 64 << 10
	maxRefusal     = 64 << 10
)

// The client has no timeout, because a timeout of resty would also apply to streams.
func newResty() *resty.Client {
	transport := &http.Transport{
		Proxy:                  proxyFor,
		DialContext:            (&net.Dialer{Timeout: connectTimeout, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:    connectTimeout,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           128,
		MaxIdleConnsPerHost:    64,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: maxHeaders,
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	client := &http.Client{Transport: transport, CheckRedirect: stay}
	return resty.NewWithClient(client).SetLogger(silentLogger{}).SetDisableWarn(true)
}

func proxyFor(r *http.Request) (*url.URL, error) {
	if r.URL.Scheme == "http" && isNear(r.URL.Hostname()) {
		return nil, nil
	}
	return http.ProxyFromEnvironment(r)
}

type silentLogger struct{}

func (silentLogger) Errorf(string, ...any) {}
func (silentLogger) Warnf(string, ...any)  {}
func (silentLogger) Debugf(string, ...any) {}

// The caller must read and close the body.
func (a *asker) sendRequest(
	ctx context.Context, method, path string, body []byte, accept string,
) (io.ReadCloser, error) {
	request := a.client.resty.R().SetContext(ctx).SetDoNotParseResponse(true).
		SetHeader("User-Agent", "parley/"+a.client.options.Version).SetHeader("Accept", accept).
		SetHeaders(a.format.authHeaders(a.key.Reveal()))
	if body != nil {
		request.SetHeader("Content-Type", "application/json").SetBody(body)
	}
	answer, err := request.Execute(method, a.base.String()+path)
	if err != nil {
		return nil, a.classifyError(ctx, err)
	}
	return a.checkAnswer(ctx, answer.RawResponse)
}

func (a *asker) fetchOnce(ctx context.Context, method, path string, body []byte) ([]byte, *failure) {
	answer, err := a.sendRequest(ctx, method, path, body, "application/json")
	if err != nil {
		return nil, failureOf(err)
	}
	defer func() { _ = answer.Close() }()
	text, err := a.readWhole(ctx, answer)
	return text, failureOf(err)
}

func (a *asker) checkAnswer(ctx context.Context, response *http.Response) (io.ReadCloser, error) {
	page := strings.HasPrefix(response.Header.Get("Content-Type"), "text/html")
	if response.StatusCode/100 == 2 && !page {
		return http.MaxBytesReader(nil, response.Body, int64(a.client.options.Limits.Body)), nil
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxRefusal))
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, a.classifyError(ctx, err)
	case response.StatusCode/100 == 2:
		return nil, &failure{
			kind: Down, problem: "the server at " + a.base.Host + " returned a web page, so it is not an API",
			hint: pathHint,
		}
	}
	return nil, readRefusal(response.StatusCode, response.Header, text, a.client.options.Now())
}

func (a *asker) readWhole(ctx context.Context, answer io.Reader) ([]byte, error) {
	text, err := io.ReadAll(answer)
	if err != nil {
		return nil, a.classifyError(ctx, err)
	}
	return text, nil
}

// LongestWait is the default of Limits.Wait.
const LongestWait = 20 * time.Second

// Limits are limits for calls to a provider. A zero field means its default.
type Limits struct {
	// Answer is the maximum length of an answer's text in bytes. The default is 1 MiB.
	Answer int
	// Body is the maximum length of a response body in bytes. The default is 16 MiB, because a
	// stream wraps each piece in JSON.
	Body int
	// Whole is the time limit of Ask. The default is 5 minutes.
	Whole time.Duration
	// Wait is the longest wait before the second attempt. The default is LongestWait. A longer
	// Retry-After prevents the attempt.
	Wait time.Duration
	// Probe is the time limit for the list of models of a local provider. The default is 1 second.
	// Other providers get five times as long.
	Probe time.Duration
	// Drain is the maximum wait for the end of the response body after a stream. The default is 50
	// milliseconds.
	Drain time.Duration
}

func (l Limits) withDefaults() Limits {
	l.Answer = cmp.Or(l.Answer, 1<<20)
	l.Body = cmp.Or(l.Body, 16<<20)
	l.Whole = cmp.Or(l.Whole, 5*time.Minute)
	l.Wait = cmp.Or(l.Wait, LongestWait)
	l.Probe = cmp.Or(l.Probe, time.Second)
	l.Drain = cmp.Or(l.Drain, 50*time.Millisecond)
	return l
}

const (
	// charactersPerToken is more than the average in any language, so the server's token limit
	// applies first.
	charactersPerToken = 6
	lengthGrace        = 400
)

type lengthLimit struct {
	limit       int
	count, came int
	reached     bool
}

func (l *lengthLimit) countCome(piece string) {
	l.came += utf8.RuneCountInString(piece)
	limit := l.limit + lengthGrace + thinkingRoom*charactersPerToken
	if l.limit > 0 && l.came > limit {
		l.reached = true
	}
}

func (l *lengthLimit) cutPiece(piece string) string {
	if l.reached {
		return ""
	}
	before := l.count
	l.count += utf8.RuneCountInString(piece)
	if l.limit == 0 || l.count <= l.limit+lengthGrace {
		return piece
	}
	l.reached = true
	return string([]rune(piece)[:l.limit+lengthGrace-before]) + plaintext.Ellipsis
}
