package identity

import (
	"fmt"
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
		t.Run(name, func(t *testing.T) {
			_, err := c.with.Verify(t.Context(), c.raw)
			checkRefusal(t, name, err, c.want)
		})
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
			if err != nil && c.text != "" && strings.Contains(err.Error(), longSecret[1:]) {
				t.Errorf("%s: the error repeats the secret", name)
			}
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
