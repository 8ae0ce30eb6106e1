package identity

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/uuid"
	"github.com/parley-npc/parley/personas/assert"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const forUs = "parley-service"

type signingKey struct {
	id        string
	algorithm jose.SignatureAlgorithm
	private   crypto.Signer
}

func newKey(t testing.TB, id string, algorithm jose.SignatureAlgorithm) signingKey {
	t.Helper()
	var private crypto.Signer
	var err error
	switch algorithm {
	case jose.ES256:
		private, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case jose.ES384:
		private, err = ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	case jose.ES512:
		private, err = ecdsa.GenerateKey(elliptic.P521(), rand.Reader)
	case jose.EdDSA, algorithmEd25519:
		_, private, err = ed25519.GenerateKey(rand.Reader)
	default:
		private, err = rsa.GenerateKey(rand.Reader, minRSABits)
	}
	assert.NoError(t, err)
	return signingKey{id, algorithm, private}
}

// signToken makes a token. Without an id, the token does not identify its key.
func (k signingKey) signToken(t testing.TB, claims map[string]any) string {
	t.Helper()
	return signWith(t, k.algorithm, jose.JSONWebKey{Key: k.private, KeyID: k.id}, claims)
}

func (k signingKey) publicJWK() map[string]any {
	text, _ := json.Marshal(jose.JSONWebKey{Key: k.private.Public(), KeyID: k.id, Use: "sig"})
	var object map[string]any
	_ = json.Unmarshal(text, &object)
	return object
}

type fakeProvider struct {
	*httptest.Server
	clock *fakeClock
	log   bytes.Buffer
	mu    sync.Mutex
	keys  []any
	down  bool
	asked atomic.Int32
}

func newFakeProvider(t testing.TB, list ...signingKey) *fakeProvider {
	p := &fakeProvider{clock: &fakeClock{noon}}
	mux := http.NewServeMux()
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]string{"issuer": p.URL, "jwks_uri": p.URL + "/keys"})
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		p.asked.Add(1)
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.down {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		writeJSON(w, http.StatusOK, map[string]any{"keys": p.keys})
	})
	p.showKeys(list...)
	return p
}

func (p *fakeProvider) showKeys(list ...signingKey) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keys = nil
	for _, key := range list {
		p.keys = append(p.keys, key.publicJWK())
	}
}

// showKey adds a key with other members, name and value in turn; nil takes one out.
func (p *fakeProvider) showKey(key signingKey, change ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keys = append(p.keys, changeMembers(key.publicJWK(), change))
}

func (p *fakeProvider) setDown(down bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = down
}

func (p *fakeProvider) openExternal(t testing.TB) *External {
	t.Helper()
	v := assert.Value(OpenExternal(t.Context(), ExternalOptions{
		Issuer: p.URL, Audiences: []string{forUs}, Now: p.clock.readTime, Log: slog.New(slog.NewTextHandler(&p.log, nil)),
	}))(t)
	return v
}

const someID = "0198c0de-0000-7000-8000-00000000a11c"

// goodClaims returns valid claims with changes, name and value in turn; nil removes one.
func (p *fakeProvider) goodClaims(change ...any) map[string]any {
	m := map[string]any{
		"iss": p.URL, "aud": forUs, "sub": someID, "email": "Ann@Example.com", "name": "Ann",
		"iat": noon.Unix(), "nbf": noon.Unix(), "exp": noon.Add(time.Hour).Unix(),
	}
	return changeMembers(m, change)
}

func changeMembers(m map[string]any, change []any) map[string]any {
	for i := 0; i < len(change); i += 2 {
		m[change[i].(string)] = change[i+1]
		if change[i+1] == nil {
			delete(m, change[i].(string))
		}
	}
	return m
}

func TestExternalAcceptsEveryAlgorithm(t *testing.T) {
	for _, algorithm := range externalAlgorithms {
		t.Run(string(algorithm), func(t *testing.T) {
			key := newKey(t, "one", algorithm)
			p := newFakeProvider(t, newKey(t, "two", jose.RS256), key)
			user, err := p.openExternal(t).Verify(t.Context(), key.signToken(t, p.goodClaims()))
			want := (User{someID, "ann@example.com", "Ann"})
			assert.True(t, err == nil && user == want, "%s: %+v, %v", algorithm, user, err)
		})
	}
}

