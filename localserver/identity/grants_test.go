package identity

import (
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

// signIn signs alice in by a device and returns the tokens.
func (s *site) signIn() tokenAnswer {
	s.Helper()
	answer := assert.Value(s.beginSignIn(grant{Client: ClientID, Email: "alice@example.com", Scope: "openid"}, ""))(s)
	return answer
}

func (s *site) refreshToken(token, client string) (tokenAnswer, pageShown) {
	s.Helper()
	answer := s.postForm(pathToken, url.Values{"grant_type": {grantRefresh}, "client_id": {client}, "refresh_token": {token}})
	var got tokenAnswer
	_ = json.Unmarshal([]byte(answer.text), &got)
	return got, answer
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
	text, err := os.ReadFile(filepath.Join(s.dir, grantsFile))
	if err != nil || strings.Contains(string(text), second.Refresh) || strings.Contains(string(text), second.Refresh[27:]) {
		t.Errorf("the file: %v %s", err, text)
	}
	assert.Value(s.Verify(t.Context(), second.Access))(t, "after a restart")
	third, err := s.exchangeTokens(url.Values{"grant_type": {grantRefresh}, "client_id": {ClientID}, "refresh_token": {second.Refresh}})
	assert.NoError(t, err)
	// The old one again: all of the family ends, the newest too.
	for _, token := range []string{second.Refresh, third.Refresh} {
		_, err := s.exchangeTokens(url.Values{"grant_type": {grantRefresh}, "client_id": {ClientID}, "refresh_token": {token}})
		assert.True(t, err != nil, "a token of a family that should have ended is good")
	}
	_, err = s.Verify(t.Context(), third.Access)
	checkRefusal(t, "an access token of the family", err, "signed out")
}

// reopenProvider returns the provider of the same folder after a restart.
func reopenProvider(t testing.TB, s *site) *Provider {
	t.Helper()
	p := assert.Value(OpenProvider(ProviderOptions{Dir: s.dir, Issuer: s.url, Now: s.now}))(t)
	return p
}

func TestRefreshEndsByTime(t *testing.T) {
	c := &movableClock{at: noon}
	s := newSite(t, t.TempDir(), c.readTime)
	first := s.signIn()
	c.moveBy(grantLifetime - time.Second)
	second, _ := s.refreshToken(first.Refresh, ClientID)
	assert.Must(t, second.Refresh != "", "refused a second before its end")
	c.moveBy(grantLifetime)
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
			_, next, err := s.grants.rotateToken(first.Refresh, ClientID)
			if err == nil {
				mu.Lock()
				won = append(won, next)
				mu.Unlock()
			}
		})
	}
	group.Wait()
	assert.Must(t, len(won) == 1, "%d of 8 got a token for the same one", len(won))
	_, _, err := s.grants.rotateToken(won[0], ClientID)
	assert.True(t, err != nil, "the sign-in goes on")
}

func TestGrantsAreBoundedAndKept(t *testing.T) {
	c := &movableClock{at: noon}
	dir := t.TempDir()
	g := assert.Value(openGrants(dir, c.readTime))(t)
	_, oldest, err := g.beginGrant(grant{Client: ClientID, Email: "a@b.c"})
	assert.NoError(t, err)
	c.moveBy(time.Second)
	for range maxGrants {
		id := newSecret()
		g.byID[id] = grant{ID: id, Expires: c.readTime().Add(grantLifetime)}
	}
	_, _, err = g.beginGrant(grant{Client: ClientID, Email: "a@b.c"})
	assert.True(t, err == nil && len(g.byID) <= maxGrants, "%d sign-ins are kept, %v", len(g.byID), err)
	_, _, err = g.rotateToken(oldest, ClientID)
	assert.True(t, err != nil, "the oldest sign-in is still there")
	// What cannot be written does not count.
	assert.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	g.path = filepath.Join(dir, "file", grantsFile)
	before := len(g.byID)
	_, _, err = g.beginGrant(grant{Client: ClientID, Email: "a@b.c"})
	assert.True(t, err != nil && len(g.byID) == before, "%d sign-ins, %v", len(g.byID), err)
	assert.NoError(t, os.WriteFile(filepath.Join(dir, grantsFile), []byte("{"), 0o600))
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
