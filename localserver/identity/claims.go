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
	// leeway is how far two clocks may be apart.
	leeway = 60 * time.Second
	// maxToken is the maximum size of a token to parse, in bytes: our tokens have about 600, one of
	// a large provider seldom more than 4,000.
	maxToken = 8 << 10
	// maxDisplayName is the maximum length of a name from a provider, in characters.
	maxDisplayName = 200
)

// tokenClaims are a token's members besides the registered ones.
type tokenClaims struct {
	Email    string `json:"email,omitempty"`
	Name     string `json:"name,omitempty"`
	Username string `json:"preferred_username,omitempty"`
	// SignIn is the sign-in of the development provider that the token belongs to; it is ignored in
	// tokens of others.
	SignIn string `json:"sid,omitempty"`
}

// toUser makes a User of a token's claims. An e-mail address is not required:
// many providers leave it out of access tokens.
func (c tokenClaims) toUser(id, subject string) User {
	email, err := normalEmail(c.Email)
	if err != nil {
		email = ""
	}
	return User{ID: id, Email: email, DisplayName: cmp.Or(displayName(c.Name, c.Username, email), cleanName(subject))}
}

// displayName returns the first nonempty one of: the claim name, the claim preferred_username, the
// e-mail address's local part.
func displayName(name, username, email string) string {
	local, _, _ := strings.Cut(email, "@")
	return cmp.Or(cleanName(name), cleanName(username), local)
}

// cleanName cleans a name from a provider: it removes control characters and surrounding spaces,
// and cuts it at the maximum length.
func cleanName(said string) string {
	name := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, said)
	return plaintext.ClipAfter(strings.TrimSpace(name), maxDisplayName, "")
}

// userID returns the id for a provider's subject: the subject itself if it is a UUID in its
// canonical form, else a stable one derived from issuer and subject. A UUID in another notation is
// derived too, because subjects that differ in case are different users.
func userID(issuer, subject string) string {
	if id, err := uuid.Parse(subject); err == nil && id.String() == subject {
		return subject
	}
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte(issuer+"#"+subject)).String()
}

// parseToken reads a token signed with one of the algorithms, without verifying its signature. The
// list excludes "none" and an HMAC with a public key as the secret.
func parseToken(raw string, algorithms ...jose.SignatureAlgorithm) (*jwt.JSONWebToken, error) {
	if len(raw) > maxToken {
		return nil, &InvalidToken{Reason: fmt.Sprintf("longer than %d bytes", maxToken)}
	}
	token, err := jwt.ParseSigned(raw, algorithms)
	if err == nil {
		return token, nil
	}
	if _, ok := errors.AsType[*jose.ErrUnexpectedSignatureAlgorithm](err); ok {
		return nil, &InvalidToken{Reason: "not a signed JWT with an algorithm that is accepted here", Cause: err}
	}
	if raw != "" && !strings.Contains(raw, ".") {
		return nil, &InvalidToken{Reason: "not a signed JWT but opaque, the provider must be asked for a token for this service, by its audience or resource", Cause: err}
	}
	return nil, &InvalidToken{Reason: "not a signed JWT", Cause: err}
}

// expectedClaims are the requirements for the claims of a token with a valid signature.
type expectedClaims struct {
	issuers   []string // one of these; none asks for no issuer
	audiences []string // one of these; none asks for no audience
	now       time.Time
	// onlyForClients means that access tokens may look like ID tokens.
	onlyForClients bool
}

// readClaims reads the claims of an access token with verify, which checks its signature
// first, and checks them.
func (e expectedClaims) readClaims(token *jwt.JSONWebToken, verify func(into ...any) error) (registered jwt.Claims, own tokenClaims, err error) {
	isAccess, err := checkHeaderType(token.Headers[0])
	if err != nil {
		return registered, own, err
	}
	var kind tokenKind
	if err := verify(&registered, &own, &kind); err != nil {
		return registered, own, err
	}
	if err := kind.checkKind(e.onlyForClients); err != nil && !isAccess {
		return registered, own, err
	}
	return registered, own, e.checkClaims(registered)
}

func (e expectedClaims) checkClaims(c jwt.Claims) error {
	// The library takes an absent time for an eternal one.
	if c.Expiry == nil {
		return &InvalidToken{Reason: "it never expires"}
	}
	if c.Subject == "" {
		return &InvalidToken{Reason: "it names no user"}
	}
	if len(e.issuers) > 0 && !slices.Contains(e.issuers, c.Issuer) {
		return &InvalidToken{Reason: "it is of another issuer"}
	}
	want := jwt.Expected{Time: e.now, AnyAudience: e.audiences}
	if err := c.ValidateWithLeeway(want, leeway); err != nil {
		return &InvalidToken{Reason: refusalReason(err), Cause: err}
	}
	return nil
}

func refusalReason(err error) string {
	switch {
	case errors.Is(err, jwt.ErrExpired):
		return "it has expired, sign in again"
	case errors.Is(err, jwt.ErrNotValidYet), errors.Is(err, jwt.ErrIssuedInTheFuture):
		return "it is not valid yet, check the clock"
	case errors.Is(err, jwt.ErrInvalidAudience):
		return "it is for another service"
	}
	return "its claims do not hold"
}
