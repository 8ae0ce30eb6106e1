package identity

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/parley-npc/parley/personas/atomicfile"
)

const minSecret = 32 // bytes (RFC 7518 section 3.2)

// A Secret verifies HS256 tokens with a shared secret.
type Secret struct {
	secret    []byte
	audiences []string
	now       func() time.Time
	// Exposed means that other users of this machine can read the file.
	Exposed bool
}

// OpenSecret reads a secret from a file. Final line breaks are ignored. Without audiences, any
// audience is accepted. now may be nil for time.Now.
func OpenSecret(path string, audiences []string, now func() time.Time) (*Secret, error) {
	if now == nil {
		now = time.Now
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("secret of the identity provider: %w", err)
	}
	text, err := atomicfile.Read(path)
	if err != nil {
		return nil, fmt.Errorf("secret of the identity provider: %w", err)
	}
	secret := bytes.TrimRight(text, "\r\n")
	if err := checkSecret(secret); err != nil {
		return nil, fmt.Errorf("%s %w", path, err)
	}
	exposed := runtime.GOOS != "windows" && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0
	return &Secret{secret: secret, audiences: audiences, now: now, Exposed: exposed}, nil
}

func checkSecret(secret []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(secret), []byte("-----BEGIN")) {
		return errors.New("contains a key or a certificate instead of a shared secret: " +
			"use --issuer for a provider that signs with a private key")
	}
	if len(secret) < minSecret {
		return fmt.Errorf("contains %d bytes: a shared secret needs at least %d", len(secret), minSecret)
	}
	if !looksRandom(secret) {
		return fmt.Errorf("contains a secret that can be guessed: use at least %d random bytes, "+
			"such as the output of `openssl rand -hex 32`", minSecret)
	}
	return nil
}

// Verify returns the user of an unexpired token that is signed with the secret.
func (s *Secret) Verify(_ context.Context, raw string) (User, error) {
	token, err := parseToken(raw, jose.HS256)
	if err != nil {
		return User{}, err
	}
	rules := expectedClaims{nil, s.audiences, s.now(), false}
	registered, custom, err := rules.read(token, func(dest ...any) error {
		return explainSignature(token.Claims(s.secret, dest...))
	})
	if err != nil {
		return User{}, err
	}
	return custom.toUser(userID(registered.Issuer, registered.Subject), registered.Subject), nil
}

const testIssuer = "urn:parley:localserver-token"

// IssueToken issues a token for testing a configuration. The user id is the same as with the
// development provider. An empty audience is omitted.
func (s *Secret) IssueToken(email, audience string, ttl time.Duration) (string, error) {
	email, err := normalEmail(email)
	if err != nil {
		return "", err
	}
	if ttl <= 0 {
		return "", fmt.Errorf("token lifetime %s: must be positive", ttl)
	}
	key := jose.SigningKey{Algorithm: jose.HS256, Key: s.secret}
	signer, err := jose.NewSigner(key, (&jose.SignerOptions{}).WithType("JWT"))
	if err != nil {
		return "", fmt.Errorf("sign a token: %w", err)
	}
	registered := registerClaims(testIssuer, email, s.now(), ttl)
	if audience != "" {
		registered.Audience = jwt.Audience{audience}
	}
	custom := tokenClaims{Email: email, Name: displayName("", "", email)}
	return jwt.Signed(signer).Claims(registered).Claims(custom).Serialize()
}

func explainSignature(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, jose.ErrCryptoFailure) {
		return &InvalidToken{Reason: "signed with another key", Cause: err}
	}
	return &InvalidToken{Reason: "its claims are malformed", Cause: err}
}

const (
	minDistinctBytes = 8   // one in ten million texts of 32 random hexadecimal digits has fewer
	minWordPercent   = 30  // percentage of common pairs (8 in random letters)
	maxExamined      = 256 // in longer texts, repetitions occur by chance
)

const commonPairs = "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic ne ea ra ce li ch ll be ma si om ur"

// looksRandom finds repetitions, sequences and words. It does not measure randomness.
func looksRandom(secret []byte) bool {
	secret = secret[:min(len(secret), maxExamined)]
	hasVariety := countDistinct(secret, 1) >= minDistinctBytes
	hasRepetitions := 4*countDistinct(secret, 3) < 3*(len(secret)-2)
	hasSequences := 3*countSteps(secret) >= 2*len(secret)
	return hasVariety && !hasRepetitions && !hasSequences && !readsAsWords(secret)
}

func countDistinct(secret []byte, length int) int {
	seen := map[string]bool{}
	for i := range len(secret) - length + 1 {
		seen[string(secret[i:i+length])] = true
	}
	return len(seen)
}

func countSteps(secret []byte) int {
	n := 0
	for i := range len(secret) - 1 {
		if step := int(secret[i+1]) - int(secret[i]); step >= -1 && step <= 1 {
			n++
		}
	}
	return n
}

func readsAsWords(secret []byte) bool {
	common := 0
	for i := range len(secret) - 1 {
		pair := bytes.ToLower(secret[i : i+2])
		if !bytes.ContainsRune(pair, ' ') && strings.Contains(commonPairs, string(pair)) {
			common++
		}
	}
	return 100*common >= minWordPercent*(len(secret)-1)
}
