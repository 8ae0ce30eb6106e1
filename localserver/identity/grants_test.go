package identity

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/assert"
)

func (s *site) signIn() tokenAnswer {
	s.Helper()
	var of record
	var refresh string
	assert.NoError(s, s.changeState(s.Context(), func(state *providerState) error {
		of, refresh = state.beginSignIn(record{Client: ClientID, Email: "alice@example.com", Scope: "openid"})
		return nil
	}))
	return assert.Value(s.issueTokens(of, refresh, ""))(s)
}

func (s *site) refreshToken(token, client string) (tokenAnswer, pageShown) {
	s.Helper()
	answer := s.postForm(pathToken, url.Values{"grant_type": {grantRefresh}, "client_id": {client}, "refresh_token": {token}})
	var got tokenAnswer
	_ = json.Unmarshal([]byte(answer.text), &got)
	return got, answer
}

func formOfRefresh(token string) url.Values {
	return url.Values{"grant_type": {grantRefresh}, "client_id": {ClientID}, "refresh_token": {token}}
}

func TestRefresh(t *testing.T) {
	c := &movableClock{at: noon}
	s := newSite(t, t.TempDir(), c.readTime)
	first := s.signIn()
	_, answer := s.refreshToken(first.Refresh, "another")
	assert.Equal(t, answer.errorCode(t), "invalid_grant", "of another client: %s", answer.text)
	second, _ := s.refreshToken(first.Refresh, ClientID)
	assert.Must(t, second.Access != "" && second.ID != "" && second.Refresh != first.Refresh, "%+v", second)
	// A restart forgets nothing, and the file holds no token.
	s = &site{TB: t, Provider: reopenProvider(t, s), dir: s.dir, url: s.url, browser: s.browser}
	text, err := os.ReadFile(filepath.Join(s.dir, signInsFile))
	assert.NoError(t, err, "the file")
	assert.NotContains(t, string(text), second.Refresh, "the file")
	assert.NotContains(t, string(text), second.Refresh[27:], "the file")
	assert.Value(s.Verify(t.Context(), second.Access))(t, "after a restart")
	third := assert.Value(s.exchangeTokens(t.Context(), formOfRefresh(second.Refresh)))(t)
	// The old one again: all of the family ends, the newest too.
	for _, token := range []string{second.Refresh, third.Refresh} {
		_, err := s.exchangeTokens(t.Context(), formOfRefresh(token))
		assert.True(t, err != nil, "a token of a family that should have ended is good")
	}
	checkVerify(t, s, third.Access, "an access token of the family", "signed out")
}

func reopenProvider(t testing.TB, s *site) *Provider {
	t.Helper()
	return assert.Value(OpenProvider(ProviderOptions{Dir: s.dir, Issuer: s.url, Now: s.now}))(t)
}

func TestRefreshEndsByTime(t *testing.T) {
	c := &movableClock{at: noon}
	s := newSite(t, t.TempDir(), c.readTime)
	first := s.signIn()
	c.moveBy(signInLifetime - time.Second)
	second, _ := s.refreshToken(first.Refresh, ClientID)
	assert.Must(t, second.Refresh != "", "refused a second before its end")
	c.moveBy(signInLifetime)
	_, answer := s.refreshToken(second.Refresh, ClientID)
	assert.Equal(t, answer.errorCode(t), "invalid_grant", "at its end: %s", answer.text)
}

func TestRefreshAtOnceEndsTheSignIn(t *testing.T) {
	s := newSite(t, t.TempDir(), nil)
	first := s.signIn()
	var group sync.WaitGroup
	var mu sync.Mutex
	var won []string
	for range 8 {
		group.Go(func() {
			next, err := s.exchangeTokens(t.Context(), formOfRefresh(first.Refresh))
			if err == nil {
				mu.Lock()
				won = append(won, next.Refresh)
				mu.Unlock()
			}
		})
	}
	group.Wait()
	assert.Must(t, len(won) == 1, "%d of 8 got a token for the same one", len(won))
	_, err := s.exchangeTokens(t.Context(), formOfRefresh(won[0]))
	assert.True(t, err != nil, "the sign-in goes on")
}

func TestGrantsAreBoundedAndKept(t *testing.T) {
	c := &movableClock{at: noon}
	s := newSite(t, t.TempDir(), c.readTime)
	oldest := s.signIn()
	c.moveBy(time.Second)
	for range maxRecords {
		id := newSecret()
		s.state.put(record{ID: id, Expires: c.readTime().Add(signInLifetime)})
	}
	s.signIn()
	assert.Equal(t, len(s.state.listByExpiry(kindSignIn)), maxRecords, "sign-ins")
	_, err := s.exchangeTokens(t.Context(), formOfRefresh(oldest.Refresh))
	assert.True(t, err != nil, "the oldest sign-in is still there")
	// What cannot be written does not count.
	assert.NoError(t, os.WriteFile(filepath.Join(s.dir, "file"), nil, 0o600))
	s.path = filepath.Join(s.dir, "file", signInsFile)
	assert.ErrorContains(t, s.changeState(t.Context(), func(state *providerState) error {
		state.beginSignIn(record{Client: ClientID, Email: "a@b.c"})
		state.records = nil
		return nil
	}), "store the sign-ins", "a file in the way")
	assert.Equal(t, len(s.state.listByExpiry(kindSignIn)), maxRecords, "sign-ins")
	dir := t.TempDir()
	assert.NoError(t, os.WriteFile(filepath.Join(dir, signInsFile), []byte("{"), 0o600))
	_, err = OpenProvider(ProviderOptions{Dir: dir})
	assert.ErrorContains(t, err, "damaged", "a damaged file")
}

