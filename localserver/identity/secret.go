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

// minSecret is the minimum length of a secret for HS256, in bytes (RFC 7518 section 3.2).
const minSecret = 32

// A Secret verifies tokens that are signed with a shared secret. It accepts only HS256.
type Secret struct {
	secret    []byte
	audiences []string
	now       func() time.Time
	// Exposed means that other users of this machine can read the file.
	Exposed bool
}

// OpenSecret reads a secret from a file, without line breaks at its end. audiences may be empty if the
// secret is used only for this service. now may be nil for time.Now.
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

// checkSecret rejects a secret that is short or can be guessed. It also rejects a key in PEM
// format, because a public key is known to everybody.
func checkSecret(secret []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(secret), []byte("-----BEGIN")) {
		return errors.New("contains a key or a certificate instead of a shared secret: use --issuer for a provider that signs with a private key")
	}
	if len(secret) < minSecret {
		return fmt.Errorf("contains %d bytes: a shared secret needs at least %d", len(secret), minSecret)
	}
	if !looksRandom(secret) {
		return fmt.Errorf("contains a secret that can be guessed: use at least %d random bytes, such as the output of `openssl rand -hex 32`", minSecret)
	}
	return nil
}

// Verify accepts tokens that are signed with the secret, until they have expired.
func (s *Secret) Verify(_ context.Context, raw string) (User, error) {
	token, err := parseToken(raw, jose.HS256)
	if err != nil {
		return User{}, err
	}
	rules := expectedClaims{nil, s.audiences, s.now(), false}
	registered, own, err := rules.readClaims(token, func(into ...any) error { return explainSignature(token.Claims(s.secret, into...)) })
	if err != nil {
		return User{}, err
	}
	return own.toUser(userID(registered.Issuer, registered.Subject), registered.Subject), nil
}

const rehearsalIssuer = "urn:parley:localserver-token"

// IssueToken issues a token for trying out the configuration. The user has the same id as the
// development provider's user with that e-mail address. If audience is empty, the token has no
// audience.
func (s *Secret) IssueToken(email, audience string, ttl time.Duration) (string, error) {
	email, err := normalEmail(email)
	if err != nil {
		return "", err
	}
	if ttl <= 0 {
		return "", fmt.Errorf("token lifetime %s: must be positive", ttl)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.HS256, Key: s.secret}, (&jose.SignerOptions{}).WithType("JWT"))
	if err != nil {
		return "", fmt.Errorf("sign a token: %w", err)
	}
	registered := registerClaims(rehearsalIssuer, email, s.now(), ttl)
	if audience != "" {
		registered.Audience = jwt.Audience{audience}
	}
	return jwt.Signed(signer).Claims(registered).Claims(tokenClaims{Email: email, Name: displayName("", "", email)}).Serialize()
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

// Requirements for a secret.
const (
	// minBytes is the minimum number of different bytes. 32 random hexadecimal digits contain fewer
	// different bytes with a probability of one in ten million.
	minBytes = 8
	// A text counts as words if at least wordShare percent of its pairs of bytes are in
	// commonPairs. In random letters, about 8 percent are.
	wordShare = 30
	// maxLooked is the number of bytes of a secret that are examined. In longer texts, repetitions
	// occur by chance.
	maxLooked = 256
)

// commonPairs lists the pairs of letters that make up half of all pairs in English text.
const commonPairs = "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic ne ea ra ce li ch ll be ma si om ur"

// looksRandom returns false for a secret that a person probably invented. Such a secret has few
// different bytes, repetitions, sequences such as abc or 321, or words. looksRandom does not
// measure randomness.
func looksRandom(secret []byte) bool {
	secret = secret[:min(len(secret), maxLooked)]
	return countDifferent(secret, 1) >= minBytes &&
		4*countDifferent(secret, 3) >= 3*(len(secret)-2) &&
		3*countNeighbours(secret) < 2*len(secret) && !readsAsWords(secret)
}

func countDifferent(secret []byte, length int) int {
	seen := map[string]bool{}
	for i := range len(secret) - length + 1 {
		seen[string(secret[i:i+length])] = true
	}
	return len(seen)
}

// countNeighbours counts the bytes that differ by at most 1 from the previous byte.
func countNeighbours(secret []byte) int {
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
	return 100*common >= wordShare*(len(secret)-1)
}
