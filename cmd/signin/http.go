package signin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	// maxAnswer is the longest answer of a provider that is read.
	maxAnswer = 1 << 20
	// patience bounds one request to a provider.
	patience = 20 * time.Second
)

// newHTTP is a client that follows no redirect, so that nothing which is sent to
// a provider goes elsewhere, and that reads no endless answer.
func newHTTP(o Options) *http.Client {
	transport := o.Transport
	if transport == nil {
		dialer := &net.Dialer{Timeout: patience / 2}
		transport = &http.Transport{
			Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, ForceAttemptHTTP2: true,
			TLSHandshakeTimeout: patience / 2, DisableKeepAlives: true,
		}
	}
	return &http.Client{
		Transport:     bounded{transport, o.UserAgent},
		Timeout:       patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// bounded cuts answers off that are too long.
type bounded struct {
	inner     http.RoundTripper
	userAgent string
}

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.userAgent != "" {
		r = r.Clone(r.Context())
		r.Header.Set("User-Agent", b.userAgent)
	}
	answer, err := b.inner.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	answer.Body = &limited{answer.Body, maxAnswer}
	return answer, nil
}

// limited fails, rather than ends, where there is more than it may give.
type limited struct {
	io.ReadCloser
	left int
}

var errLong = fmt.Errorf("it answers more than %d KiB", maxAnswer>>10)

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	if l.left -= n; l.left < 0 {
		return 0, errLong
	}
	return n, err
}

// get reads a JSON document.
func (p *Provider) get(ctx context.Context, address string, into any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return errors.New("its address cannot be asked")
	}
	status, body, err := p.send(r)
	switch {
	case err != nil:
		return err
	case status != http.StatusOK:
		return fmt.Errorf("%s answers %d", address, status)
	case json.Unmarshal(body, into) != nil:
		return fmt.Errorf("%s answers no JSON of the expected form", address)
	}
	return nil
}

// post sends a form of this client and reads a JSON answer into the value; an
// answer that is not wanted may be nil. A refusal is a *Refused.
func (p *Provider) post(ctx context.Context, address string, form url.Values, into any) error {
	form.Set("client_id", p.options.ClientID)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return errors.New("the provider's address cannot be asked")
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Accept", "application/json")
	status, body, err := p.send(r)
	switch {
	case err != nil:
		return fmt.Errorf("identity provider %s: %w", p.about.Issuer, err)
	case status != http.StatusOK:
		return p.refusal(status, body)
	case into == nil:
		return nil
	case json.Unmarshal(body, into) != nil:
		// The body is left out: it could hold a token.
		return fmt.Errorf("identity provider %s answers no JSON of the expected form", p.about.Issuer)
	}
	return nil
}

// refusal reads an error; one without a code is the provider's own failure.
func (p *Provider) refusal(status int, body []byte) error {
	var said struct {
		Code        string `json:"error"`
		Description string `json:"error_description"`
	}
	if json.Unmarshal(body, &said) != nil || said.Code == "" || status >= http.StatusInternalServerError || status < http.StatusBadRequest {
		return &Failing{Issuer: p.about.Issuer, Status: status}
	}
	return &Refused{Code: said.Code, Description: said.Description, Status: status}
}

// Failing says that a provider does not do its work at the moment.
type Failing struct {
	Issuer string
	Status int
}

func (f *Failing) Error() string {
	return fmt.Sprintf("identity provider %s answers %d without saying why", f.Issuer, f.Status)
}

func (p *Provider) send(r *http.Request) (status int, body []byte, err error) {
	answer, err := p.http.Do(r)
	if err != nil {
		return 0, nil, withoutAddress(err)
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode >= 300 && answer.StatusCode < 400 {
		return 0, nil, fmt.Errorf("it answers with the redirect %d, which is not followed", answer.StatusCode)
	}
	if body, err = io.ReadAll(answer.Body); err != nil {
		return 0, nil, withoutAddress(err)
	}
	if kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type")); kind == "text/html" && answer.StatusCode == http.StatusOK {
		return 0, nil, errors.New("it answers with a page of HTML")
	}
	return answer.StatusCode, body, nil
}

// withoutAddress is the cause of a failed request: the address that net/http
// puts before it can hold what is secret.
func withoutAddress(err error) error {
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return failed.Err
	}
	return err
}
