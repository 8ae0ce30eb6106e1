package identity

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4/jwt"
)

const (
	grantCode    = "authorization_code"
	grantRefresh = "refresh_token"
	grantDevice  = "urn:ietf:params:oauth:grant-type:device_code"
)

const (
	maxForm     = 64 << 10
	maxClientID = 100
)

// oauthError has the format of RFC 6749 section 5.2.
type oauthError struct {
	Code        string `json:"error"`
	Description string `json:"error_description,omitempty"`
}

func (e *oauthError) Error() string { return e.Code + ": " + e.Description }

func invalidRequest(description string) error {
	return &oauthError{Code: "invalid_request", Description: description}
}

func invalidClient(description string) error {
	return &oauthError{Code: "invalid_client", Description: description}
}

func invalidGrant(description string) error {
	return &oauthError{Code: "invalid_grant", Description: description}
}

func writeOAuthError(w http.ResponseWriter, err error) {
	refused, ok := errors.AsType[*oauthError](err)
	unavailable, isUnavailable := errors.AsType[*Unavailable](err)
	switch {
	case isUnavailable:
		seconds := int(max(unavailable.RetryAfter, time.Second) / time.Second)
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
		refused = &oauthError{Code: "temporarily_unavailable", Description: unavailable.Error()}
		writeJSON(w, http.StatusServiceUnavailable, refused)
	case !ok:
		writeJSON(w, http.StatusInternalServerError, &oauthError{Code: "server_error", Description: "internal error"})
	case refused.Code == "invalid_client":
		w.Header().Set("WWW-Authenticate", `Basic realm="parley"`)
		writeJSON(w, http.StatusUnauthorized, refused)
	default:
		writeJSON(w, http.StatusBadRequest, refused)
	}
}

func readForm(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		return nil, invalidRequest("the form is malformed")
	}
	if len(r.PostForm) == 0 {
		return nil, invalidRequest("the body must be a form, application/x-www-form-urlencoded")
	}
	return r.PostForm, requireSingle(r.PostForm)
}

func requireSingle(form url.Values) error {
	for _, values := range form {
		if len(values) > 1 {
			return invalidRequest("a parameter is set twice")
		}
	}
	return nil
}

// clientForm rejects a client secret before a code is used up. A library can retry without the
// secret.
func clientForm(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	if r.Header.Get("Authorization") != "" {
		return nil, invalidClient("clients do not use secrets here: send client_id in the form")
	}
	form, err := readForm(w, r)
	if err != nil {
		return nil, err
	}
	return form, checkClient(form.Get("client_id"))
}

// checkClient rejects Audience. An ID token for this client would be a valid access token.
func checkClient(id string) error {
	isUnprintable := func(r rune) bool { return r <= ' ' || r > '~' }
	if id == "" || id == Audience || len(id) > maxClientID || strings.ContainsFunc(id, isUnprintable) {
		return invalidClient("client_id must be a name of up to 100 printable characters, for example " + ClientID)
	}
	return nil
}

func (p *Provider) serveToken(w http.ResponseWriter, r *http.Request) {
	form, err := clientForm(w, r)
	if err != nil {
		writeOAuthError(w, err)
		return
	}
	answer, err := p.exchangeTokens(r.Context(), form)
	if err != nil {
		writeOAuthError(w, err)
		return
	}
	w.Header().Set("Pragma", "no-cache")
	writeJSON(w, http.StatusOK, answer)
}

func (p *Provider) exchangeTokens(ctx context.Context, form url.Values) (tokenAnswer, error) {
	var signedIn record
	var refresh, nonce string
	err := p.changeState(ctx, func(s *providerState) error {
		var allowed record
		var err error
		switch form.Get("grant_type") {
		case grantCode:
			allowed, err = s.exchangeCode(form)
			allowed.Code, nonce = allowed.ID, allowed.Nonce
		case grantDevice:
			allowed, err = s.pollDevice(form.Get("device_code"), form.Get("client_id"))
		case grantRefresh:
			signedIn, refresh, err = s.rotateToken(form.Get("refresh_token"), form.Get("client_id"))
			return err
		case "":
			return invalidRequest("grant_type is missing")
		default:
			return &oauthError{
				Code:        "unsupported_grant_type",
				Description: "this server issues tokens only for codes, device codes and refresh tokens",
			}
		}
		if err == nil {
			signedIn, refresh = s.beginSignIn(allowed)
		}
		return err
	})
	if err != nil {
		return tokenAnswer{}, err
	}
	return p.issueTokens(signedIn, refresh, nonce)
}

const signInLifetime = 30 * 24 * time.Hour // after the last use

func (s *providerState) beginSignIn(allowed record) (record, string) {
	return s.renewSignIn(record{
		ID: newSecret(), Client: allowed.Client, Email: allowed.Email, Scope: allowed.Scope, Code: allowed.Code,
		SignedIn: s.now.UTC(),
	})
}

