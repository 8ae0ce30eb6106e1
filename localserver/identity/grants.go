package identity

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"time"
)

const (
	grantsFile = "dev-signins.json"
	// grantLifetime is the time after which a sign-in ends if it is not used.
	grantLifetime = 30 * 24 * time.Hour
	// maxGrants is the maximum number of sign-ins. Beyond it, the least recently used sign-in ends.
	maxGrants = 1000
)

// A grant is one sign-in of a client. Each use of the refresh token replaces the token, so only the
// latest token is valid.
type grant struct {
	ID       string    `json:"id"`
	Client   string    `json:"client_id"`
	Email    string    `json:"email"`
	Scope    string    `json:"scope"`
	SignedIn time.Time `json:"signed_in_at"`
	Expires  time.Time `json:"expires_at"`
	// Hash is the SHA-256 of the newest refresh token, in hexadecimal digits.
	Hash string `json:"token_sha256"`
	// Code is the SHA-256 of the authorization code from which the sign-in was created, or "". If
	// the code is used again, the sign-in ends.
	Code string `json:"code_sha256,omitempty"`
}

func (s *providerState) beginGrant(begun grant) (grant, string) {
	begun.ID, begun.SignedIn = newSecret(), s.now.UTC()
	return s.renewGrant(begun)
}

func (s *providerState) renewGrant(of grant) (grant, string) {
	token := of.ID + "." + newSecret()
	of.Hash, of.Expires = hashSecret(token), s.now.UTC().Add(grantLifetime)
	s.grants[of.ID] = of
	maps.DeleteFunc(s.grants, func(_ string, of grant) bool { return !s.now.Before(of.Expires) })
	for len(s.grants) > maxGrants {
		least := slices.MinFunc(slices.Collect(maps.Values(s.grants)), func(a, b grant) int {
			return cmp.Or(a.Expires.Compare(b.Expires), a.SignedIn.Compare(b.SignedIn))
		})
		delete(s.grants, least.ID)
	}
	return of, token
}

// rotateToken exchanges a refresh token for the next one. If the token was already exchanged,
// rotateToken ends the sign-in, because the token or its successor may be stolen.
func (s *providerState) rotateToken(token, client string) (grant, string, error) {
	refused := invalidGrant("the refresh token is not valid: sign in again")
	id, _, _ := strings.Cut(token, ".")
	kept, ok := s.grants[id]
	if !ok || kept.Client != client || !s.now.Before(kept.Expires) {
		return grant{}, "", refused
	}
	if subtle.ConstantTimeCompare([]byte(hashSecret(token)), []byte(kept.Hash)) != 1 {
		delete(s.grants, id)
		return grant{}, "", refused
	}
	renewed, next := s.renewGrant(kept)
	return renewed, next, nil
}

// newSecret returns a random secret of at least 128 bits, in characters that need no escaping in a
// URL.
func newSecret() string { return rand.Text() }

func hashSecret(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
