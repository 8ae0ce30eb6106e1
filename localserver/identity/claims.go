package identity

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/google/uuid"

	"github.com/parley-npc/parley/personas/plaintext"
)

const (
	leeway = 60 * time.Second // tolerated difference between two clocks
	// Large providers rarely issue tokens over 4,000 bytes.
	maxToken       = 8 << 10
	maxDisplayName = 200 // characters
)

type tokenClaims struct {
	Email    string `json:"email,omitempty"`
	Name     string `json:"name,omitempty"`
	Username string `json:"preferred_username,omitempty"`
	// SignIn is set only by the development provider.
	SignIn string `json:"sid,omitempty"`
}

func (c tokenClaims) toUser(id, subject string) User {
	email, err := normalEmail(c.Email)
	if err != nil {
		email = "" // Many providers omit the e-mail address in access tokens.
	}
	return User{ID: id, Email: email, DisplayName: cmp.Or(displayName(c.Name, c.Username, email), cleanName(subject))}
}

func displayName(name, username, email string) string {
	local, _, _ := strings.Cut(email, "@")
	return cmp.Or(cleanName(name), cleanName(username), local)
}

func cleanName(text string) string {
	name := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, text)
	return plaintext.ClipAfter(strings.TrimSpace(name), maxDisplayName, "")
}

func userID(issuer, subject string) string {
	if id, err := uuid.Parse(subject); err == nil && id.String() == subject {
		return subject
	}
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte(issuer+"#"+subject)).String()
}

// parseToken does not verify the signature. algorithms must not contain "none", nor both HMAC and
// public key algorithms. Otherwise a public key could be used as the secret of the HMAC.
func parseToken(raw string, algorithms ...jose.SignatureAlgorithm) (*jwt.JSONWebToken, error) {
	if len(raw) > maxToken {
		return nil, &InvalidToken{Reason: fmt.Sprintf("longer than %d bytes", maxToken)}
	}
	token, err := jwt.ParseSigned(raw, algorithms)
	if err == nil {
		return token, nil
	}
	if _, ok := errors.AsType[*jose.ErrUnexpectedSignatureAlgorithm](err); ok {
		return nil, &InvalidToken{Reason: "not a signed JWT with an accepted algorithm", Cause: err}
	}
	if raw != "" && !strings.Contains(raw, ".") {
		reason := "not a signed JWT but an opaque token, request a token for this service from the provider, " +
			"with its audience or resource"
		return nil, &InvalidToken{Reason: reason, Cause: err}
	}
	return nil, &InvalidToken{Reason: "not a signed JWT", Cause: err}
}

type expectedClaims struct {
	issuers      []string // empty means any
	audiences    []string // empty means any
	now          time.Time
	acceptIDLike bool
}

func (e expectedClaims) read(
	token *jwt.JSONWebToken, verify func(dest ...any) error,
) (registered jwt.Claims, custom tokenClaims, err error) {
	isAccess, err := checkHeaderType(token.Headers[0])
	if err != nil {
		return registered, custom, err
	}
	var kind tokenKind
	if err := verify(&registered, &custom, &kind); err != nil {
		return registered, custom, err
	}
	if err := kind.check(e.acceptIDLike); err != nil && !isAccess {
		return registered, custom, err
	}
	return registered, custom, e.check(registered)
}

func (e expectedClaims) check(c jwt.Claims) error {
	// go-jose accepts a token without an expiry.
	if c.Expiry == nil {
		return &InvalidToken{Reason: "it has no expiry"}
	}
	if c.Subject == "" {
		return &InvalidToken{Reason: "it does not identify a user"}
	}
	if len(e.issuers) > 0 && !slices.Contains(e.issuers, c.Issuer) {
		return &InvalidToken{Reason: "it was issued by another issuer"}
	}
	reason := "its claims are not valid"
	err := c.ValidateWithLeeway(jwt.Expected{Time: e.now, AnyAudience: e.audiences}, leeway)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, jwt.ErrExpired):
		reason = "it has expired, sign in again"
	case errors.Is(err, jwt.ErrNotValidYet), errors.Is(err, jwt.ErrIssuedInTheFuture):
		reason = "it is not valid yet, check the clock"
	case errors.Is(err, jwt.ErrInvalidAudience):
		reason = "it is for another service"
	}
	return &InvalidToken{Reason: reason, Cause: err}
}
