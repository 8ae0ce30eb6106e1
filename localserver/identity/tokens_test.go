package identity

import (
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/uuid"
	"github.com/parley-npc/parley/personas/assert"
)

// ed25519Signer signs with the algorithm's name in RFC 9864, which the library lacks.
type ed25519Signer struct{ key jose.JSONWebKey }

func (s ed25519Signer) Public() *jose.JSONWebKey        { public := s.key.Public(); return &public }
func (s ed25519Signer) Algs() []jose.SignatureAlgorithm { return edAlgorithms }
func (s ed25519Signer) SignPayload(payload []byte, _ jose.SignatureAlgorithm) ([]byte, error) {
	return ed25519.Sign(s.key.Key.(ed25519.PrivateKey), payload), nil
}

// TestAlgorithmIsTheKeys: a signature is valid only if alg, use and key_ops of the key allow it.
func TestAlgorithmIsTheKeys(t *testing.T) {
	kinds := map[jose.SignatureAlgorithm]signingKey{}
	for _, algorithm := range []jose.SignatureAlgorithm{jose.RS256, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA} {
		kinds[algorithm] = newKey(t, "k", algorithm)
	}
	for _, c := range []struct {
		kind, token jose.SignatureAlgorithm
		members     []any
		good        bool
	}{
		{jose.RS256, jose.PS512, nil, true},
		{jose.RS256, jose.PS512, []any{"alg", "PS512"}, true},
		{jose.RS256, jose.RS384, []any{"alg", "RS256"}, false},
		{jose.RS256, jose.PS256, []any{"alg", "RS256"}, false},
		{jose.RS256, jose.RS256, []any{"use", nil}, true},
		{jose.RS256, jose.RS256, []any{"use", nil, "key_ops", []string{"verify"}}, true},
		{jose.RS256, jose.RS256, []any{"key_ops", []string{"encrypt", "wrapKey"}}, false},
		{jose.RS256, jose.RS256, []any{"key_ops", []string{}}, false},
		{jose.RS256, jose.RS256, []any{"key_ops", "verify"}, false},
		{jose.RS256, jose.RS256, []any{"use", "enc"}, false},
		{jose.RS256, jose.RS256, []any{"use", "tls"}, false},
		{jose.RS256, jose.RS256, []any{"alg", "RSA-OAEP"}, false},
		{jose.RS256, jose.RS256, []any{"alg", "none"}, false},
		{jose.RS256, jose.RS256, []any{"alg", "HS256"}, false},
		{jose.RS256, jose.RS256, []any{"kty", "EC"}, false},
		{jose.ES384, jose.ES384, []any{"alg", "ES384"}, true},
		{jose.ES384, jose.ES384, []any{"alg", "ES256"}, false},
		{jose.ES384, jose.ES384, []any{"crv", "P-256"}, false},
		{jose.ES512, jose.ES512, nil, true},
		{jose.EdDSA, algorithmEd25519, nil, true},
		{jose.EdDSA, algorithmEd25519, []any{"alg", "EdDSA"}, true},
		{jose.EdDSA, algorithmEd25519, []any{"alg", "Ed25519"}, true},
		{jose.EdDSA, jose.EdDSA, []any{"alg", "Ed25519"}, true},
		{jose.EdDSA, jose.EdDSA, []any{"alg", "Ed448"}, false},
		{jose.EdDSA, jose.EdDSA, []any{"crv", "X25519"}, false},
	} {
		t.Run(fmt.Sprint(c.kind, c.token, c.members), func(t *testing.T) {
			key := kinds[c.kind]
			p := newFakeProvider(t, newKey(t, "other", jose.ES256)) // so that it starts
			p.showKey(key, c.members...)
			user, err := p.openExternal(t).Verify(t.Context(), signingKey{"k", c.token, key.private}.signToken(t, p.goodClaims()))
			if c.good {
				checkRefusal(t, "a good one", err, "")
				return
			}
			checkRefusal(t, user.ID, err, "does not have")
		})
	}
}

// TestSignatureIsChecked: other keys' signatures and other claims are refused.
func TestSignatureIsChecked(t *testing.T) {
	for _, algorithm := range externalAlgorithms {
		t.Run(string(algorithm), func(t *testing.T) {
			ours, stranger := newKey(t, "k", algorithm), newKey(t, "k", algorithm)
			p := newFakeProvider(t, ours)
			v := p.openExternal(t)
			checkVerify(t, v, stranger.signToken(t, p.goodClaims()), "another key", "another key")
			good, other := strings.Split(ours.signToken(t, p.goodClaims()), "."), strings.Split(ours.signToken(t, p.goodClaims("sub", "eve")), ".")
			checkVerify(t, v, good[0]+"."+other[1]+"."+good[2], "other claims", "another key")
			_, err := v.Verify(t.Context(), good[0]+"."+good[1]+".")
			_, ok := errors.AsType[*InvalidToken](err)
			assert.True(t, ok, "no signature: %v", err)
		})
	}
}

