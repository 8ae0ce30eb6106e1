package apierror

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/localserver/request"
	"github.com/parley-npc/parley/personas/wire"
)

const realm = `Bearer realm="parley"`

// Unauthenticated is a 401 for a missing or invalid token; why is added to the header after the
// realm, nil for a missing token.
func Unauthenticated(why error) *Error {
	e := New(http.StatusUnauthorized, wire.CodeUnauthenticated, "this needs a bearer token, sign in first")
	e.Challenge = realm
	if bad, ok := errors.AsType[*identity.InvalidToken](why); ok {
		e.Message = bad.Error()
		e.Challenge = realm + `, error="invalid_token", error_description="` + bad.Reason + `"`
	}
	return e
}

// withMetadata adds to the challenge for a bearer token the address at which the caller can read
// which tokens are accepted (RFC 9728 section 5.1).
func (e *Error) withMetadata(ctx context.Context) *Error {
	if address := request.ResourceMetadata(ctx); address != "" && strings.HasPrefix(e.Challenge, realm) {
		e.Challenge = realm + `, resource_metadata="` + address + `"` + strings.TrimPrefix(e.Challenge, realm)
	}
	return e
}

// WrongScheme is a 401 for credentials other than a bearer token. As for missing ones, the header
// does not contain an error code (RFC 6750 section 3.1).
func WrongScheme() *Error {
	e := Unauthenticated(nil)
	e.Message = (&identity.InvalidToken{Reason: "the scheme must be Bearer"}).Error()
	return e
}

// UnknownKey is a 401 for a missing or unknown API key.
func UnknownKey(message string) *Error {
	e := New(http.StatusUnauthorized, wire.CodeUnauthenticated, message)
	e.Challenge = `ApiKey realm="parley"`
	return e
}

// FromVerification finds the words for a token that could not be verified.
func FromVerification(err error) error {
	if _, ok := errors.AsType[*identity.InvalidToken](err); ok {
		return Unauthenticated(err)
	}
	if away, ok := errors.AsType[*identity.Unavailable](err); ok {
		e := New(http.StatusServiceUnavailable, wire.CodeUnavailable, away.Error())
		e.Cause, e.RetryAfter = away.Cause, away.RetryAfter
		return e
	}
	return err
}
