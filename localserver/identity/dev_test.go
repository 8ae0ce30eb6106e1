package identity

import (
	"crypto/ecdsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/parley-npc/parley/personas/assert"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

type fakeClock struct{ time.Time }

func (c *fakeClock) readTime() time.Time { return c.Time }

func openDev(t testing.TB, dir string, c *fakeClock) *Dev {
	t.Helper()
	return assert.Value(OpenDev(dir, c.readTime))(t)
}

func TestTokenNamesTheSameUserAfterARestart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "by", "us")
	first := openDev(t, dir, &fakeClock{noon})
	token := assert.Value(first.IssueToken("Alice.Smith@Example.com", time.Hour))(t)
	second := openDev(t, dir, &fakeClock{noon})
	user := assert.Value(second.Verify(t.Context(), token))(t)
	want := User{ID: subjectOf("alice.smith@example.com"), Email: "alice.smith@example.com", DisplayName: "alice.smith"}
	assert.Equal(t, user, want, "user")
	info := assert.Value(os.Stat(filepath.Join(dir, devKeyFile)))(t)
	assert.True(t, runtime.GOOS == "windows" || info.Mode().Perm() == 0o600, "the key file has mode %v", info.Mode())
}

func TestOpenedAtOnceThereIsOneKey(t *testing.T) {
	dir := t.TempDir()
	devs := make([]*Dev, 8)
	var group sync.WaitGroup
	for i := range devs {
		group.Go(func() { devs[i], _ = OpenDev(dir, nil) })
	}
	group.Wait()
	token := assert.Value(devs[0].IssueToken("a@b.c", time.Hour))(t)
	for i, dev := range devs {
		assert.Value(dev.Verify(t.Context(), token))(t, "provider %d", i)
	}
	left, _ := os.ReadDir(dir)
	assert.Equal(t, len(left), 1, "left behind: %v", left)
}

func TestVerifyTimes(t *testing.T) {
	issued := fakeClock{noon}
	dev := openDev(t, t.TempDir(), &issued)
	token := assert.Value(dev.IssueToken("a@b.c", time.Hour))(t)
	for name, c := range map[string]struct {
		shift time.Duration
		want  string
	}{
		"at once":                     {0, ""},
		"a minute early":              {-leeway, ""},
		"the clock was set back":      {-30 * time.Minute, ""},
		"the clock was set far back":  {-400 * 24 * time.Hour, ""},
		"a minute after its end":      {time.Hour + leeway, ""},
		"more than a minute after it": {time.Hour + leeway + time.Second, "has expired"},
	} {
		t.Run(name, func(t *testing.T) {
			issued.Time = noon.Add(c.shift)
			checkVerify(t, dev, token, name, c.want)
		})
	}
}

func checkRefusal(t *testing.T, name string, err error, want string) {
	t.Helper()
	if want == "" {
		assert.NoError(t, err, name)
		return
	}
	var invalid *InvalidToken
	assert.True(t, errors.As(err, &invalid) && strings.Contains(invalid.Reason, want),
		"%s: error %v, want one with %q", name, err, want)
}

// checkUnknownKey checks that a token is neither accepted nor called invalid.
func checkUnknownKey(t *testing.T, v Verifier, raw string) {
	t.Helper()
	_, err := v.Verify(t.Context(), raw)
	_, ok := errors.AsType[*Unavailable](err)
	assert.True(t, ok, "a token of an unknown key: %v", err)
}

func checkVerify(t *testing.T, v Verifier, raw, name, want string) {
	t.Helper()
	_, err := v.Verify(t.Context(), raw)
	checkRefusal(t, name, err, want)
}

func signWith(t testing.TB, algorithm jose.SignatureAlgorithm, key any, parts ...any) string {
	t.Helper()
	return signTyped(t, algorithm, key, "", parts...)
}

func signTyped(t testing.TB, algorithm jose.SignatureAlgorithm, key any, kind string, parts ...any) string {
	t.Helper()
	if algorithm == algorithmEd25519 {
		key = ed25519Signer{key.(jose.JSONWebKey)}
	}
	options := &jose.SignerOptions{}
	if kind != "" {
		options = options.WithType(jose.ContentType(kind))
	}
	signer := assert.Value(jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: key}, options))(t)
	builder := jwt.Signed(signer)
	for _, part := range parts {
		builder = builder.Claims(part)
	}
	return assert.Value(builder.Serialize())(t)
}

func unsignedToken(t testing.TB, claims map[string]any) string {
	t.Helper()
	body := assert.Value(json.Marshal(claims))(t)
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + encode(body) + "."
}