// TestProviderThatCanNeverSign: a server that could admit nobody says so at the start.
func TestProviderThatCanNeverSign(t *testing.T) {
	weak, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Skip("this Go makes no weak keys")
	}
	good := newKey(t, "a", jose.RS256)
	for want, show := range map[string]func(*fakeProvider){
		"it contains no keys":           func(*fakeProvider) {},
		"fewer than 2048 bits":          func(p *fakeProvider) { p.showKey(signingKey{"a", jose.RS256, weak}) },
		`its alg is "RSA-OAEP-256"`:     func(p *fakeProvider) { p.showKey(good, "alg", "RSA-OAEP-256") },
		`its use is "enc"`:              func(p *fakeProvider) { p.showKey(good, "use", "enc") },
		"key_ops do not contain verify": func(p *fakeProvider) { p.showKey(good, "key_ops", []string{"sign"}) },
		"an unknown type":               func(p *fakeProvider) { p.showKey(newKey(t, "a", jose.ES256), "crv", "secp256k1") },
		"not a public key":              func(p *fakeProvider) { p.keys = []any{map[string]any{"kty": "oct", "k": "c2VjcmV0", "alg": "HS256"}} },
	} {
		t.Run(want, func(t *testing.T) {
			p := newFakeProvider(t)
			show(p)
			_, err := OpenExternal(t.Context(), ExternalOptions{Issuer: p.URL, Audiences: []string{forUs}})
			assert.ErrorContains(t, err, want)
			assert.ErrorContains(t, err, "can verify tokens with an accepted algorithm (RS256, ")
		})
	}
}

// TestKindsOfTokens tests tokens in the formats of providers, with this service as audience.
func TestKindsOfTokens(t *testing.T) {
	key := newKey(t, "k", jose.ES256)
	p := newFakeProvider(t, key)
	v := p.openExternal(t)
	for name, c := range map[string]struct {
		header string
		claims []any
		want   string
	}{
		"RFC 9068":                         {"at+jwt", []any{"client_id", "c", "scope", "openid", "jti", "1"}, ""},
		"RFC 9068, all of it":              {"application/at+jwt", []any{"client_id", "c", "auth_time", 1, "acr", "1", "at_hash", "x"}, ""},
		"RFC 9068 in capitals":             {"AT+JWT", nil, ""},
		"no typ":                           {"", nil, ""},
		"JWT":                              {"JWT", nil, ""},
		"jwt":                              {"jwt", nil, ""},
		"Auth0":                            {"JWT", []any{"azp", "c", "scope", "openid profile offline_access", "gty", "password"}, ""},
		"Entra, version 1":                 {"JWT", []any{"appid", "c", "scp", "play", "ver", "1.0", "tid", "t", "oid", "o", "aio", "a", "uti", "u"}, ""},
		"Entra, version 2":                 {"JWT", []any{"azp", "c", "roles", []string{"Play"}, "ver", "2.0", "tid", "t", "oid", "o", "rh", "r"}, ""},
		"Keycloak":                         {"JWT", []any{"typ", "Bearer", "azp", "c", "scope", "openid email", "realm_access", map[string]any{"roles": []string{"a"}}}, ""},
		"Keycloak before 24, with a nonce": {"JWT", []any{"typ", "Bearer", "azp", "c", "nonce", "n", "scope", "openid email", "session_state", "s"}, ""},
		"Okta":                             {"", []any{"ver", 1, "cid", "c", "uid", "u", "scp", []string{"openid"}}, ""},
		"authentik":                        {"JWT", []any{"azp", "c", "uid", "u", "scope", "openid", "nonce", "n", "at_hash", "h", "auth_time", 1}, ""},
		"Cognito":                          {"", []any{"token_use", "access", "client_id", "c", "scope", "openid"}, ""},
		"a workload":                       {"JWT", []any{"ref", "refs/heads/main", "repository", "a/b", "jti", "j"}, ""},
		"oidc-provider, ID token":          {"", []any{"nonce", "n", "at_hash", "h", "sid", "s"}, "ID token"},
		"Auth0, ID token":                  {"JWT", []any{"nonce", "n", "sid", "s"}, "ID token"},
		"Keycloak, ID token":               {"JWT", []any{"typ", "ID", "azp", "c", "acr", "1", "sid", "s"}, "ID token"},
		"Keycloak, refresh token":          {"JWT", []any{"typ", "Refresh", "azp", "c", "scope", "openid"}, "not an access token"},
		"Keycloak, offline token":          {"JWT", []any{"typ", "Offline", "azp", "c", "scope", "openid"}, "not an access token"},
		"Cognito, ID token":                {"", []any{"token_use", "id"}, "ID token"},
		"Okta, ID token":                   {"", []any{"ver", 1, "at_hash", "h", "amr", []string{"pwd"}, "idp", "i"}, "ID token"},
		"Zitadel, ID token":                {"", []any{"at_hash", "h", "azp", "c", "client_id", "c", "amr", []string{"pwd"}}, "ID token"},
		"hybrid flow":                      {"JWT", []any{"c_hash", "h", "scope", "openid"}, "ID token"},
		"FAPI":                             {"JWT", []any{"s_hash", "h"}, "ID token"},
		"an empty nonce":                   {"JWT", []any{"nonce", ""}, "ID token"},
		"logout token":                     {"logout+jwt", []any{"sid", "s"}, "not an access token"},
		"logout token without a typ":       {"JWT", []any{"events", map[string]any{"http://schemas.openid.net/event/backchannel-logout": map[string]any{}}}, "not an access token"},
		"DPoP proof":                       {"dpop+jwt", nil, "not an access token"},
		"security event":                   {"secevent+jwt", nil, "not an access token"},
		"introspection":                    {"token-introspection+jwt", nil, "not an access token"},
		"typ of spaces":                    {" ", nil, "not an access token"},
	} {
		t.Run(name, func(t *testing.T) {
			raw := signTyped(t, key.algorithm, jose.JSONWebKey{Key: key.private, KeyID: key.id}, c.header, p.goodClaims(c.claims...))
			checkVerify(t, v, raw, name, c.want)
		})
	}
}

