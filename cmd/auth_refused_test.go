package cmd

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/personas/assert"
)

// doorkeeper sits in front of a server and refuses some tokens, as a server does after its keys
// changed or a token was revoked.
type doorkeeper struct {
	mu      sync.Mutex
	refused map[string]bool
	seen    map[string]int // calls by token
}

func (d *commandLine) guard() *doorkeeper {
	d.Helper()
	inner := assert.Value(url.Parse(d.serve().URL()))(d)
	g := &doorkeeper{refused: map[string]bool{}, seen: map[string]int{}}
	behind := cmdtest.NewProxyTo(inner)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if g.lets(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")) {
			behind.ServeHTTP(w, r)
			return
		}
		w.WriteHeader(http.StatusUnauthorized)
	}))
	d.Cleanup(s.Close)
	d.env["PARLEY_SERVER"] = s.URL
	return g
}

func (g *doorkeeper) lets(token string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if token != "" {
		g.seen[token]++
	}
	return !g.refused[token]
}

func (g *doorkeeper) refuse(token string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.refused[token], g.seen = true, map[string]int{}
}

// tokens is how many tokens were seen since the last refusal.
func (g *doorkeeper) tokens() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.seen)
}

// TestTokenRefusedEarlyIsRenewed: a token that is refused early is renewed once for all, and calls are made again.
func TestTokenRefusedEarlyIsRenewed(t *testing.T) {
	t.Parallel()
	d := newCommandLine(t, nil)
	g := d.guard()
	d.want(cli.ExitDone, "", "auth", "login", "--browser")
	first := d.want(cli.ExitDone, "", "auth", "token")
	d.pass(10 * time.Minute)
	g.refuse(first)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { d.want(cli.ExitDone, "", "api", "auth/me") })
	}
	all.Wait()
	second := d.want(cli.ExitDone, "", "auth", "token")
	if second == first || g.tokens() != 2 {
		t.Errorf("%d tokens were sent, renewed is %t", g.tokens(), second != first)
	}
	// One that is new is not renewed again and again.
	g.refuse(second)
	d.want(cli.ExitSignIn, "401", "api", "auth/me")
	assert.Equal(t, d.want(cli.ExitDone, "", "auth", "token"), second, "a new token was renewed")
	assert.Equal(t, g.tokens(), 1, "a new token was renewed")
	// The same holds for a token that cannot be renewed.
	d.env["PARLEY_TOKEN"] = "opaque"
	g.refuse("opaque")
	d.want(cli.ExitSignIn, "", "persona", "list", "--mine")
	assert.Equal(t, g.tokens(), 1, "tokens were sent for PARLEY TOKEN")
}

// TestRenewalRefusedAsksForSignIn: when the provider no longer renews, the next step is to sign in.
func TestRenewalRefusedAsksForSignIn(t *testing.T) {
	t.Parallel()
	d := newCommandLine(t, nil)
	g := d.guard()
	d.want(cli.ExitDone, "", "auth", "login", "--browser")
	a := d.access()
	s, c := d.kept(a)
	revokeTokens(t.Context(), a, c)
	g.refuse(c.Tokens.Access)
	d.pass(10 * time.Minute)
	d.want(cli.ExitSignIn, "is over", "persona", "list", "--mine")
	d.want(cli.ExitSignIn, "refuses", "auth", "status")
	assert.Value(service.ReadAccount(s, service.ServerName(d.env["PARLEY_SERVER"])))(t, "what was kept is gone")
}

func (d *commandLine) kept(a *service.Access) (*settings.Secrets, service.Account) {
	d.Helper()
	s := assert.Value(a.OpenSecrets())(d)
	c := assert.Value(service.ReadAccount(s, service.ServerName(d.env["PARLEY_SERVER"])))(d)
	return s, c
}

// TestDoctorOnSignIns: the doctor reports where the sign-in and the keyring are, and its remedy helps.
func TestDoctorOnSignIns(t *testing.T) {
	t.Parallel()
	d := newCommandLine(t, nil)
	d.serve()
	d.want(cli.ExitDone, "", "auth", "login", "--browser")
	out, _, _ := d.run("", "doctor")
	for _, want := range []string{"ok\tsign-in\tann@example.com, with a token kept in the system's keyring, ends: in 60 minutes, and is renewed before",
		"ok\tkeyring\tanswers"} {
		assert.Contains(t, out, want)
	}
	d.drawer.fault = errors.New("no bus")
	out, _, _ = d.run("", "doctor")
	for _, want := range []string{"failed\tsign-in\t", "no bus\t" + service.KeyringHint, "warning\tkeyring\tthe system's keyring cannot be used: no bus"} {
		assert.Contains(t, out, want)
	}
	d.drawer.fault = nil
	d.want(cli.ExitDone, "ann@example.com", "auth", "login", "--browser", "--insecure-storage")
	d.want(cli.ExitDone, "with a token kept in a file that only you can read", "doctor")
}
