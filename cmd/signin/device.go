package signin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	grantDevice     = "urn:ietf:params:oauth:grant-type:device_code"
	defaultInterval = 5 * time.Second
	slowDown        = 5 * time.Second
	slack           = 200 * time.Millisecond // for providers that reject early requests
	maxInterval     = 5 * time.Minute
	maxLife         = time.Hour
	maxAddress      = 8 << 10 // bytes
	maxUserCode     = 100     // bytes
)

// A Code is the code that the user enters on a page on any device.
type Code struct {
	User string
	// Address is the address of the page. Complete includes the code, or is "".
	Address  string
	Complete string
	Expires  time.Time
}

type deviceAnswer struct {
	Secret    string      `json:"device_code"`
	User      string      `json:"user_code"`
	Address   string      `json:"verification_uri"`
	Old       string      `json:"verification_url"` // before RFC 8628
	Complete  string      `json:"verification_uri_complete"`
	ExpiresIn json.Number `json:"expires_in"`
	Interval  json.Number `json:"interval"`
}

// SignInByDevice signs in with a code. show displays the code to the user. The provider is then
// polled until the user has entered the code or the code has expired.
func (p *Provider) SignInByDevice(ctx context.Context, show func(Code)) (Tokens, error) {
	if !p.HasDevice() {
		return Tokens{}, fmt.Errorf("identity provider %s does not support signing in with a code", p.metadata.Issuer)
	}
	form := url.Values{"scope": {strings.Join(p.options.Scopes, " ")}}
	p.addTarget(form)
	var begun deviceAnswer
	if err := p.postForm(ctx, p.metadata.Device, form, &begun); err != nil {
		return Tokens{}, err
	}
	code, err := begun.readCode(p.options.Now())
	if err != nil {
		return Tokens{}, fmt.Errorf("identity provider %s: %w", p.metadata.Issuer, err)
	}
	show(code)
	return p.pollTokens(ctx, begun, code.Expires)
}

func (p *Provider) addTarget(form url.Values) {
	if p.options.Audience != "" {
		form.Set("audience", p.options.Audience)
	}
	p.addResource(form)
}

// addResource applies to every request, as RFC 8707 requires.
func (p *Provider) addResource(form url.Values) {
	if p.options.Resource != "" {
		form.Set("resource", p.options.Resource)
	}
}

func (d *deviceAnswer) readCode(now time.Time) (Code, error) {
	if d.Address == "" {
		d.Address = d.Old
	}
	if d.Secret == "" || d.User == "" || len(d.User) > maxUserCode || !IsOpenable(d.Address) {
		return Code{}, errors.New("its response has no code or no web address")
	}
	life := readSeconds(d.ExpiresIn, 10*time.Minute, maxLife)
	code := Code{User: d.User, Address: d.Address, Expires: now.Add(life)}
	if IsOpenable(d.Complete) {
		code.Complete = d.Complete
	}
	return code, nil
}

func readSeconds(n json.Number, fallback, longest time.Duration) time.Duration {
	value, err := n.Float64()
	if err != nil || value <= 0 {
		return fallback
	}
	return time.Duration(min(value, longest.Seconds()) * float64(time.Second))
}

// IsOpenable reports whether an address may be passed to a browser on a command line.
func IsOpenable(address string) bool {
	if len(address) > maxAddress {
		return false
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return false
	}
	isSpecial := func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\"'\\`", r) }
	return !strings.ContainsFunc(address, isSpecial)
}

func (p *Provider) pollTokens(ctx context.Context, begun deviceAnswer, until time.Time) (Tokens, error) {
	form := url.Values{"grant_type": {grantDevice}, "device_code": {begun.Secret}}
	interval := readSeconds(begun.Interval, defaultInterval, maxInterval)
	for {
		if err := p.options.Sleep(ctx, interval+slack); err != nil {
			return Tokens{}, err
		}
		if p.options.Now().After(until) {
			return Tokens{}, &RefusedError{Code: CodeExpired, Description: "the code has expired before it was entered"}
		}
		tokens, err := p.requestTokens(ctx, form, "")
		refused, isRefusal := errors.AsType[*RefusedError](err)
		failing, isFailing := errors.AsType[*ProviderError](err)
		switch {
		case err == nil || ctx.Err() != nil:
			return tokens, err
		case isRefusal && refused.Code == "authorization_pending":
		case isRefusal && (refused.Code == "slow_down" || refused.Status == http.StatusTooManyRequests):
			interval = min(interval+slowDown, maxInterval)
		case isFailing && failing.isTemporary() || isUnreachable(err):
			interval = min(2*interval, maxInterval)
		default:
			return Tokens{}, err
		}
	}
}

func isUnreachable(err error) bool {
	_, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](err)
	return ok || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}
