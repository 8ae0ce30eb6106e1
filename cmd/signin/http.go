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
	maxAnswer = 1 << 20 // bytes
	patience  = 20 * time.Second
)

// newHTTP disables redirects, so requests reach only the provider.
func newHTTP(transport http.RoundTripper, userAgent string) *http.Client {
	if transport == nil {
		dialer := &net.Dialer{Timeout: patience / 2}
		transport = &http.Transport{
			Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, ForceAttemptHTTP2: true,
			TLSHandshakeTimeout: patience / 2, DisableKeepAlives: true,
		}
	}
	return &http.Client{
		Transport:     boundedTransport{transport, userAgent},
		Timeout:       patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

type boundedTransport struct {
	inner     http.RoundTripper
	userAgent string
}

func (b boundedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.userAgent != "" {
		r = r.Clone(r.Context())
		r.Header.Set("User-Agent", b.userAgent)
	}
	response, err := b.inner.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	response.Body = &limitedBody{response.Body, maxAnswer}
	return response, nil
}

type limitedBody struct {
	io.ReadCloser
	left int
}

var errLong = fmt.Errorf("its answer is larger than %d KiB", maxAnswer>>10)

func (l *limitedBody) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	l.left -= n
	if l.left < 0 {
		return 0, errLong
	}
	return n, err
}

func getJSON(ctx context.Context, c *http.Client, address string, into any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return errors.New("its address is not valid for a request")
	}
	r.Header.Set("Accept", "application/json")
	got, err := sendRequest(c, r)
	switch {
	case err != nil:
		return err
	case got.status != http.StatusOK:
		return &noDocumentError{fmt.Sprintf("%s sends HTTP %d", address, got.status)}
	case json.Unmarshal(got.body, into) != nil:
		return &noDocumentError{address + " does not answer with the expected JSON"}
	}
	return nil
}

func (p *Provider) postForm(ctx context.Context, address string, form url.Values, result any) error {
	form.Set("client_id", p.options.ClientID)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return errors.New("the provider's address is not valid for a request")
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Accept", "application/json")
	got, err := sendRequest(p.http, r)
	switch {
	case err != nil:
		return fmt.Errorf("identity provider %s: %w", p.metadata.Issuer, err)
	case got.status != http.StatusOK:
		return p.readRefusal(got.status, got.body)
	case result == nil:
		return nil
	case json.Unmarshal(got.body, result) != nil:
		// Omit the body, because a response can contain a token.
		return fmt.Errorf("identity provider %s does not answer with the expected JSON", p.metadata.Issuer)
	}
	return nil
}

func (p *Provider) readRefusal(status int, body []byte) error {
	var refusal struct {
		Code        string `json:"error"`
		Description string `json:"error_description"`
	}
	isClientError := status >= http.StatusBadRequest && status < http.StatusInternalServerError
	if !isClientError || json.Unmarshal(body, &refusal) != nil || refusal.Code == "" {
		return &ProviderError{Issuer: p.metadata.Issuer, Status: status}
	}
	return &RefusedError{
		Code: shortenText(refusal.Code), Description: shortenText(refusal.Description), Status: status,
	}
}

// A ProviderError means that the provider failed to process a request.
type ProviderError struct {
	Issuer string
	Status int
}

func (f *ProviderError) Error() string {
	return fmt.Sprintf("identity provider %s answers with status %d and no reason", f.Issuer, f.Status)
}

func (f *ProviderError) isTemporary() bool {
	return f.Status >= http.StatusInternalServerError || f.Status == http.StatusTooManyRequests
}

type answer struct {
	status int
	body   []byte
}

func sendRequest(c *http.Client, r *http.Request) (answer, error) {
	response, err := c.Do(r)
	if err != nil {
		return answer{}, causeOf(r.Context(), err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode >= 300 && response.StatusCode < 400 {
		return answer{}, fmt.Errorf("it answers with the redirect %d, which is not followed", response.StatusCode)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return answer{}, causeOf(r.Context(), err)
	}
	mediaType, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if mediaType == "text/html" && response.StatusCode == http.StatusOK {
		return answer{}, &noDocumentError{"it answers with a page of HTML"}
	}
	return answer{response.StatusCode, body}, nil
}

// causeOf removes the address that net/http adds, because the address can contain a secret.
func causeOf(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return failed.Err
	}
	return err
}