func TestExternalUsers(t *testing.T) {
	key := newKey(t, "k", jose.ES256)
	p := newFakeProvider(t, key)
	v := p.openExternal(t)
	derived := func(sub string) string { return uuid.NewSHA1(uuid.NameSpaceURL, []byte(p.URL+"#"+sub)).String() }
	for _, c := range []struct {
		change []any
		want   User
	}{
		{[]any{"sub", "auth0|42"}, User{derived("auth0|42"), "ann@example.com", "Ann"}},
		{[]any{"sub", strings.ToUpper(someID)}, User{derived(strings.ToUpper(someID)), "ann@example.com", "Ann"}},
		{[]any{"name", nil, "preferred_username", "ann42"}, User{someID, "ann@example.com", "ann42"}},
		{[]any{"name", " "}, User{someID, "ann@example.com", "ann"}},
		{[]any{"name", nil, "email", nil}, User{someID, "", someID}},
		{[]any{"name", "A\x1b[31m\nnn", "email", "no address"}, User{someID, "", "A[31mnn"}},
		{[]any{"name", strings.Repeat("é", maxDisplayName+1)}, User{someID, "ann@example.com", strings.Repeat("é", maxDisplayName)}},
		{[]any{"aud", []string{"other", forUs}}, User{someID, "ann@example.com", "Ann"}},
	} {
		t.Run(fmt.Sprintf("%.60q", c.change), func(t *testing.T) {
			user := assert.Value(v.Verify(t.Context(), key.signToken(t, p.goodClaims(c.change...))))(t, c.change)
			assert.Equal(t, user, c.want, c.change)
			assert.Value(uuid.Parse(user.ID))(t, "%q: the id %q is no UUID", c.change, user.ID)
		})
	}
}

func TestExternalTimes(t *testing.T) {
	key := newKey(t, "k", jose.ES256)
	p := newFakeProvider(t, key)
	v, token := p.openExternal(t), key.signToken(t, p.goodClaims())
	for _, c := range []struct {
		shift time.Duration
		want  string
	}{
		{-leeway, ""}, {-leeway - time.Second, "not valid yet"},
		{time.Hour + leeway, ""}, {time.Hour + leeway + time.Second, "has expired"},
	} {
		t.Run(c.shift.String(), func(t *testing.T) {
			p.clock.Time = noon.Add(c.shift)
			checkVerify(t, v, token, c.shift.String(), c.want)
		})
	}
}

