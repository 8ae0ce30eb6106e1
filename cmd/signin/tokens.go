package signin

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
)

// Tokens is the result of a sign-in. Tokens prints as a placeholder.
type Tokens struct {
	Access  string    `json:"access_token"`
	Refresh string    `json:"refresh_token,omitempty"`
	Issued  time.Time `json:"issued_at"`
	// Expires is the expiry of the access token, or zero if unknown.
	Expires time.Time `json:"expires_at,omitzero"`
	Scope   string    `json:"scope,omitempty"`
	Person  Person    `json:"person"`
}

// A Person is the user who signed in, as described by the provider.
type Person struct {
	Subject string `json:"sub,omitempty"`
	Email   string `json:"email,omitempty"`
	Name    string `json:"name,omitempty"`
}

// Label returns the person's e-mail address, or else the name or the subject.
func (p Person) Label() string { return cmp.Or(p.Email, p.Name, p.Subject) }

const hiddenTokens = "[tokens]"

func (t Tokens) String() string { return hiddenTokens }

func (t Tokens) GoString() string { return hiddenTokens }

func (t Tokens) LogValue() slog.Value { return slog.StringValue(hiddenTokens) }

// renewBefore is the remaining life of a token at the renewal, at most a quarter of the life.
const renewBefore = 2 * time.Minute

// IsDue reports whether to renew the access token. A token without a known expiry is never due.
func (t Tokens) IsDue(now time.Time) bool {
	if t.Expires.IsZero() {
		return false
	}
	before := min(renewBefore, t.Expires.Sub(t.Issued)/4)
	return !now.Before(t.Expires.Add(-before))
}

// IsExpired reports whether the access token has expired.
func (t Tokens) IsExpired(now time.Time) bool { return !t.Expires.IsZero() && !now.Before(t.Expires) }

type tokenAnswer struct {
	Access    string      `json:"access_token"`
	Type      string      `json:"token_type"`
	ExpiresIn json.Number `json:"expires_in"`
	Refresh   string      `json:"refresh_token"`
	Scope     string      `json:"scope"`
	ID        string      `json:"id_token"`
}

var errKeysSilent = errors.New("its keys for verifying the ID token cannot be fetched at the moment")

// With errKeysSilent, requestTokens also returns the tokens, without a Person.
func (p *Provider) requestTokens(ctx context.Context, form url.Values, nonce string) (Tokens, error) {
	var got tokenAnswer
	p.addResource(form)
	if err := p.postForm(ctx, p.metadata.Token, form, &got); err != nil {
		return Tokens{}, err
	}
	if err := got.checkAnswer(); err != nil {
		return Tokens{}, fmt.Errorf("identity provider %s: %w", p.metadata.Issuer, err)
	}
	now := p.options.Now().UTC()
	tokens := Tokens{
		Access: got.Access, Refresh: got.Refresh, Scope: got.Scope, Issued: now, Expires: got.expiryTime(now),
	}
	person, err := p.verifyPerson(ctx, got, nonce)
	if err != nil {
		if !errors.Is(err, errKeysSilent) {
			tokens = Tokens{}
		}
		return tokens, fmt.Errorf("identity provider %s: %w", p.metadata.Issuer, err)
	}
	tokens.Person = person
	return tokens, nil
}

func (a *tokenAnswer) checkAnswer() error {
	switch {
	case a.Access == "":
		return errors.New("it returned no access token")
	case !strings.EqualFold(a.Type, "bearer"):
		return errors.New("it returned a token that is not a bearer token")
	case !IsPlain(a.Access) || !IsPlain(a.Refresh):
		return errors.New("it returned a token with invalid characters")
	}
	return nil
}

// IsPlain reports whether a token is printable ASCII without spaces.
func IsPlain(token string) bool {
	return !strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' })
}

func (a *tokenAnswer) expiryTime(now time.Time) time.Time {
	if seconds, err := a.ExpiresIn.Float64(); err == nil && seconds > 0 && seconds < 1e9 {
		return now.Add(time.Duration(seconds * float64(time.Second)))
	}
	_, expires := ReadClaims(a.Access)
	return expires
}