func (s *providerState) renewSignIn(signIn record) (record, string) {
	token := signIn.ID + "." + newSecret()
	signIn.Hash, signIn.Expires = hashSecret(token), s.now.UTC().Add(signInLifetime)
	s.put(signIn)
	s.forget(kindSignIn, maxRecords)
	return signIn, token
}

// rotateToken exchanges a refresh token. A second exchange ends the sign-in, because the token may
// be stolen.
func (s *providerState) rotateToken(token, client string) (record, string, error) {
	refused := invalidGrant("the refresh token is not valid: sign in again")
	id, _, _ := strings.Cut(token, ".")
	stored, ok := s.find(kindSignIn, id)
	if !ok || stored.Client != client || !s.now.Before(stored.Expires) {
		return record{}, "", refused
	}
	if subtle.ConstantTimeCompare([]byte(hashSecret(token)), []byte(stored.Hash)) != 1 {
		s.drop(kindSignIn, id)
		return record{}, "", refused
	}
	renewed, next := s.renewSignIn(stored)
	return renewed, next, nil
}

type tokenAnswer struct {
	Access    string `json:"access_token"`
	Type      string `json:"token_type"`
	ExpiresIn int    `json:"expires_in"`
	Refresh   string `json:"refresh_token"`
	Scope     string `json:"scope,omitempty"`
	ID        string `json:"id_token,omitempty"`
}

type accessClaims struct {
	Scope  string `json:"scope,omitempty"`
	Client string `json:"client_id"`
}

func (p *Provider) issueTokens(signIn record, refresh, nonce string) (tokenAnswer, error) {
	custom := tokenClaims{Email: signIn.Email, Name: displayName("", "", signIn.Email), SignIn: signIn.ID}
	registered := p.registeredClaims(p.issuer, Audience, signIn.Email, accessLifetime)
	access, err := p.signToken(registered, custom, accessClaims{signIn.Scope, signIn.Client})
	if err != nil {
		return tokenAnswer{}, err
	}
	answer := tokenAnswer{
		Access: access, Type: "Bearer", ExpiresIn: int(accessLifetime / time.Second),
		Refresh: refresh, Scope: signIn.Scope,
	}
	if slices.Contains(strings.Fields(signIn.Scope), "openid") {
		answer.ID, err = p.idToken(signIn, access, nonce)
	}
	return answer, err
}

// idClaims are from OpenID Connect Core sections 2 and 3.1.3.6.
type idClaims struct {
	AuthTime      *jwt.NumericDate `json:"auth_time"`
	AccessHash    string           `json:"at_hash"`
	Nonce         string           `json:"nonce,omitempty"`
	Email         string           `json:"email"`
	EmailVerified bool             `json:"email_verified"`
	Name          string           `json:"name"`
}

func (p *Provider) idToken(signIn record, access, nonce string) (string, error) {
	hash := sha256.Sum256([]byte(access))
	return p.signToken(p.registeredClaims(p.issuer, signIn.Client, signIn.Email, accessLifetime), idClaims{
		AuthTime: jwt.NewNumericDate(signIn.SignedIn), Nonce: nonce,
		AccessHash: base64.RawURLEncoding.EncodeToString(hash[:len(hash)/2]),
		Email:      signIn.Email, EmailVerified: true, Name: displayName("", "", signIn.Email),
	})
}

// serveRevoke accepts unknown tokens (RFC 7009).
func (p *Provider) serveRevoke(w http.ResponseWriter, r *http.Request) {
	form, err := clientForm(w, r)
	if err == nil && form.Get("token") == "" {
		err = invalidRequest("token is missing")
	}
	if err == nil {
		err = p.revokeToken(r.Context(), form.Get("token"), form.Get("client_id"))
	}
	if err != nil {
		writeOAuthError(w, err)
		return
	}
	w.WriteHeader(http.StatusOK)
}

func (p *Provider) revokeToken(ctx context.Context, token, client string) error {
	id, _, _ := strings.Cut(token, ".")
	_, signIn, err := p.verifyAnyToken(ctx, token)
	if _, invalid := errors.AsType[*InvalidToken](err); err != nil && !invalid {
		return err
	}
	return p.changeState(ctx, func(s *providerState) error {
		id = cmp.Or(signIn, id)
		if stored, _ := s.find(kindSignIn, id); stored.Client == client {
			s.drop(kindSignIn, id)
		}
		return nil
	})
}

func filterScope(requested string) string {
	scopes := strings.Fields(requested)
	granted := slices.DeleteFunc(SupportedScopes(), func(scope string) bool { return !slices.Contains(scopes, scope) })
	return strings.Join(granted, " ")
}