// TestProviderWithoutAccessTokens: access tokens of dex, which look like ID tokens, are accepted for the client.
func TestProviderWithoutAccessTokens(t *testing.T) {
	key := newKey(t, "k", jose.RS256)
	p := newFakeProvider(t, key)
	dex := []any{"at_hash", "h", "nonce", "n", "email_verified", true, "federated_claims", map[string]any{"connector_id": "local"}}
	for _, c := range []struct {
		client string
		claims []any
		want   string
	}{
		{forUs, dex, ""}, {"another", dex, "set the client ID"}, {"", dex, "set the client ID"},
		{forUs, append([]any{"c_hash", "h"}, dex...), "ID token"},
	} {
		t.Run(fmt.Sprint(c.client, len(c.claims)), func(t *testing.T) {
			v := assert.Value(OpenExternal(t.Context(), ExternalOptions{Issuer: p.URL, Audiences: []string{forUs}, ClientID: c.client, Now: p.clock.readTime}))(t)
			checkVerify(t, v, key.signToken(t, p.goodClaims(c.claims...)), c.client, c.want)
		})
	}
}

// TestSecretKindsOfTokens: tokens that are signed with a secret have the same requirements.
func TestSecretKindsOfTokens(t *testing.T) {
	c := &fakeClock{noon}
	s := assert.Value(OpenSecret(secretFile(t, longSecret, 0o600), []string{forUs}, c.readTime))(t)
	claims := map[string]any{"sub": "a", "aud": forUs, "exp": noon.Add(time.Hour).Unix()}
	for header, want := range map[string]string{"": "", "at+jwt": "", "logout+jwt": "not an access token"} {
		checkVerify(t, s, signTyped(t, jose.HS256, []byte(longSecret), header, claims), header, want)
	}
	id := maps.Clone(claims)
	id["at_hash"] = "h"
	checkVerify(t, s, signTyped(t, jose.HS256, []byte(longSecret), "JWT", id), "ID token", "ID token")
}

