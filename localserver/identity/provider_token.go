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

// oauthError is an error in the format of RFC 6749 section 5.2.
type oauthError struct {
	Code        string `json:"error"`
	Description string `json:"error_description,omitempty"`
}

func (e *oauthError) Error() string { return e.Code + ": " + e.Description }

func invalidRequest(description string) error {
	return &oauthError{Code: "invalid_request", Description: description}
}

func invalidGrant(description string) error {
	return &oauthError{Code: "invalid_grant", Description: description}
}

// writeOAuthError writes an error answer. For an error that is neither an oauthError nor an
// *Unavailable, it writes a 500 without the error's text.
func writeOAuthError(w http.ResponseWriter, err error) {
	refused, ok := errors.AsType[*oauthError](err)
	away, isAway := errors.AsType[*Unavailable](err)
	switch {
	case isAway:
		w.Header().Set("Retry-After", strconv.Itoa(int(max(away.RetryAfter, time.Second)/time.Second)))
		writeJSON(w, http.StatusServiceUnavailable, &oauthError{Code: "temporarily_unavailable", Description: away.Error()})
	case !ok:
		writeJSON(w, http.StatusInternalServerError, &oauthError{Code: "server_error", Description: "internal error"})
	case refused.Code == "invalid_client":
		w.Header().Set("WWW-Authenticate", `Basic realm="parley"`)
		writeJSON(w, http.StatusUnauthorized, refused)
	default:
		writeJSON(w, http.StatusBadRequest, refused)
	}
}

// readForm reads a form and rejects duplicate parameters (RFC 6749 section 3.2).
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

// clientForm reads a form and rejects a client secret. It does so before a code is used up, so that
// a library can try again without the secret.
func clientForm(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	if r.Header.Get("Authorization") != "" {
		return nil, &oauthError{Code: "invalid_client", Description: "clients do not use secrets here: send client_id in the form"}
	}
	form, err := readForm(w, r)
	if err != nil {
		return nil, err
	}
	return form, checkClient(form.Get("client_id"))
}

// checkClient rejects the client id Audience. The client id is the audience of ID tokens, and ID
// tokens must not be accepted as access tokens.
func checkClient(id string) error {
	plain := func(r rune) bool { return r > ' ' && r <= '~' }
	if id == "" || len(id) > maxClientID || strings.ContainsFunc(id, func(r rune) bool { return !plain(r) }) || id == Audience {
		return &oauthError{Code: "invalid_client", Description: "client_id must be a name of up to 100 printable characters, for example " + ClientID}
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
			return &oauthError{Code: "unsupported_grant_type", Description: "this server issues tokens only for codes, device codes and refresh tokens"}
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

// signInLifetime is the time after which a sign-in ends if it is not used.
const signInLifetime = 30 * 24 * time.Hour

// beginSignIn begins a sign-in for an allowed code or device.
func (s *providerState) beginSignIn(of record) (record, string) {
	return s.renewSignIn(record{ID: newSecret(), Client: of.Client, Email: of.Email, Scope: of.Scope, Code: of.Code, SignedIn: s.now.UTC()})
}

func (s *providerState) renewSignIn(of record) (record, string) {
	token := of.ID + "." + newSecret()
	of.Hash, of.Expires = hashSecret(token), s.now.UTC().Add(signInLifetime)
	s.keep(of)
	s.forget(kindSignIn, maxRecords)
	return of, token
}

// rotateToken exchanges a refresh token for the next one. If the token was already exchanged,
// rotateToken ends the sign-in, because the token or its successor may be stolen.
func (s *providerState) rotateToken(token, client string) (record, string, error) {
	refused := invalidGrant("the refresh token is not valid: sign in again")
	id, _, _ := strings.Cut(token, ".")
	kept, ok := s.find(kindSignIn, id)
	if !ok || kept.Client != client || !s.now.Before(kept.Expires) {
		return record{}, "", refused
	}
	if subtle.ConstantTimeCompare([]byte(hashSecret(token)), []byte(kept.Hash)) != 1 {
		s.drop(kindSignIn, id)
		return record{}, "", refused
	}
	renewed, next := s.renewSignIn(kept)
	return renewed, next, nil
}

// tokenAnswer is a successful answer of the token endpoint (RFC 6749 section 5.1).
type tokenAnswer struct {
	Access    string `json:"access_token"`
	Type      string `json:"token_type"`
	ExpiresIn int    `json:"expires_in"`
	Refresh   string `json:"refresh_token"`
	Scope     string `json:"scope,omitempty"`
	ID        string `json:"id_token,omitempty"`
}

// accessClaims contains the additional claims of an access token (RFC 9068 section 2.2).
type accessClaims struct {
	Scope  string `json:"scope,omitempty"`
	Client string `json:"client_id"`
}

func (p *Provider) issueTokens(of record, refresh, nonce string) (tokenAnswer, error) {
	own := tokenClaims{Email: of.Email, Name: displayName("", "", of.Email), SignIn: of.ID}
	access, err := p.signToken(p.registeredClaims(p.issuer, Audience, of.Email, accessLifetime), own, accessClaims{of.Scope, of.Client})
	if err != nil {
		return tokenAnswer{}, err
	}
	answer := tokenAnswer{Access: access, Type: "Bearer", ExpiresIn: int(accessLifetime / time.Second), Refresh: refresh, Scope: of.Scope}
	if slices.Contains(strings.Fields(of.Scope), "openid") {
		answer.ID, err = p.idToken(of, access, nonce)
	}
	return answer, err
}

// idClaims contains the additional claims of an ID token (OpenID Connect Core sections 2 and 3.1.3.6).
type idClaims struct {
	AuthTime      *jwt.NumericDate `json:"auth_time"`
	AccessHash    string           `json:"at_hash"`
	Nonce         string           `json:"nonce,omitempty"`
	Email         string           `json:"email"`
	EmailVerified bool             `json:"email_verified"`
	Name          string           `json:"name"`
}

func (p *Provider) idToken(of record, access, nonce string) (string, error) {
	hash := sha256.Sum256([]byte(access))
	return p.signToken(p.registeredClaims(p.issuer, of.Client, of.Email, accessLifetime), idClaims{
		AuthTime: jwt.NewNumericDate(of.SignedIn), AccessHash: base64.RawURLEncoding.EncodeToString(hash[:len(hash)/2]),
		Nonce: nonce, Email: of.Email, EmailVerified: true, Name: displayName("", "", of.Email),
	})
}

// serveRevoke ends the sign-in to which an access token or a refresh token belongs (RFC 7009). An
// unknown token is not an error.
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
		if found, _ := s.find(kindSignIn, id); found.Client == client {
			s.drop(kindSignIn, id)
		}
		return nil
	})
}

func filterScope(requested string) string {
	asked := strings.Fields(requested)
	return strings.Join(slices.DeleteFunc(SupportedScopes(), func(s string) bool { return !slices.Contains(asked, s) }), " ")
}
