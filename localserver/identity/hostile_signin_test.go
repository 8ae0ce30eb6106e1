package identity

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/assert"
)

func formOfCode(code string) url.Values {
	return url.Values{"grant_type": {grantCode}, "client_id": {ClientID}, "redirect_uri": {callback}, "code_verifier": {codeVerifier}, "code": {code}}
}

// TestCodeReplayedAtOnce: if two clients send the same code at the same time, the sign-in of the
// successful one ends.
func TestCodeReplayedAtOnce(t *testing.T) {
	s := newSite(t, t.TempDir(), nil)
	code := s.newCode()
	s.grants.mu.Lock() // The first exchange waits in the middle.
	var group sync.WaitGroup
	answers := make(chan tokenAnswer, 2)
	for range 2 {
		group.Go(func() {
			if got, err := s.exchangeTokens(formOfCode(code)); err == nil {
				answers <- got
			}
		})
		time.Sleep(50 * time.Millisecond)
	}
	s.grants.mu.Unlock()
	group.Wait()
	close(answers)
	won := 0
	for got := range answers {
		won++
		_, err := s.Verify(t.Context(), got.Access)
		checkRefusal(t, "the winner's token", err, "signed out")
		_, err = s.exchangeTokens(url.Values{"grant_type": {grantRefresh}, "client_id": {ClientID}, "refresh_token": {got.Refresh}})
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
			got, err := s.exchangeTokens(formOfCode(code))
			assert.NoError(t, err)
			p := wait()
			_, err = p.exchangeTokens(formOfCode(code))
			assert.True(t, err != nil, "the code was good twice")
			_, err = p.Verify(t.Context(), got.Access)
			checkRefusal(t, name, err, "signed out")
		})
	}
}

// TestDevicesOfACaller: a single address cannot use up the devices of all others. It can start new
// devices when its codes have expired.
func TestDevicesOfACaller(t *testing.T) {
	c := &movableClock{at: noon}
	d := newPendingDevices(c.readTime, 0)
	begin := func(caller string) error {
		_, _, err := d.addDevice(caller, "c", "")
		return err
	}
	for range maxDevicesOfCaller {
		assert.NoError(t, begin("192.0.2.1"))
	}
	assert.ErrorIs(t, begin("192.0.2.1"), errManyDevices, "one more")
	assert.NoError(t, begin("192.0.2.2"), "somebody else")
	c.moveBy(deviceLifetime + time.Second)
	assert.NoError(t, begin("192.0.2.1"), "after its codes have expired")
}

// TestGuessableSecrets: a phrase made up by a person is refused as a secret, and a random one is
// accepted in any notation.
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

// drawSecrets draws secrets as tools write them.
func drawSecrets() []string {
	drawn := make([]byte, 32)
	_, _ = rand.Read(drawn)
	long := make([]byte, 2000)
	_, _ = rand.Read(long)
	return []string{string(drawn) + "x", hex.EncodeToString(drawn), hex.EncodeToString(drawn[:16]), base64.StdEncoding.EncodeToString(drawn), rand.Text() + rand.Text(), hex.EncodeToString(long)}
}

// TestOthersSignInFile: a server that stops does not remove the file of another server that now
// uses the folder.
func TestOthersSignInFile(t *testing.T) {
	dir := t.TempDir()
	ours := SignIn{"http://127.0.0.1:1", "first", "a@b.c", noon}
	assert.True(t, !IsOthersSignIn(dir, ours), "there is no file")
	for _, of := range []struct {
		in   SignIn
		want bool
	}{{ours, false}, {SignIn{ours.Address, "second", ours.User, noon}, true}, {SignIn{"http://127.0.0.1:2", ours.Token, ours.User, noon}, true}} {
		assert.NoError(t, WriteSignIn(dir, of.in))
		assert.Equal(t, IsOthersSignIn(dir, ours), of.want, fmt.Sprint(of.in))
	}
}