func TestExternalRefusesForgeries(t *testing.T) {
	ours, ec, stranger := newKey(t, "rsa", jose.RS256), newKey(t, "ec", jose.ES256), newKey(t, "rsa", jose.RS256)
	p := newFakeProvider(t)
	for _, key := range []signingKey{ours, ec} { // Their alg member is set.
		p.showKey(key, "alg", string(key.algorithm))
	}
	v := p.openExternal(t)
	public := assert.Value(x509.MarshalPKIXPublicKey(ours.private.Public()))(t)
	publicPEM := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})
	token := ours.signToken(t, p.goodClaims())
	assert.Value(v.Verify(t.Context(), token))(t, "the pattern of all forgeries is itself refused")
	swapped := signingKey{"ec", jose.RS256, ours.private}
	parts := strings.Split(token, ".")
	other := strings.Split(ours.signToken(t, p.goodClaims("email", "eve@example.com")), ".")
	for name, c := range map[string]struct{ raw, want string }{
		"another key of that id": {stranger.signToken(t, p.goodClaims()), "another key"},
		"the id of another kind": {swapped.signToken(t, p.goodClaims()), "does not have"},
		"RS384":                  {signingKey{"rsa", jose.RS384, ours.private}.signToken(t, p.goodClaims()), "does not have"},
		"PS256":                  {signingKey{"rsa", jose.PS256, ours.private}.signToken(t, p.goodClaims()), "does not have"},
		"no algorithm":           {unsignedToken(t, p.goodClaims()), "not a signed JWT"},
		"HS256 by public PEM":    {signWith(t, jose.HS256, publicPEM, p.goodClaims()), "algorithm"},
		"HS256 by public DER":    {signWith(t, jose.HS256, public, p.goodClaims()), "algorithm"},
		"expired":                {ours.signToken(t, p.goodClaims("exp", noon.Add(-2*time.Minute).Unix())), "has expired"},
		"early":                  {ours.signToken(t, p.goodClaims("nbf", noon.Add(2*time.Minute).Unix())), "not valid yet"},
		"issued in the future":   {ours.signToken(t, p.goodClaims("iat", noon.Add(2*time.Minute).Unix())), "not valid yet"},
		"never expires":          {ours.signToken(t, p.goodClaims("exp", nil)), "no expiry"},
		"another audience":       {ours.signToken(t, p.goodClaims("aud", "shop")), "another service"},
		"no audience":            {ours.signToken(t, p.goodClaims("aud", nil)), "another service"},
		"another issuer":         {ours.signToken(t, p.goodClaims("iss", p.URL+"/")), "another issuer"},
		"no issuer":              {ours.signToken(t, p.goodClaims("iss", nil)), "another issuer"},
		"no subject":             {ours.signToken(t, p.goodClaims("sub", "")), "does not identify a user"},
		"claims of other types":  {ours.signToken(t, p.goodClaims("email", 7)), "malformed"},
		"other claims":           {parts[0] + "." + other[1] + "." + parts[2], "another key"},
		"truncated":              {token[:len(token)-6], ""},
		"without a signature":    {parts[0] + "." + parts[1] + ".", ""},
		"huge":                   {token + strings.Repeat("A", 1<<20), "longer than"},
		"empty":                  {"", "not a signed JWT"},
		"opaque":                 {"0a9f3c-opaque_token", "not a signed JWT but an opaque"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := v.Verify(t.Context(), c.raw)
			if err == nil {
				t.Errorf("%s: accepted", name)
				return
			}
			_, ok := errors.AsType[*InvalidToken](err)
			assert.True(t, ok, "not the token's fault: %v", err)
			if c.want != "" {
				checkRefusal(t, name, err, c.want)
			}
		})
	}
	n := p.asked.Load()
	assert.True(t, n <= 2, "the provider was asked %d times for its keys, want one refresh at most", n)
}

func TestExternalWithoutAKeyID(t *testing.T) {
	first, second := newKey(t, "", jose.RS256), newKey(t, "", jose.RS256)
	p := newFakeProvider(t, first, newKey(t, "", jose.ES256), second)
	v := p.openExternal(t)
	for i, key := range []signingKey{first, second} {
		t.Run(fmt.Sprint("key ", i), func(t *testing.T) {
			assert.Value(v.Verify(t.Context(), key.signToken(t, p.goodClaims())))(t, "key %d", i)
		})
	}
}

func TestExternalFollowsItsKeys(t *testing.T) {
	first, second := newKey(t, "first", jose.ES256), newKey(t, "second", jose.EdDSA)
	p := newFakeProvider(t, first)
	v := p.openExternal(t)
	p.showKeys(second)
	_, err := v.Verify(t.Context(), second.signToken(t, p.goodClaims()))
	assert.True(t, err == nil, "a new key: %v", err)
	checkUnknownKey(t, v, first.signToken(t, p.goodClaims()))
	// Known keys cause no request; unknown ones cause one once in a while.
	before := p.asked.Load()
	for range 50 {
		_, _ = v.Verify(t.Context(), first.signToken(t, p.goodClaims()))
		_, _ = v.Verify(t.Context(), second.signToken(t, p.goodClaims()))
	}
	assert.Equal(t, p.asked.Load()-before, 0)
	p.clock.Time = noon.Add(refreshPause)
	_, _ = v.Verify(t.Context(), first.signToken(t, p.goodClaims()))
	assert.Equal(t, p.asked.Load()-before, 1)
}

func TestExternalForgetsWithdrawnKeysByTime(t *testing.T) {
	first, second := newKey(t, "first", jose.ES256), newKey(t, "second", jose.ES256)
	p := newFakeProvider(t, first)
	v := p.openExternal(t)
	p.showKeys(second)
	token := first.signToken(t, p.goodClaims("exp", noon.Add(48*time.Hour).Unix()))
	p.clock.Time = noon.Add(keysFresh - time.Second)
	_, err := v.Verify(t.Context(), token)
	assert.True(t, err == nil, "while the keys are fresh: %v", err)
	p.clock.Time = noon.Add(keysFresh)
	checkUnknownKey(t, v, token)
}