// TestNewKeyIsAcceptedAfterPause: a token with a new key is accepted when keys can be requested again.
func TestNewKeyIsAcceptedAfterPause(t *testing.T) {
	first, second, third := newKey(t, "first", jose.ES256), newKey(t, "second", jose.ES256), newKey(t, "third", jose.ES256)
	p := newFakeProvider(t, first)
	v := p.openExternal(t)
	p.showKeys(first, second)
	assert.Value(v.Verify(t.Context(), second.signToken(t, p.goodClaims())))(t)
	p.showKeys(second, third)
	p.clock.Time = noon.Add(3 * time.Second)
	token, nameless := third.signToken(t, p.goodClaims()), signingKey{"", third.algorithm, third.private}.signToken(t, p.goodClaims())
	for _, raw := range []string{token, nameless} {
		_, err := v.Verify(t.Context(), raw)
		away, ok := errors.AsType[*Unavailable](err)
		assert.Must(t, ok, "in the quiet: %#v", err)
		assert.Equal(t, away.RetryAfter, refreshPause-3*time.Second, "in the quiet")
		assert.True(t, away.Cause == nil, "in the quiet: %#v", err)
	}
	p.clock.Time = noon.Add(refreshPause)
	for name, raw := range map[string]string{"named": token, "nameless": nameless} {
		assert.Value(v.Verify(t.Context(), raw))(t, "%s, as soon as it can be asked", name)
	}
	// A removed key is refused at once, and so is a known id of another kind.
	checkUnknownKey(t, v, first.signToken(t, p.goodClaims()))
	checkVerify(t, v, newKey(t, "third", jose.RS256).signToken(t, p.goodClaims()), "another kind", "does not have")
}

// TestUnknownKeys: forgeries with unknown keys ask the provider, and are refused.
func TestUnknownKeys(t *testing.T) {
	ours, stranger := newKey(t, "rsa", jose.RS256), newKey(t, "rsa", jose.RS256)
	p := newFakeProvider(t, ours, newKey(t, "ec", jose.ES256))
	v := p.openExternal(t)
	embedding := assert.Value(jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: stranger.private}, &jose.SignerOptions{EmbedJWK: true}))(t)
	text, _ := json.Marshal(p.goodClaims())
	embedded := assert.Value(embedding.Sign(text))(t)
	brought, _ := embedded.CompactSerialize()
	for name, raw := range map[string]string{
		"an unknown key":              newKey(t, "new", jose.ES256).signToken(t, p.goodClaims()),
		"another key without an id":   signingKey{"", jose.RS256, stranger.private}.signToken(t, p.goodClaims()),
		"a key that the token brings": brought,
	} {
		t.Run(name, func(t *testing.T) {
			p.clock.Time = p.clock.Add(refreshPause)
			checkVerify(t, v, raw, name, "does not have")
		})
	}
	assert.Equal(t, p.asked.Load(), 4, "the provider was asked")
}

// FuzzTokenKind: for any header and claims, reading a token ends in acceptance or in a refusal, and
// the marks of an ID token never pass without those of an access token.
func FuzzTokenKind(f *testing.F) {
	for _, text := range []string{`{}`, `{"typ":"ID"}`, `{"at_hash":"a","scope":"b"}`, `{"nonce":null}`, `{"events":{}}`, `{"typ":["ID"]}`, `[]`} {
		f.Add([]byte(text), "JWT")
	}
	f.Fuzz(func(t *testing.T, text []byte, header string) {
		var kind tokenKind
		if json.Unmarshal(text, &kind) != nil {
			return
		}
		err := kind.check(false)
		if err == nil && (kind.CodeHash != nil || kind.AccessHash != nil && kind.Scope == nil && kind.Scopes == nil) {
			t.Errorf("%s passes", text)
		}
		isAccess, err := checkHeaderType(jose.Header{ExtraHeaders: map[jose.HeaderKey]any{jose.HeaderType: header}})
		if isAccess && (err != nil || !strings.HasSuffix(strings.ToLower(header), "at+jwt")) {
			t.Errorf("%q is taken for an access token: %v", header, err)
		}
	})
}

func TestCurvesOfKeys(t *testing.T) {
	assert.Equal(t, len(algorithmsOf(newKey(t, "", jose.ES256).private.Public())), 1, "kinds of keys")
	assert.True(t, algorithmsOf("a text") == nil, "kinds of keys")
	assert.Equal(t, curves[elliptic.P224()], "", "kinds of keys")
}

const longSecret = "a secret of exactly 32 bytes, ok"

func secretFile(t testing.TB, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "secret")
	assert.NoError(t, os.WriteFile(path, []byte(text), mode))
	return path
}

