package identity

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/wire"
)

const (
	codeLifetime = time.Minute
	maxRedirect  = 2000
)

// authorization is the request of RFC 6749 section 4.1.1 and RFC 7636 section 4.3.
type authorization struct {
	client    string
	redirect  string
	scope     string
	state     string
	challenge string
	nonce     string
	hint      string
}

// PKCE patterns (RFC 7636).
var (
	challengeForm = plaintext.Pattern(`^[A-Za-z0-9_-]{43}$`)
	verifierForm  = plaintext.Pattern(`^[A-Za-z0-9._~-]{43,128}$`)
)

func readAuthorization(query url.Values) (request authorization, toClient bool, err error) {
	if err := requireSingle(query); err != nil {
		return request, false, err
	}
	request = authorization{
		client:    query.Get("client_id"),
		redirect:  query.Get("redirect_uri"),
		scope:     filterScope(query.Get("scope")),
		state:     query.Get("state"),
		challenge: query.Get("code_challenge"),
		nonce:     query.Get("nonce"),
		hint:      query.Get("login_hint"),
	}
	if err := checkClient(request.client); err != nil {
		return request, false, err
	}
	if _, err := loopbackRedirect(request.redirect); err != nil {
		return request, false, err
	}
	return request, true, checkAuthorization(query)
}

func checkAuthorization(query url.Values) error {
	switch {
	case query.Get("response_type") != "code":
		return &oauthError{Code: "unsupported_response_type", Description: "response_type must be code"}
	case query.Has("request"):
		return &oauthError{Code: "request_not_supported", Description: "request objects are not supported"}
	case query.Has("request_uri"):
		return &oauthError{Code: "request_uri_not_supported", Description: "request objects are not supported"}
	case query.Get("code_challenge_method") != "S256" || !challengeForm().MatchString(query.Get("code_challenge")):
		return invalidRequest("PKCE is required: code_challenge with code_challenge_method=S256")
	case query.Get("prompt") == "none":
		return &oauthError{Code: "login_required", Description: "the user must sign in on a page"}
	}
	return nil
}

// loopbackRedirect accepts only loopback addresses (RFC 8252 section 7.3). No code is sent to
// another machine.
func loopbackRedirect(raw string) (*url.URL, error) {
	refused := invalidRequest("redirect_uri must be a loopback address such as http://127.0.0.1:12345/callback")
	isForbidden := func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\\\"<>^`{|}#", r) }
	if strings.ContainsFunc(raw, isForbidden) || len(raw) > maxRedirect {
		return nil, refused
	}
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "http" || u.User != nil || u.Opaque != "" || !wire.IsLoopback(u.Hostname()) {
		return nil, refused
	}
	return u, nil
}

func (p *Provider) redirectTo(auth authorization, answer url.Values) string {
	u, err := loopbackRedirect(auth.redirect)
	if err != nil {
		return p.issuer
	}
	if auth.state != "" {
		answer.Set("state", auth.state)
	}
	answer.Set("iss", p.issuer)
	if u.RawQuery != "" {
		u.RawQuery += "&"
	}
	u.RawQuery += answer.Encode()
	return u.String()
}

func (p *Provider) refuseCode(w http.ResponseWriter, r *http.Request, auth authorization, err error) {
	answer := url.Values{"error": {"server_error"}}
	if refused, ok := errors.AsType[*oauthError](err); ok {
		answer = url.Values{"error": {refused.Code}, "error_description": {refused.Description}}
	}
	address := p.redirectTo(auth, answer)
	http.Redirect(w, r, address, http.StatusSeeOther) //nolint:gosec // the address was registered by its client
}

func (p *Provider) serveSignInForm(w http.ResponseWriter, r *http.Request) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		p.showFault(w, http.StatusBadRequest, "The address of this page is invalid.")
		return
	}
	if auth, ok := p.readAuthorization(w, r, query); ok {
		p.showSignIn(w, r, http.StatusOK, auth, r.URL.RawQuery, auth.hint, "")
	}
}