func TestExternalWhenTheProviderIsAway(t *testing.T) {
	known, unknown := newKey(t, "known", jose.ES256), newKey(t, "unknown", jose.ES256)
	p := newFakeProvider(t, known)
	v := p.openExternal(t)
	p.setDown(true)
	long := p.goodClaims("exp", noon.Add(48*time.Hour).Unix())
	for range 2 { // the second one is within the pause
		_, err := v.Verify(t.Context(), unknown.signToken(t, long))
		_, ok := errors.AsType[*Unavailable](err)
		assert.True(t, ok, "an unknown key: %v", err)
	}
	for _, age := range []time.Duration{0, keysFresh, keysStale} {
		t.Run(fmt.Sprint(age), func(t *testing.T) {
			p.clock.Time = noon.Add(age)
			assert.Value(v.Verify(t.Context(), known.signToken(t, long)))(t, "a known key after %s", age)
		})
	}
	p.clock.Time = noon.Add(keysStale + time.Second)
	_, err := v.Verify(t.Context(), known.signToken(t, long))
	_, ok := errors.AsType[*Unavailable](err)
	assert.True(t, ok, "keys of yesterday: %v", err)
	p.setDown(false)
	p.clock.Time = p.clock.Add(refreshPause)
	assert.Value(v.Verify(t.Context(), known.signToken(t, long)))(t, "when it is back")
}

func TestExternalWhenTheProviderHangs(t *testing.T) {
	known, unknown := newKey(t, "known", jose.ES256), newKey(t, "unknown", jose.ES256)
	p := newFakeProvider(t, known)
	v := p.openExternal(t)
	v.keys.client.Timeout = 200 * time.Millisecond
	p.mu.Lock() // its keys do not come any more
	stranger, over := unknown.signToken(t, p.goodClaims()), make(chan error, 1)
	go func() {
		_, err := v.Verify(t.Context(), stranger)
		over <- err
	}()
	for p.asked.Load() < 2 {
		time.Sleep(time.Millisecond)
	}
	assert.Value(v.Verify(t.Context(), known.signToken(t, p.goodClaims())))(t, "a known key")
	select {
	case err := <-over:
		t.Fatalf("the known key was waited for: the other call is over with %v", err)
	default:
	}
	_, ok := errors.AsType[*Unavailable](<-over)
	assert.True(t, ok, "an unknown key was not told to come again")
	p.mu.Unlock()
	log := p.log.String()
	assert.True(t, strings.Count(log, "requesting the identity provider's keys failed") == 1 && !strings.Contains(log, stranger), "the log: %s", log)
}

func TestExternalConcurrently(t *testing.T) {
	first, second := newKey(t, "first", jose.ES256), newKey(t, "second", jose.ES256)
	p := newFakeProvider(t, first)
	v := p.openExternal(t)
	p.showKeys(first, second)
	tokens := []string{first.signToken(t, p.goodClaims()), second.signToken(t, p.goodClaims())}
	var group sync.WaitGroup
	for i := range 32 {
		group.Go(func() {
			_, err := v.Verify(t.Context(), tokens[i%2])
			assert.True(t, err == nil, err)
		})
	}
	group.Wait()
	assert.Equal(t, p.asked.Load(), 2, "asked")
}

