// Package identity authenticates callers by bearer tokens. External verifies tokens of an OpenID
// provider. Secret verifies tokens that are signed with a shared secret. Provider is an OpenID
// provider for development on one machine. The package never prints or logs a token.
//
// RequestInfo describes the current request in its context.
package identity

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/wire"
)

// User is a signed-in caller. ID is a UUID that never changes for an account.
type User struct {
	ID          string
	Email       string
	DisplayName string
}

// A Verifier returns the user of a bearer token. Its error is an *InvalidToken for an invalid
// token. Any other error means that the token could not be verified.
type Verifier interface {
	Verify(ctx context.Context, raw string) (User, error)
}

// InvalidToken is the error for a rejected token. Reason is sent to the client and contains no part
// of the token. Cause is only logged.
type InvalidToken struct {
	Reason string
	Cause  error
}

func (e *InvalidToken) Error() string { return "the token is not valid: " + e.Reason }

func (e *InvalidToken) Unwrap() error { return e.Cause }

// Unavailable means that a token could not be verified. The caller may retry after RetryAfter.
// Reason, if set, is the message.
type Unavailable struct {
	Reason     string
	Cause      error // nil if recent keys do not contain the token's key
	RetryAfter time.Duration
}

func (e *Unavailable) Error() string {
	switch {
	case e.Reason != "":
		return e.Reason
	case e.Cause == nil:
		return "the token is signed with a key that is not known yet, try again in a moment"
	}
	return "the identity provider does not answer, try again"
}

func (e *Unavailable) Unwrap() error { return e.Cause }

// ErrEmail means that a text is not a plain e-mail address.
var ErrEmail = errors.New("not an e-mail address, write it like alice@example.com")

const maxEmail = 254 // bytes (RFC 5321 section 4.5.3)

func normalEmail(email string) (string, error) {
	address, err := mail.ParseAddress(email)
	if err != nil || address.Address != email || len(email) > maxEmail {
		return "", fmt.Errorf("user %q: %w", email, ErrEmail)
	}
	return strings.ToLower(email), nil
}

// Resource is the URL of a service that accepts tokens (RFC 9728 section 1.2, RFC 8707 section 2).
type Resource struct{ url *url.URL }

// plainPath matches paths that need no escaping in mux patterns and in quoted header values.
var plainPath = plaintext.Pattern(`^(/[A-Za-z0-9._~-]+)*/?$`)

// ParseResource parses an http or https URL. The URL may have a path of plain characters. A user, a
// query or a fragment is an error.
func ParseResource(text string) (Resource, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || !isHTTP(u) || u.User != nil:
		err = errors.New("must be the URL of this service, such as https://parley.example.com")
	case u.RawQuery != "" || u.ForceQuery || strings.Contains(text, "#"):
		err = errors.New("must not have a query or a fragment")
	case u.RawPath != "" || !plainPath().MatchString(u.Path) || hasDots(u.Path):
		err = errors.New("its path may contain only letters, digits and the characters . _ ~ -")
	}
	if err != nil {
		return Resource{}, fmt.Errorf("resource %q: %w", plaintext.RedactUser(text), err)
	}
	return Resource{u}, nil
}

func isHTTP(u *url.URL) bool {
	return (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && wire.IsPort(u)
}

func hasDots(path string) bool {
	parts := strings.Split(path, "/")
	return slices.Contains(parts, ".") || slices.Contains(parts, "..")
}

// String returns the resource in its original notation, or "" for the zero Resource.
func (r Resource) String() string {
	if r.url == nil {
		return ""
	}
	return r.url.String()
}

// HasOrigin reports whether the resource has the host and port of origin. The scheme is ignored,
// because a proxy may terminate TLS.
func (r Resource) HasOrigin(origin string) bool {
	_, host, _ := strings.Cut(origin, "://")
	return r.url != nil && strings.EqualFold(r.url.Host, host)
}

// Path returns the path of the resource, or "" if the path is "/" (RFC 9728 section 3.1).
func (r Resource) Path() string {
	if r.url == nil || r.url.Path == "/" {
		return ""
	}
	return r.url.Path
}

// Origin returns the scheme and host of the resource.
func (r Resource) Origin() string {
	if r.url == nil {
		return ""
	}
	return r.url.Scheme + "://" + r.url.Host
}

// Audiences returns the accepted spellings of the resource in tokens. Without a path, a final slash
// is optional (RFC 3986 section 6.2.3).
func (r Resource) Audiences() []string {
	if r.url == nil {
		return nil
	}
	if r.Path() == "" {
		return []string{r.Origin(), r.Origin() + "/"}
	}
	return []string{r.String()}
}
