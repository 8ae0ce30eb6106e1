package signin

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

const (
	callbackPath    = "/callback" // at any port (RFC 8252 section 7.3)
	browserTimeout  = 10 * time.Minute
	shutdownTimeout = 2 * time.Second
)

type browserAttempt struct {
	redirect string
	host     string
	state    string
	nonce    string
	verifier string
	// answers receives the first valid callback, and result the outcome for the page.
	answers chan url.Values
	result  chan error
}

// SignInByBrowser calls open with the sign-in page, and accept with the received tokens. The page
// reports success if accept returns nil.
func (p *Provider) SignInByBrowser(
	ctx context.Context, open func(address string), accept func(context.Context, Tokens) error,
) (Tokens, error) {
	if !p.HasBrowser() {
		return Tokens{}, fmt.Errorf("identity provider %s does not support signing in with a browser", p.metadata.Issuer)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return Tokens{}, fmt.Errorf("listen for the browser on this machine: %w", err)
	}
	attempt := newBrowserAttempt(listener.Addr().String())
	server := &http.Server{
		Handler: attempt, ReadHeaderTimeout: patience, WriteTimeout: browserTimeout, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	ended := make(chan struct{})
	go func() { _ = server.Serve(listener); close(ended) }()
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
		defer cancel()
		if server.Shutdown(ctx) != nil {
			_ = server.Close()
		}
		<-ended
	}()
	open(p.authorizeURL(attempt))
	tokens, err := p.awaitBrowser(ctx, attempt)
	if err == nil {
		err = accept(ctx, tokens)
	}
	attempt.result <- err
	return tokens, err
}

func newBrowserAttempt(host string) *browserAttempt {
	return &browserAttempt{
		host: host, redirect: "http://" + host + callbackPath,
		state: rand.Text(), nonce: rand.Text(), verifier: rand.Text() + rand.Text(),
		answers: make(chan url.Values, 1), result: make(chan error, 1),
	}
}

func (p *Provider) authorizeURL(a *browserAttempt) string {
	sum := sha256.Sum256([]byte(a.verifier))
	query := url.Values{
		"response_type": {"code"}, "client_id": {p.options.ClientID}, "redirect_uri": {a.redirect},
		"scope": {strings.Join(p.options.Scopes, " ")}, "state": {a.state}, "nonce": {a.nonce},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
	}
	p.addTarget(query)
	if p.asksConsent() {
		query.Set("prompt", "consent")
	}
	joint := "?"
	if strings.Contains(p.metadata.Authorization, "?") {
		joint = "&"
	}
	return p.metadata.Authorization + joint + query.Encode()
}

// asksConsent is true if refresh tokens need consent (OpenID Connect Core 1.0 section 11).
func (p *Provider) asksConsent() bool {
	prompts := p.metadata.Prompts
	canAsk := len(prompts) == 0 || slices.Contains(prompts, "consent")
	return canAsk && slices.Contains(p.options.Scopes, "offline_access")
}

func (p *Provider) awaitBrowser(ctx context.Context, a *browserAttempt) (Tokens, error) {
	expired := &RefusedError{Code: CodeExpired, Description: "the time for signing in with the browser is over"}
	ctx, cancel := context.WithTimeoutCause(ctx, browserTimeout, expired)
	defer cancel()
	select {
	case <-ctx.Done():
		return Tokens{}, context.Cause(ctx)
	case callback := <-a.answers:
		return p.exchangeCode(ctx, a, callback)
	}
}

func (p *Provider) exchangeCode(ctx context.Context, a *browserAttempt, callback url.Values) (Tokens, error) {
	issuer := callback.Get("iss")
	switch {
	case issuer != "" && issuer != p.metadata.Issuer, issuer == "" && p.metadata.NamesItself:
		return Tokens{}, errors.New("the browser's answer comes from another identity provider")
	case callback.Get("error") != "":
		return Tokens{}, &RefusedError{
			Code: shortenText(callback.Get("error")), Description: shortenText(callback.Get("error_description")),
		}
	case callback.Get("code") == "":
		return Tokens{}, errors.New("the identity provider sent the browser back without a code")
	}
	return p.requestTokens(ctx, url.Values{
		"grant_type": {"authorization_code"}, "code": {callback.Get("code")},
		"redirect_uri": {a.redirect}, "code_verifier": {a.verifier},
	}, a.nonce)
}

// ServeHTTP handles the callback. A request without the state of this attempt is rejected.
func (a *browserAttempt) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	hasState := subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(a.state)) == 1
	switch {
	case r.Host != a.host || r.URL.Path != callbackPath || r.Method != http.MethodGet:
		http.NotFound(w, r)
		return
	case !hasState:
		writePage(w, http.StatusBadRequest, "This is not the current sign-in", "Go back to the terminal and start again.")
		return
	}
	select {
	case a.answers <- query:
	default:
		writePage(w, http.StatusConflict, "This sign-in is already complete", "You can close this page.")
		return
	}
	select {
	case err := <-a.result:
		if err == nil {
			writePage(w, http.StatusOK, "You are signed in", "You can close this page and go back to the terminal.")
			return
		}
	case <-r.Context().Done():
	}
	writePage(w, http.StatusOK, "You are not signed in", "The terminal shows the reason. You can close this page.")
}

func writePage(w http.ResponseWriter, status int, title, text string) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Connection", "close")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">"+
		"<title>%s · Parley</title><h1>%s</h1><p>%s</p></html>\n", title, title, text)
}
