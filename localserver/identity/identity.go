// Package identity identifies callers: it verifies bearer tokens against an external identity
// provider or a shared secret. Until one of them is configured, it acts as the development provider
// that issues tokens on this machine: an OpenID provider with an http.Handler. It also contains the
// file that lets the command line of this machine sign in automatically. It never decides what a
// caller may do in the service, never listens, and never prints or logs a token.
//
// RequestInfo has a request's id and its real address behind proxies. Every layer of the server finds
// it in the request's context.
package identity

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"strings"
	"time"
)

// User is a signed-in caller. ID is a UUID that stays the same for the same
// account.
type User struct {
	ID          string
	Email       string
	DisplayName string
}

// Verifier identifies the user of a bearer token. Its error is an *InvalidToken if the token is at
// fault, and any other error if the verifier is.
type Verifier interface {
	Verify(ctx context.Context, raw string) (User, error)
}

// InvalidToken is the error for a refused token. Reason is one clause for the caller and never
// repeats parts of the token; Cause is for the log.
type InvalidToken struct {
	Reason string
	Cause  error
}

func (e *InvalidToken) Error() string { return "the token is not valid: " + e.Reason }

func (e *InvalidToken) Unwrap() error { return e.Cause }

// Unavailable means that a token could not be verified because the identity provider does not
// answer: the token may be valid, and the call may be repeated after RetryAfter. Without a Cause
// the token's key is unknown, and the provider was asked for its keys a moment ago. Reason, if set,
// replaces the message: something other than the provider does not answer.
type Unavailable struct {
	Reason     string
	Cause      error
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

// maxEmail is the longest address that mail can carry (RFC 5321 section 4.5.3).
const maxEmail = 254

// normalEmail validates an address and returns it in lower case, so that a person stays the same
// user with any spelling of the address.
func normalEmail(email string) (string, error) {
	address, err := mail.ParseAddress(email)
	if err != nil || address.Address != email || len(email) > maxEmail {
		return "", fmt.Errorf("user %q: %w", email, ErrEmail)
	}
	return strings.ToLower(email), nil
}
