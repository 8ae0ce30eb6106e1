// Package identity identifies callers. It verifies bearer tokens that an external identity provider
// or the owner of a shared secret has issued. If neither is configured, the development provider in
// this package issues tokens on this machine. It is an OpenID provider with an http.Handler. The
// package also writes the sign-in file, with which commands on this machine sign in automatically.
// It does not decide what a caller may do, does not listen on an address, and never prints or logs
// a token.
//
// RequestInfo contains a request's id and the caller's real address behind proxies. It is stored in
// the request's context.
package identity

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"strings"
	"time"
)

// User is a signed-in caller. ID is a UUID that is always the same for the same account.
type User struct {
	ID          string
	Email       string
	DisplayName string
}

// A Verifier returns the user of a bearer token. Its error is an *InvalidToken if the token is
// invalid. Any other error, for example *Unavailable, means that the token could not be verified.
type Verifier interface {
	Verify(ctx context.Context, raw string) (User, error)
}

// InvalidToken is the error for a rejected token. Reason is a clause that the caller sees. It
// contains no parts of the token. Cause is only logged.
type InvalidToken struct {
	Reason string
	Cause  error
}

func (e *InvalidToken) Error() string { return "the token is not valid: " + e.Reason }

func (e *InvalidToken) Unwrap() error { return e.Cause }

// Unavailable means that a token could not be verified. The caller may repeat the call after
// RetryAfter. Cause is nil if the keys were requested a moment ago and do not contain the token's
// key. Reason, if set, replaces the message.
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

// maxEmail is the maximum length of an e-mail address in bytes (RFC 5321 section 4.5.3).
const maxEmail = 254

// normalEmail validates an e-mail address and returns it in lower case. So addresses that differ
// only in case identify the same user.
func normalEmail(email string) (string, error) {
	address, err := mail.ParseAddress(email)
	if err != nil || address.Address != email || len(email) > maxEmail {
		return "", fmt.Errorf("user %q: %w", email, ErrEmail)
	}
	return strings.ToLower(email), nil
}
