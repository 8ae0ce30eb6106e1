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
	"os"
	"path/filepath"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/google/uuid"
)

// What the development provider writes into its tokens and asks of them.
const (
	devIssuer   = "parley-dev"
	devAudience = "parley"
	devKeyFile  = "dev-key.json"
	// leeway is how far two clocks may be apart.
	leeway = 60 * time.Second
	// maxToken bounds what is parsed, in bytes: a token of ours has about 500,
	// one of a large provider seldom more than 4,000.
	maxToken = 8 << 10
)

// Dev is the development provider: it issues tokens to whoever can read the data
// folder and verifies them. Its key is kept in that folder, so a token outlives
// the process that made it.
type Dev struct {
	key jose.JSONWebKey
	now func() time.Time
}

// OpenDev opens the development provider of a data folder; the first call makes
// the folder and the key. now is the clock, nil means time.Now.
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

// claims are a token's members beside the registered ones.
type claims struct {
	Email    string `json:"email"`
	Name     string `json:"name,omitempty"`
	Username string `json:"preferred_username,omitempty"`
}

// Token gives a bearer token of the user with this e-mail address, valid from
// now on for ttl.
func (d *Dev) Token(email string, ttl time.Duration) (string, error) {
	email, err := normalEmail(email)
	if err != nil {
		return "", err
	}
	if ttl <= 0 {
		return "", fmt.Errorf("token lifetime %s: must be longer than nothing", ttl)
	}
	now := d.now()
	registered := jwt.Claims{
		Issuer:    devIssuer,
		Audience:  jwt.Audience{devAudience},
		Subject:   subject(email),
		IssuedAt:  jwt.NewNumericDate(now),
		NotBefore: jwt.NewNumericDate(now),
		Expiry:    jwt.NewNumericDate(now.Add(ttl)),
		ID:        uuid.NewString(),
	}
	own := claims{Email: email, Name: displayName("", "", email)}
	return d.sign(registered, own)
}

func (d *Dev) sign(parts ...any) (string, error) {
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

// subject is the user id of an address: always the same UUID for the same
// address, on every machine, so that data folders can be moved.
func subject(email string) string {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte("mailto:"+email)).String()
}

// Verify accepts tokens that this provider signed, for this service, within
// their time (give or take a minute).
func (d *Dev) Verify(_ context.Context, raw string) (User, error) {
	if len(raw) > maxToken {
		return User{}, &InvalidToken{Reason: fmt.Sprintf("longer than %d bytes", maxToken)}
	}
	token, err := jwt.ParseSigned(raw, []jose.SignatureAlgorithm{jose.ES256})
	if err != nil {
		return User{}, &InvalidToken{Reason: "not a signed JWT of this server", Cause: err}
	}
	var registered jwt.Claims
	var own claims
	if err := token.Claims(d.key.Public(), &registered, &own); err != nil {
		return User{}, &InvalidToken{Reason: "signed with another key", Cause: err}
	}
	if err := d.checkClaims(registered, own); err != nil {
		return User{}, err
	}
	name := displayName(own.Name, own.Username, own.Email)
	return User{ID: registered.Subject, Email: own.Email, DisplayName: name}, nil
}

func (d *Dev) checkClaims(registered jwt.Claims, own claims) error {
	// The library takes an absent time for an eternal one.
	if registered.Expiry == nil {
		return &InvalidToken{Reason: "it never expires"}
	}
	if _, err := uuid.Parse(registered.Subject); err != nil || own.Email == "" {
		return &InvalidToken{Reason: "it names no user"}
	}
	err := registered.ValidateWithLeeway(jwt.Expected{
		Issuer:      devIssuer,
		AnyAudience: jwt.Audience{devAudience},
		Time:        d.now(),
	}, leeway)
	if err != nil {
		return &InvalidToken{Reason: reason(err), Cause: err}
	}
	return nil
}

func reason(err error) string {
	switch {
	case errors.Is(err, jwt.ErrExpired):
		return "it has expired, sign in again"
	case errors.Is(err, jwt.ErrNotValidYet), errors.Is(err, jwt.ErrIssuedInTheFuture):
		return "it is not valid yet, check the clock"
	case errors.Is(err, jwt.ErrInvalidAudience):
		return "it is for another service"
	case errors.Is(err, jwt.ErrInvalidIssuer):
		return "it is of another issuer"
	}
	return "its claims do not hold"
}

func readKey(path string) (jose.JSONWebKey, error) {
	var key jose.JSONWebKey
	data, err := os.ReadFile(path)
	if err != nil {
		return key, err
	}
	// The cause is left out: it could repeat parts of the key.
	if json.Unmarshal(data, &key) != nil {
		return key, fmt.Errorf("%s holds no key, remove it to get a new one", path)
	}
	if _, ok := key.Key.(*ecdsa.PrivateKey); !ok || !key.Valid() {
		return key, fmt.Errorf("%s holds no private key for ES256, remove it to get a new one", path)
	}
	return key, nil
}

// createKey makes a key. When two processes do so at once, the first one's key
// is the key of both.
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
	err = writePrivate(path, data, keepFirst)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return none, err
	}
	return readKey(path)
}