func TestVerifyRefusesForgeries(t *testing.T) {
	dir := t.TempDir()
	dev := openDev(t, dir, &fakeClock{noon})
	other := openDev(t, t.TempDir(), &fakeClock{noon})
	public := assert.Value(x509.MarshalPKIXPublicKey(&dev.key.Key.(*ecdsa.PrivateKey).PublicKey))(t)
	publicPEM := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})
	publicJWK := assert.Value(json.Marshal(dev.key.Public()))(t)
	good := func(change ...any) map[string]any {
		m := map[string]any{
			"iss": devIssuer, "aud": Audience, "sub": subjectOf("a@b.c"), "email": "a@b.c",
			"iat": noon.Unix(), "nbf": noon.Unix(), "exp": noon.Add(time.Hour).Unix(),
		}
		for i := 0; i < len(change); i += 2 {
			m[change[i].(string)] = change[i+1]
		}
		return m
	}
	es := func(claims map[string]any) string { return signWith(t, jose.ES256, dev.key, claims) }
	token := es(good())
	assert.Value(dev.Verify(t.Context(), token))(t, "the pattern of all forgeries is itself refused")
	for name, c := range map[string]struct{ raw, want string }{
		"another key":              {signWith(t, jose.ES256, other.key, good()), "another key"},
		"no algorithm":             {unsignedToken(t, good()), "not a signed JWT"},
		"HS256 by public PEM":      {signWith(t, jose.HS256, publicPEM, good()), "not a signed JWT"},
		"HS256 by public JWK":      {signWith(t, jose.HS256, publicJWK, good()), "not a signed JWT"},
		"another audience":         {es(good("aud", "shop")), "another service"},
		"no audience":              {es(good("aud", []string{})), "another service"},
		"another issuer":           {es(good("iss", "https://evil.example")), "another issuer"},
		"no expiry":                {es(good("exp", nil)), "no expiry"},
		"no subject":               {es(good("sub", "")), "does not identify a user"},
		"subject no UUID":          {es(good("sub", "admin")), "does not identify a user"},
		"no e-mail":                {es(good("email", "")), "does not identify a user"},
		"empty":                    {"", "not a signed JWT"},
		"not a token":              {"hello", "not a signed JWT"},
		"cut in the signature":     {token[:len(token)-8], ""},
		"cut in the claims":        {token[:len(token)/2], "not a signed JWT"},
		"a byte more than allowed": {token + strings.Repeat("A", maxToken+1-len(token)), "longer than"},
		"huge":                     {strings.Repeat("A", 1<<20), "longer than"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := dev.Verify(t.Context(), c.raw)
			assert.True(t, err != nil, "%s: accepted", name)
			if c.want != "" {
				checkRefusal(t, name, err, c.want)
			}
			assert.True(t, err == nil || len(c.raw) <= 20 || !strings.Contains(err.Error(), c.raw[:20]), "%s: the error repeats the token", name)
		})
	}
}

func TestTokenRefuses(t *testing.T) {
	dev := openDev(t, t.TempDir(), &fakeClock{noon})
	long := strings.Repeat("a", maxEmail-len("@b.c")) + "@b.c"
	for email, ok := range map[string]bool{
		"a@b.c": true, "o'neil+x@example.co.uk": true, "root@localhost": true, long: true,
		"": false, "alice": false, "a@": false, "@b.c": false, "Alice <a@b.c>": false, "a@b.c\n": false, "a" + long: false,
	} {
		t.Run(fmt.Sprintf("%.20q of %d", email, len(email)), func(t *testing.T) {
			_, err := dev.IssueToken(email, time.Hour)
			if (err == nil) != ok || (!ok && !errors.Is(err, ErrEmail)) {
				t.Errorf("Token(%q): %v", email, err)
			}
		})
	}
	for _, ttl := range []time.Duration{0, -time.Second} {
		t.Run(fmt.Sprint(ttl), func(t *testing.T) {
			_, err := dev.IssueToken("a@b.c", ttl)
			assert.True(t, err != nil, "Token with lifetime %s: accepted", ttl)
		})
	}
}

func TestOpenDevRefusesDamagedKeys(t *testing.T) {
	for name, text := range map[string]string{
		"empty":      "",
		"no JSON":    "secret-looking text",
		"symmetric":  `{"kty":"oct","k":"c2VjcmV0LWxvb2tpbmcgdGV4dA","alg":"HS256"}`,
		"public key": `{"kty":"EC","crv":"P-256","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4","y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			assert.NoError(t, os.WriteFile(filepath.Join(dir, devKeyFile), []byte(text), 0o600))
			_, err := OpenDev(dir, nil)
			assert.Must(t, err != nil)
			assert.Contains(t, err.Error(), "remove it")
			assert.NotContains(t, err.Error(), "secret")
		})
	}
}

func FuzzVerify(f *testing.F) {
	dev := openDev(f, f.TempDir(), &fakeClock{noon})
	token := assert.Value(dev.IssueToken("a@b.c", time.Hour))(f)
	f.Add(unsignedToken(f, map[string]any{"iss": devIssuer}))
	f.Add("a.b.c")
	f.Add(token[:len(token)-1] + "A")
	f.Fuzz(func(t *testing.T, raw string) {
		user, err := dev.Verify(t.Context(), raw)
		assert.True(t, err != nil || user.Email == "a@b.c", "somebody got in: %+v", user)
	})
}

func TestSignInFile(t *testing.T) {
	dir := t.TempDir()
	_, err := ReadSignIn(dir)
	assert.ErrorIs(t, err, fs.ErrNotExist, "without a file")
	for _, in := range []SignIn{
		{"http://127.0.0.1:1", "first", "a@b.c", noon},
		{"http://127.0.0.1:2", "second", "d@e.f", noon.Add(time.Hour)},
	} {
		t.Run(in.Address, func(t *testing.T) {
			assert.NoError(t, WriteSignIn(dir, in))
			got, err := ReadSignIn(dir)
			assert.True(t, err == nil && got == in, "read %+v, %v; wrote %+v", got, err, in)
		})
	}
	path := filepath.Join(dir, signInFile)
	info := assert.Value(os.Stat(path))(t)
	assert.True(t, runtime.GOOS == "windows" || info.Mode().Perm() == 0o600, "mode %v", info.Mode())
	assert.NoError(t, os.WriteFile(path, []byte(`{"token": "secret`), 0o600))
	_, err = ReadSignIn(dir)
	assert.True(t, err != nil && !strings.Contains(err.Error(), "secret"), "a damaged file: %v", err)
	for range 2 {
		assert.NoError(t, RemoveSignIn(dir))
	}
	left, _ := os.ReadDir(dir)
	assert.Empty(t, left, "left behind")
}

func TestMachineEmailIsAnAddress(t *testing.T) {
	email := MachineEmail()
	assert.Equal(t, assert.Value(normalEmail(email))(t), email)
}
