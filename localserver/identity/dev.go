package identity

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/google/uuid"

	"github.com/parley-npc/parley/personas/atomicfile"
)

// Audience is the audience of the development provider's tokens.
const Audience = "parley"

const (
	devIssuer  = "parley-dev"
	devKeyFile = "dev-key.json"
)

// Dev issues and verifies tokens with a key in the data folder. Everybody who can read the folder
// can issue tokens.
type Dev struct {
	key jose.JSONWebKey
	now func() time.Time
}

// OpenDev opens the development provider of a data folder. It creates a missing folder or key. now
// may be nil for time.Now.
func OpenDev(dir string, now func() time.Time) (*Dev, error) {
	if now == nil {
		now = time.Now
	}
	path := filepath.Join(dir, devKeyFile)
	key, err := readKey(path)
	if errors.Is(err, fs.ErrNotExist) {
		key, err = createKey(path)
	}
	if err != nil {
		return nil, fmt.Errorf("development signing key: %w", err)
	}
	return &Dev{key: key, now: now}, nil
}

// IssueToken returns a token for the user with the e-mail address. The token is valid for ttl.
func (d *Dev) IssueToken(email string, ttl time.Duration) (string, error) {
	email, err := normalEmail(email)
	if err != nil {
		return "", err
	}
	if ttl <= 0 {
		return "", fmt.Errorf("token lifetime %s: must be positive", ttl)
	}
	registered := d.registeredClaims(devIssuer, Audience, email, ttl)
	return d.signToken(registered, tokenClaims{Email: email, Name: displayName("", "", email)})
}

func (d *Dev) registeredClaims(issuer, audience, email string, ttl time.Duration) jwt.Claims {
	claims := registerClaims(issuer, email, d.now(), ttl)
	claims.Audience = jwt.Audience{audience}
	return claims
}

func registerClaims(issuer, email string, now time.Time, ttl time.Duration) jwt.Claims {
	return jwt.Claims{
		Issuer:    issuer,
		Subject:   subjectOf(email),
		IssuedAt:  jwt.NewNumericDate(now),
		NotBefore: jwt.NewNumericDate(now),
		Expiry:    jwt.NewNumericDate(now.Add(ttl)),
		ID:        uuid.NewString(),
	}
}

func (d *Dev) signToken(parts ...any) (string, error) {
	options := (&jose.SignerOptions{}).WithType("JWT")
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: d.key}, options)
	if err != nil {
		return "", fmt.Errorf("sign a token: %w", err)
	}
	builder := jwt.Signed(signer)
	for _, part := range parts {
		builder = builder.Claims(part)
	}
	return builder.Serialize()
}

func subjectOf(email string) string {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte("mailto:"+email)).String()
}

// Verify returns the user of an unexpired token of this provider.
func (d *Dev) Verify(_ context.Context, raw string) (User, error) {
	user, _, err := d.verifyToken(raw, devIssuer)
	return user, err
}

func (d *Dev) verifyToken(raw string, issuers ...string) (user User, signIn string, err error) {
	token, err := parseToken(raw, jose.ES256)
	if err != nil {
		return User{}, "", err
	}
	var registered jwt.Claims
	var custom tokenClaims
	if err := token.Claims(d.key.Public(), &registered, &custom); err != nil {
		return User{}, "", &InvalidToken{Reason: "signed with another key", Cause: err}
	}
	if _, err := uuid.Parse(registered.Subject); err != nil || custom.Email == "" {
		return User{}, "", &InvalidToken{Reason: "it does not identify a user"}
	}
	// Ignore start times. This machine issued the token, so a time in the future means that its clock
	// was set back.
	registered.NotBefore, registered.IssuedAt = nil, nil
	if err := (expectedClaims{issuers, []string{Audience}, d.now(), false}).check(registered); err != nil {
		return User{}, "", err
	}
	return custom.toUser(registered.Subject, registered.Subject), custom.SignIn, nil
}

func readKey(path string) (jose.JSONWebKey, error) {
	var key jose.JSONWebKey
	data, err := atomicfile.Read(path)
	if err != nil {
		return key, err
	}
	// The cause could contain parts of the key.
	if json.Unmarshal(data, &key) != nil {
		return key, fmt.Errorf("%s does not contain a key, remove it to get a new one", path)
	}
	if _, ok := key.Key.(*ecdsa.PrivateKey); !ok || !key.Valid() {
		return key, fmt.Errorf("%s does not contain a private key for ES256, remove it to get a new one", path)
	}
	return key, nil
}

// createKey returns the existing key if another process has just created it.
func createKey(path string) (jose.JSONWebKey, error) {
	var none jose.JSONWebKey
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return none, err
	}
	key := jose.JSONWebKey{Key: private, Algorithm: string(jose.ES256), Use: "sig"}
	thumbprint, err := key.Thumbprint(crypto.SHA256)
	if err != nil {
		return none, err
	}
	key.KeyID = base64.RawURLEncoding.EncodeToString(thumbprint)
	data, err := json.MarshalIndent(key, "", "  ")
	if err != nil {
		return none, err
	}
	err = writePrivate(path, data, atomicfile.Create)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return none, err
	}
	return readKey(path)
}