func (p *Provider) verifyPerson(ctx context.Context, got tokenAnswer, nonce string) (Person, error) {
	if got.ID == "" {
		person, _ := ReadClaims(got.Access)
		return person, nil
	}
	if p.metadata.Keys == "" {
		return Person{}, errors.New("the provider returned an ID token, but publishes no keys to verify the token")
	}
	ctx = oidc.ClientContext(ctx, p.http)
	keys := &watchedKeys{KeySet: oidc.NewRemoteKeySet(ctx, p.metadata.Keys)}
	algorithms := slices.DeleteFunc(slices.Clone(p.metadata.Algorithms), func(name string) bool {
		return strings.EqualFold(name, "none") || strings.HasPrefix(name, "HS") // HS needs a client secret.
	})
	verifier := oidc.NewVerifier(p.metadata.Issuer, keys, &oidc.Config{
		ClientID: p.options.ClientID, SupportedSigningAlgs: algorithms, Now: p.options.Now,
	})
	token, err := verifier.Verify(ctx, got.ID)
	if _, late := errors.AsType[*oidc.TokenExpiredError](err); late {
		return Person{}, errors.New("its ID token has already expired: check the clock of this machine")
	}
	switch {
	case err != nil && keys.silent:
		return Person{}, errKeysSilent
	case err != nil:
		return Person{}, errors.New("its ID token cannot be verified")
	}
	if nonce != "" && token.Nonce != nonce {
		return Person{}, errors.New("its ID token is for another sign-in")
	}
	if token.AccessTokenHash != "" && token.VerifyAccessToken(got.Access) != nil {
		return Person{}, errors.New("its ID token belongs to another access token")
	}
	var named claims
	if token.Claims(&named) != nil {
		return Person{}, errors.New("its ID token cannot be read")
	}
	return named.toPerson(), nil
}

// watchedKeys tells unreachable keys from invalid signatures. Both have the same error type.
type watchedKeys struct {
	oidc.KeySet
	silent bool
}

func (k *watchedKeys) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	payload, err := k.KeySet.VerifySignature(ctx, token)
	k.silent = errors.Unwrap(err) != nil // Invalid signatures wrap nothing.
	return payload, err
}

type claims struct {
	Subject  string  `json:"sub"`
	Email    string  `json:"email"`
	Name     string  `json:"name"`
	Username string  `json:"preferred_username"`
	Expires  float64 `json:"exp"`
}

func (c *claims) toPerson() Person {
	return Person{Subject: c.Subject, Email: c.Email, Name: cmp.Or(c.Name, c.Username)}
}

// ReadClaims returns the unverified person and expiry in a JWT, for display.
func ReadClaims(token string) (Person, time.Time) {
	var head json.RawMessage
	var named claims
	if !decodeJWT(token, &head, &named) {
		return Person{}, time.Time{}
	}
	var expires time.Time
	if named.Expires > 0 && named.Expires < 1e11 {
		expires = time.Unix(int64(named.Expires), 0).UTC()
	}
	return named.toPerson(), expires
}

// Renew returns new tokens for old tokens (RFC 6749 section 6). Unverified tokens are returned if
// the keys are unreachable, because the old refresh token is used up.
func (p *Provider) Renew(ctx context.Context, old Tokens) (Tokens, error) {
	if old.Refresh == "" {
		return Tokens{}, &RefusedError{Code: "invalid_grant", Description: "the sign-in has no refresh token"}
	}
	form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {old.Refresh}}
	fresh, err := p.requestTokens(ctx, form, "")
	if err != nil && !errors.Is(err, errKeysSilent) {
		return Tokens{}, err
	}
	before, after := old.Person.Subject, fresh.Person.Subject
	if before != "" && after != "" && before != after {
		return Tokens{}, fmt.Errorf("identity provider %s returned a token of another user", p.metadata.Issuer)
	}
	fresh.Refresh = cmp.Or(fresh.Refresh, old.Refresh)
	fresh.Scope = cmp.Or(fresh.Scope, old.Scope)
	if fresh.Person.Label() == "" || fresh.Person.Email == "" && old.Person.Email != "" {
		fresh.Person = old.Person
	}
	return fresh, nil
}

func decodeJWT(token string, head, body any) bool {
	parts := strings.Split(token, ".")
	if len(parts) != 3 || len(token) > maxAnswer {
		return false
	}
	return decodePart(parts[0], head) && decodePart(parts[1], body)
}

func decodePart(part string, into any) bool {
	text, err := base64.RawURLEncoding.DecodeString(part)
	return err == nil && json.Unmarshal(text, into) == nil
}

// ErrNoRevocation means that a provider does not support revocation.
var ErrNoRevocation = errors.New("the identity provider does not support revoking tokens")

// ErrNotRevocable means that a provider cannot revoke this kind of token.
var ErrNotRevocable = errors.New("the identity provider does not support revoking access tokens")

const codeUnsupportedType = "unsupported_token_type" // RFC 7009 section 2.2.1

// Revoke revokes the refresh token or else the access token at the provider (RFC 7009).
func (p *Provider) Revoke(ctx context.Context, t Tokens) error {
	if p.metadata.Revocation == "" {
		return ErrNoRevocation
	}
	form := url.Values{"token": {t.Access}, "token_type_hint": {"access_token"}}
	if t.Refresh != "" {
		form = url.Values{"token": {t.Refresh}, "token_type_hint": {"refresh_token"}}
	}
	err := p.postForm(ctx, p.metadata.Revocation, form, nil)
	if refused, ok := errors.AsType[*RefusedError](err); ok && refused.Code == codeUnsupportedType {
		return ErrNotRevocable
	}
	return err
}