func TestRevoke(t *testing.T) {
	s := newSite(t, t.TempDir(), nil)
	for _, c := range []struct {
		name   string
		token  func(tokenAnswer) string
		client string
		ends   bool
	}{
		{"refresh token", func(t tokenAnswer) string { return t.Refresh }, ClientID, true},
		{"access token", func(t tokenAnswer) string { return t.Access }, ClientID, true},
		{"of another client", func(t tokenAnswer) string { return t.Refresh }, "another", false},
		{"unknown", func(tokenAnswer) string { return "nonsense" }, ClientID, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := s.signIn()
			answer := s.postForm(pathRevoke, url.Values{"token": {c.token(got)}, "client_id": {c.client}})
			assert.True(t, answer.status == 200 && answer.text == "", "%d %s", answer.status, answer.text)
			_, err := s.Verify(t.Context(), got.Access)
			want := ""
			if c.ends {
				want = "signed out"
			}
			checkRefusal(t, c.name, err, want)
		})
	}
	assert.Equal(t, s.postForm(pathRevoke, url.Values{"client_id": {ClientID}}).errorCode(t), "invalid_request", "without a token")
}

func formOfCode(code string) url.Values {
	return url.Values{"grant_type": {grantCode}, "client_id": {ClientID}, "redirect_uri": {callback}, "code_verifier": {codeVerifier}, "code": {code}}
}

// TestCodeReplayedAtOnce: two clients with one code end the sign-in of the successful one.
func TestCodeReplayedAtOnce(t *testing.T) {
	s := newSite(t, t.TempDir(), nil)
	code := s.newCode()
	s.mu.Lock() // Both exchanges wait.
	var group sync.WaitGroup
	answers := make(chan tokenAnswer, 2)
	for range 2 {
		group.Go(func() {
			if got, err := s.exchangeTokens(t.Context(), formOfCode(code)); err == nil {
				answers <- got
			}
		})
		time.Sleep(50 * time.Millisecond)
	}
	s.mu.Unlock()
	group.Wait()
	close(answers)
	won := 0
	for got := range answers {
		won++
		checkVerify(t, s, got.Access, "the winner's token", "signed out")
		_, err := s.exchangeTokens(t.Context(), formOfRefresh(got.Refresh))
		assert.True(t, err != nil, "the winner's sign-in goes on")
	}
	assert.Equal(t, won, 1, "tokens")
}

// TestCodeReplayedLate: a replayed code ends the sign-in at any time, also after a restart.
func TestCodeReplayedLate(t *testing.T) {
	c := &movableClock{at: time.Now()}
	s := newSite(t, t.TempDir(), c.readTime)
	for name, wait := range map[string]func() *Provider{
		"after its minute":               func() *Provider { c.moveBy(2 * codeLifetime); return s.Provider },
		"after its minute and a new one": func() *Provider { c.moveBy(2 * codeLifetime); s.newCode(); return s.Provider },
		"after a restart":                func() *Provider { return reopenProvider(t, s) },
	} {
		t.Run(name, func(t *testing.T) {
			code := s.newCode()
			got := assert.Value(s.exchangeTokens(t.Context(), formOfCode(code)))(t)
			p := wait()
			_, err := p.exchangeTokens(t.Context(), formOfCode(code))
			assert.True(t, err != nil, "the code was good twice")
			checkVerify(t, p, got.Access, name, "signed out")
		})
	}
}

// TestDevicesOfACaller: a single address cannot use up the devices of all others.
func TestDevicesOfACaller(t *testing.T) {
	c := &movableClock{at: noon}
	s := newSite(t, t.TempDir(), c.readTime)
	begin := func(caller string) error { return s.addDevice(caller) }
	for range maxDevicesOfCaller {
		assert.NoError(t, begin("192.0.2.1"))
	}
	assert.ErrorIs(t, begin("192.0.2.1"), errManyDevices, "one more")
	assert.NoError(t, begin("192.0.2.2"), "somebody else")
	c.moveBy(deviceLifetime + time.Second)
	assert.NoError(t, begin("192.0.2.1"), "after its codes have expired")
}

// TestGuessableSecrets: a phrase is refused as a secret, and a random one is accepted.
func TestGuessableSecrets(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("a", 32), strings.Repeat("s3cr3t!x", 4), "0123456789abcdef0123456789abcdef",
		"0123456789abcdefghijklmnopqrstuvwxyz", "change-me-please-change-me-please", "correct horse battery staple correct",
		"this is the shared secret of our company", strings.Repeat("\x00", 64), "aaaaaaaaaaaaaaaaaaaaaaaaaaaabcdefghijk", "passwordpassword1234567890123456",
	} {
		assert.ErrorContains(t, checkSecret([]byte(text)), "guessed", text)
	}
	for range 500 {
		for _, text := range drawSecrets() {
			assert.NoError(t, checkSecret([]byte(text)), text)
		}
	}
}

func drawSecrets() []string {
	drawn := make([]byte, 32)
	_, _ = rand.Read(drawn)
	long := make([]byte, 2000)
	_, _ = rand.Read(long)
	return []string{
		string(drawn) + "x", hex.EncodeToString(drawn), hex.EncodeToString(drawn[:16]),
		base64.StdEncoding.EncodeToString(drawn), rand.Text() + rand.Text(), hex.EncodeToString(long),
	}
}