func TestSecretVerify(t *testing.T) {
	c := &fakeClock{noon}
	path := secretFile(t, longSecret+"\n", 0o600)
	bound := assert.Value(OpenSecret(path, []string{forUs}, c.readTime))(t)
	unbound := assert.Value(OpenSecret(path, nil, c.readTime))(t)
	claims := func(change ...any) map[string]any {
		return (&fakeProvider{Server: &httptest.Server{URL: "https://accounts.example.com"}}).goodClaims(change...)
	}
	hs := func(change ...any) string { return signWith(t, jose.HS256, []byte(longSecret), claims(change...)) }
	ours := newKey(t, "k", jose.ES256)
	for name, c := range map[string]struct {
		with      *Secret
		raw, want string
	}{
		"good":                  {bound, hs(), ""},
		"unbound":               {unbound, hs("aud", "whoever"), ""},
		"another audience":      {bound, hs("aud", "whoever"), "another service"},
		"expired":               {bound, hs("exp", noon.Add(-leeway-time.Second).Unix()), "has expired"},
		"a minute late":         {bound, hs("exp", noon.Add(-leeway).Unix()), ""},
		"early":                 {bound, hs("nbf", noon.Add(leeway+time.Second).Unix()), "not valid yet"},
		"never expires":         {bound, hs("exp", nil), "no expiry"},
		"nobody":                {unbound, hs("sub", ""), "does not identify a user"},
		"another secret":        {bound, signWith(t, jose.HS256, []byte(longSecret+"x"), claims()), "another key"},
		"HS512":                 {bound, signWith(t, jose.HS512, []byte(longSecret+longSecret), claims()), "algorithm"},
		"no algorithm":          {bound, unsignedToken(t, claims()), "not a signed JWT"},
		"a signature by a key":  {bound, ours.signToken(t, claims()), "algorithm"},
		"claims of other types": {bound, hs("name", []int{1}), "malformed"},
		"huge":                  {bound, strings.Repeat("A", maxToken+1), "longer than"},
	} {
		t.Run(name, func(t *testing.T) { checkVerify(t, c.with, c.raw, name, c.want) })
	}
	user, err := bound.Verify(t.Context(), hs("sub", "42", "iss", "https://a"))
	assert.True(t, err == nil && user.ID == uuid.NewSHA1(uuid.NameSpaceURL, []byte("https://a#42")).String(), "user %+v, %v", user, err)
}

func TestOpenSecret(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want string
	}{
		"just long enough": {longSecret + "\r\n", ""},
		"a byte too short": {longSecret[1:] + "\n", "at least 32"},
		"empty":            {"", "at least 32"},
		"a public key":     {"-----BEGIN PUBLIC KEY-----\n" + longSecret, "instead of a shared secret"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := OpenSecret(secretFile(t, c.text, 0o600), nil, nil)
			if (c.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Error(err)
			}
			assert.True(t, err == nil || c.text == "" || !strings.Contains(err.Error(), longSecret[1:]), "%s: the error repeats the secret", name)
		})
	}
	_, err := OpenSecret(filepath.Join(t.TempDir(), "none"), nil, nil)
	assert.True(t, err != nil, "an absent file is accepted")
	for mode, exposed := range map[os.FileMode]bool{0o600: false, 0o400: false, 0o640: true, 0o604: true} {
		t.Run(fmt.Sprint(mode), func(t *testing.T) {
			s, err := OpenSecret(secretFile(t, longSecret, mode), nil, nil)
			if err != nil || runtime.GOOS != "windows" && s.Exposed != exposed {
				t.Errorf("mode %v: %+v, %v", mode, s, err)
			}
		})
	}
}

func TestFoldID(t *testing.T) {
	for text, want := range map[string]string{
		"01890000-ABCD-7000-8000-00000000000F": "01890000-abcd-7000-8000-00000000000f",
		"01890000-abcd-7000-8000-00000000000f": "01890000-abcd-7000-8000-00000000000f",
		// Other formats of package uuid are not ids of ours.
		"{01890000-ABCD-7000-8000-00000000000F}":        "{01890000-ABCD-7000-8000-00000000000F}",
		"URN:UUID:01890000-ABCD-7000-8000-00000000000F": "URN:UUID:01890000-ABCD-7000-8000-00000000000F",
		"01890000ABCD7000800000000000000F":              "01890000ABCD7000800000000000000F",
		"GATE-ABCD":                                     "GATE-ABCD", "01890000-ABCD-7000-8000-00000000000G": "01890000-ABCD-7000-8000-00000000000G", "": "",
	} {
		assert.Equal(t, FoldID(text), want, "%q became", text)
	}
}