func (p *Provider) readAuthorization(w http.ResponseWriter, r *http.Request, query url.Values) (authorization, bool) {
	auth, toClient, err := readAuthorization(query)
	switch {
	case err == nil:
		return auth, true
	case toClient:
		p.refuseCode(w, r, auth, err)
	default:
		p.showFault(w, http.StatusBadRequest, "The program that sent you here made an invalid request. "+err.Error())
	}
	return auth, false
}

func (p *Provider) submitSignIn(w http.ResponseWriter, r *http.Request) {
	form, ok := p.readOwnForm(w, r)
	if !ok {
		return
	}
	// The request in the form is untrusted and is checked again.
	request, _ := base64.RawURLEncoding.DecodeString(form.Get("request"))
	query, err := url.ParseQuery(string(request))
	if err != nil {
		fault := "The form is invalid. Go back to the program that sent you here and start again."
		p.showFault(w, http.StatusBadRequest, fault)
		return
	}
	auth, ok := p.readAuthorization(w, r, query)
	if !ok {
		return
	}
	if form.Get("answer") != "allow" {
		p.refuseCode(w, r, auth, &oauthError{Code: "access_denied", Description: "the user denied the request"})
		return
	}
	email, err := normalEmail(form.Get("email"))
	if err != nil {
		p.showSignIn(w, r, http.StatusUnprocessableEntity, auth, string(request), form.Get("email"), badEmail)
		return
	}
	var code string
	err = p.changeState(r.Context(), func(s *providerState) error {
		code = s.addCode(auth, email)
		return nil
	})
	if err != nil {
		p.showAway(w, err)
		return
	}
	http.Redirect(w, r, p.redirectTo(auth, url.Values{"code": {code}}), http.StatusSeeOther)
}

func (p *Provider) showAway(w http.ResponseWriter, err error) {
	text := "The shared data of the servers cannot be reached now. Go back and try again in a moment."
	if unavailable, ok := errors.AsType[*Unavailable](err); ok && unavailable.Reason != "" {
		text = "Nobody can sign in now: " + unavailable.Reason + "."
	}
	p.showFault(w, http.StatusServiceUnavailable, text)
}

const badEmail = "That is not an e-mail address. Write it like alice@example.com."

func (s *providerState) addCode(auth authorization, email string) string {
	secret := newSecret()
	s.forget(kindCode, maxRecords-1)
	s.put(record{
		Kind: kindCode, ID: hashSecret(secret), Email: email, Expires: s.now.Add(codeLifetime),
		Client: auth.client, Redirect: auth.redirect, Scope: auth.scope, Challenge: auth.challenge, Nonce: auth.nonce,
	})
	return secret
}

func (r *record) checkProof(form url.Values) error {
	verifier := form.Get("code_verifier")
	sum := sha256.Sum256([]byte(verifier))
	challenge := base64.RawURLEncoding.EncodeToString(sum[:])
	isSame := subtle.ConstantTimeCompare([]byte(challenge), []byte(r.Challenge)) == 1
	switch {
	case form.Get("client_id") != r.Client || form.Get("redirect_uri") != r.Redirect:
		return invalidGrant("the code belongs to another client or another redirect_uri")
	case !verifierForm().MatchString(verifier) || !isSame:
		return invalidGrant("the code_verifier does not match the code_challenge")
	}
	return nil
}

// exchangeCode ends the sign-in of a code that is used twice. The code was probably intercepted
// (RFC 6749 section 4.1.2).
func (s *providerState) exchangeCode(form url.Values) (record, error) {
	hash := hashSecret(form.Get("code"))
	for _, signIn := range s.listByExpiry(kindSignIn) {
		if signIn.Code == hash {
			s.drop(kindSignIn, signIn.ID)
			return record{}, invalidGrant("the code was used before: start again")
		}
	}
	code, ok := s.find(kindCode, hash)
	s.drop(kindCode, hash)
	if !ok || s.now.After(code.Expires) {
		return record{}, invalidGrant("the code is unknown, was used before or has expired: start again")
	}
	return code, code.checkProof(form)
}