func TestOpenExternalRefuses(t *testing.T) {
	good := newFakeProvider(t, newKey(t, "k", jose.ES256))
	answering := func(text string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write([]byte(strings.ReplaceAll(text, "SELF", "http://"+r.Host)))
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	leading := httptest.NewServer(http.RedirectHandler("http://example.com/", http.StatusFound))
	t.Cleanup(leading.Close)
	for name, c := range map[string]struct{ issuer, audience, want string }{
		"no audience":             {good.URL, "", "audience"},
		"unreachable":             {"http://127.0.0.1:1", forUs, "refused"}, // Systems never assign this port.
		"no transport security":   {"http://accounts.example.com", forUs, "https"},
		"no address":              {"accounts.example.com", forUs, "URL such as"},
		"with a query":            {good.URL + "?a=b", forUs, "URL such as"},
		"another name":            {good.URL + "/", forUs, "its own name is"},
		"nothing there":           {good.URL + "/nothing", forUs, "404"},
		"no JSON":                 {answering("<html>"), forUs, "invalid JSON"},
		"huge":                    {answering(strings.Repeat(" ", maxFetched+1)), forUs, "more than"},
		"no keys":                 {answering(`{"issuer":"SELF"}`), forUs, "jwks_uri"},
		"keys without security":   {answering(`{"issuer":"SELF","jwks_uri":"http://example.com/keys"}`), forUs, "https"},
		"only unusable keys":      {answering(`{"issuer":"SELF","jwks_uri":"SELF","keys":[{"kty":"oct","k":"c2VjcmV0"},{"kty":"new"},7]}`), forUs, "no public key"},
		"led away without safety": {leading.URL, forUs, "https"},
	} {
		t.Run(name, func(t *testing.T) {
			audiences := slices.DeleteFunc([]string{c.audience}, func(a string) bool { return a == "" })
			_, err := OpenExternal(t.Context(), ExternalOptions{Issuer: c.issuer, Audiences: audiences})
			assert.ErrorContains(t, err, c.want)
			assert.ErrorContains(t, err, "identity provider")
		})
	}
}

func FuzzExternalVerify(f *testing.F) {
	key := newKey(f, "k", jose.ES256)
	p := newFakeProvider(f, key)
	v := p.openExternal(f)
	token := key.signToken(f, p.goodClaims())
	f.Add(token)
	f.Add(unsignedToken(f, p.goodClaims()))
	f.Add(token[:len(token)-1] + "A")
	f.Fuzz(func(t *testing.T, raw string) {
		user, err := v.Verify(t.Context(), raw)
		assert.True(t, err != nil || user.ID == someID, "somebody got in: %+v", user)
		away, wait := errors.AsType[*Unavailable](err)
		if _, ok := errors.AsType[*InvalidToken](err); err != nil && !ok && (!wait || away.Cause != nil || away.RetryAfter <= 0) {
			t.Errorf("not the token's fault: %v", err)
		}
	})
}

func TestUsableKeys(t *testing.T) {
	raw := func(change ...any) json.RawMessage {
		key := newKey(t, "k", jose.ES256).publicJWK()
		for i := 0; i < len(change); i += 2 {
			key[change[i].(string)] = change[i+1]
		}
		text, _ := json.Marshal(key)
		return text
	}
	for _, c := range []struct {
		key  json.RawMessage
		want int
	}{
		{raw(), 1}, {raw("use", "enc"), 0}, {raw("x", "AAAA"), 0}, {raw("crv", "P-999"), 0}, {json.RawMessage(`"text"`), 0},
	} {
		t.Run(fmt.Sprintf("%.80s", c.key), func(t *testing.T) {
			got, _ := usableKeys([]json.RawMessage{c.key})
			assert.Equal(t, len(got), c.want, c.key)
		})
	}
	many := make([]json.RawMessage, maxKeys+1)
	for i := range many {
		many[i] = raw()
	}
	list, _ := usableKeys(many)
	assert.Equal(t, len(list), maxKeys, "keys are kept")
	short, err := rsa.GenerateKey(rand.Reader, 1024)
	assert.True(t, err != nil || !canSign(jose.JSONWebKey{Key: short.Public()}, "", "RS256"), "an RSA key of 1024 bits is accepted")
}

func FuzzKeys(f *testing.F) {
	text, _ := json.Marshal(newKey(f, "k", jose.RS256).publicJWK())
	f.Add(text)
	f.Add([]byte(`{"kty":"OKP","crv":"Ed25519","x":""}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		list, faults := usableKeys([]json.RawMessage{raw})
		assert.Must(t, len(list)+len(faults) == 1, "%d keys and %v", len(list), faults)
		for _, key := range list {
			assert.True(t, hasAcceptedAlgorithm(key), "a key that can sign nothing: %s", raw)
		}
	})
}
