package cmd

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas/assert"
)

const npc = "https://npc.example.com/api"

// newStrictSetup returns a command line with a server for tokens of a provider, which knows the server as npc.
func newStrictSetup(t *testing.T) (*commandLine, *strictProvider) {
	t.Helper()
	d := newCommandLine(t, nil)
	p := newStrictProvider(d)
	d.serveWith(p, npc, nil)
	p.resources[npc] = npc
	return d, p
}

// TestResourceEverywhere: a provider with JWTs only for a resource works in both flows and renewals.
func TestResourceEverywhere(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		audience string
		set      map[string]string
		flags    []string
		told     bool
		bare     bool
		resource string
	}{
		"the audience is a URI":         {audience: npc, resource: npc},
		"a flag":                        {audience: "parley", flags: []string{"--resource", npc}, resource: npc},
		"the environment":               {audience: "parley", set: map[string]string{"PARLEY_RESOURCE": "urn:example:npc"}, resource: "urn:example:npc"},
		"the service's own description": {audience: "parley", told: true},
		"issuer and client are named":   {audience: npc, flags: []string{"--issuer", "PROVIDER", "--client-id", "parley"}, resource: npc},
		"tokens without an email":       {audience: npc, bare: true, resource: npc},
	} {
		for _, way := range []string{"--browser", "--device"} {
			t.Run(name+way, func(t *testing.T) {
				t.Parallel()
				d, c := newCommandLine(t, c.set), c
				p, who := newStrictProvider(d), "ann@example.com"
				if p.bare = c.bare; c.bare {
					who = "ann"
				}
				var told func(string) any
				if c.told {
					told = func(address string) any {
						return map[string]any{"resource": address, "authorization_servers": []string{p.URL}}
					}
				}
				d.serveWith(p, c.audience, told)
				if c.resource == "" {
					c.resource = d.env["PARLEY_SERVER"]
				}
				p.resources[c.resource] = c.audience
				args := []string{"auth", "login", way}
				for _, flag := range c.flags {
					args = append(args, strings.ReplaceAll(flag, "PROVIDER", p.URL))
				}
				d.want(cli.ExitDone, "signed in to", args...)
				d.want(cli.ExitDone, who, "api", "auth/me")
				first := d.want(cli.ExitDone, "", "auth", "token")
				begun, grant := "authorize", "authorization_code"
				if way == "--device" {
					begun, grant = "device", "urn:ietf:params:oauth:grant-type:device_code"
				}
				for range 2 {
					d.pass(59 * time.Minute)
					d.want(cli.ExitDone, who, "api", "auth/me")
				}
				assert.True(t, d.want(cli.ExitDone, "", "auth", "token") != first, "nothing was renewed")
				for _, at := range []string{begun, grant, "refresh_token"} {
					assert.Equal(t, p.last(at).Get("resource"), c.resource, "%s: asked for the resource", at)
				}
				assert.Equal(t, p.last(begun).Get("audience"), c.audience, "begun for the audience")
			})
		}
	}
}

// TestOpaqueToken: a token that no service can verify is reported as such, with a remedy.
func TestOpaqueToken(t *testing.T) {
	t.Parallel()
	d := newCommandLine(t, nil)
	p := newStrictProvider(d)
	d.serveWith(p, "parley", nil)
	d.want(cli.ExitSignIn, "not a signed JWT but an opaque token", "auth", "login", "--device")
	d.want(cli.ExitSignIn, "register the service there as an API with JWT access tokens", "auth", "login", "--device")
	// A resource that the service has named and the provider does not know is left out, and that is said.
	d.serveWith(p, npc, nil)
	for _, way := range []string{"--browser", "--device"} {
		d.want(cli.ExitSignIn, "does not know "+npc+" as a resource", "auth", "login", way)
	}
	// Nothing is asked for with none.
	d.want(cli.ExitSignIn, "an opaque token", "auth", "login", "--device", "--resource", "none", "--audience", "none")
	asked := p.last("device")
	assert.True(t, !asked.Has("resource"), "asked with %v", asked)
	assert.True(t, !asked.Has("audience"), "asked with %v", asked)
	// A resource that a person has named is not left out.
	d.want(cli.ExitNo, "invalid_target", "auth", "login", "--device", "--resource", "urn:other")
	// A JWT for another audience is reported too.
	p.mu.Lock()
	p.resources["urn:other"] = "somebody-else"
	p.mu.Unlock()
	d.want(cli.ExitSignIn, "it is for another service", "auth", "login", "--device", "--resource", "urn:other")
	assert.Equal(t, len(d.drawer.items), 0, "items were kept")
}

// TestRefusedRenewalIsTold: a provider that renews a sign-in no more is asked once, and `auth status` says it.
func TestRefusedRenewalIsTold(t *testing.T) {
	t.Parallel()
	d, p := newStrictSetup(t)
	d.want(cli.ExitDone, "", "auth", "login", "--device")
	p.setRefusal("temporarily_unavailable")
	d.pass(59 * time.Minute)
	d.want(cli.ExitDone, "ann@example.com", "api", "auth/me")
	d.want(cli.ExitDone, `"renewable": true`, "auth", "status", "--json")
	// A refusal that may be fixed at the provider is reported, and retried.
	p.setRefusal("invalid_client")
	d.want(cli.ExitDone, "ann@example.com", "api", "auth/me")
	d.want(cli.ExitDone, "problem  the identity provider refuses", "auth", "status")
	p.setRefusal("")
	d.want(cli.ExitDone, "ann@example.com", "api", "auth/me")
	d.want(cli.ExitDone, `"problem": ""`, "auth", "status", "--json")
	d.pass(59 * time.Minute)
	p.setRefusal("invalid_grant")
	// The token is still valid, and is used; status says that it is the last one.
	d.want(cli.ExitDone, "ann@example.com", "api", "auth/me")
	d.want(cli.ExitDone, "refuses to renew the sign-in: the␛[31m grant is gone", "auth", "status")
	d.want(cli.ExitDone, `"renewable": false`, "auth", "status", "--json")
	d.want(cli.ExitNo, "warning\tsign-in\tann@example.com, with a token kept in the system's keyring, ends: in 60 seconds", "doctor")
	p.setRefusal("")
	d.pass(2 * time.Minute)
	d.want(cli.ExitSignIn, "refuses to renew the sign-in: the␛[31m grant is gone", "auth", "status")
	d.want(cli.ExitSignIn, "grant is gone", "auth", "status", "--json=problem")
	d.want(cli.ExitSignIn, "is over", "persona", "list", "--mine")
	d.want(cli.ExitDone, "signed in", "auth", "login", "--device")
	d.want(cli.ExitDone, `"problem": ""`, "auth", "status", "--json")
}

// TestSilentProvider: a provider that hangs anywhere costs 3 s at most, and a living token is used.
func TestSilentProvider(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"all", "/token"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			d, p := newStrictSetup(t)
			d.want(cli.ExitDone, "", "auth", "login", "--device")
			first := d.want(cli.ExitDone, "", "auth", "token")
			d.pass(59 * time.Minute)
			p.setHang(where)
			d.within(func() { d.want(cli.ExitDone, "ann@example.com", "api", "auth/me") })
			// One process asks once in a while, not at each call.
			b := d.access().NewBearer(d.env["PARLEY_SERVER"])
			d.within(func() {
				for range 5 {
					token, err := b.Token(t.Context())
					assert.NoError(t, err, "%v, the old token is %t", err, token == first)
					assert.Equal(t, token, first, "%v, the old token is %t", err, token == first)
				}
			})
			d.pass(2 * time.Minute)
			d.within(func() { d.want(cli.ExitTrouble, "does not answer within 3s", "auth", "token") })
			said := map[string]string{"all": "does not answer within 3s", "/token": "signed out"}[where]
			d.within(func() { d.want(cli.ExitDone, said, "auth", "logout") })
		})
	}
}

func (d *commandLine) within(do func()) {
	d.Helper()
	begun := time.Now()
	do()
	if took := time.Since(begun); took > service.ProviderPatience+1500*time.Millisecond {
		d.Errorf("it took %s", took)
	}
}

// TestLateRenewal: tokens that arrive after the caller gave up are stored, while the process lasts.
func TestLateRenewal(t *testing.T) {
	t.Parallel()
	d, p := newStrictSetup(t)
	d.want(cli.ExitDone, "", "auth", "login", "--device")
	first := d.want(cli.ExitDone, "", "auth", "token")
	inner := p.Config.Handler
	p.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/token" {
			time.Sleep(service.ProviderPatience + time.Second)
		}
		inner.ServeHTTP(w, r)
	})
	d.pass(59 * time.Minute)
	assert.Equal(t, d.want(cli.ExitDone, "", "auth", "token"), first, "another token")
	time.Sleep(2 * time.Second)
	_, c := d.kept(d.access())
	assert.True(t, c.Tokens.Access != first, "what came late was not kept")
}

// TestLogoutReportsUnrevokedTokens: a sign-in that the provider does not revoke is not reported as ended.
func TestLogoutReportsUnrevokedTokens(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		scopes  string
		endless bool
		want    string
		revoked int
	}{
		"no endpoint":        {scopes: "openid,offline_access", endless: true, want: "does not support revoking tokens; it stays valid until it expires"},
		"access tokens only": {scopes: "openid", want: "does not support revoking access tokens; it stays valid until it expires"},
		"a refresh token":    {scopes: "openid,offline_access", want: "signed out", revoked: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, p := newStrictSetup(t)
			if c.endless {
				delete(p.about, "revocation_endpoint")
			}
			d.want(cli.ExitDone, "", "auth", "login", "--device", "--scopes", c.scopes)
			_, talk, _ := d.run("", "auth", "logout")
			assert.Contains(t, talk, c.want, "%d were revoked, and it says %s", len(p.revoked), talk)
			assert.Equal(t, len(p.revoked), c.revoked, "%d were revoked, and it says %s", len(p.revoked), talk)
			assert.Equal(t, strings.Contains(talk, "revoked at"), c.revoked != 1, "%d were revoked, and it says %s", len(p.revoked), talk)
		})
	}
}

// TestStrangeDescriptions: a description of another service is not used, and no strange text is shown raw.
func TestStrangeDescriptions(t *testing.T) {
	t.Parallel()
	d := newCommandLine(t, nil)
	p := newStrictProvider(d)
	p.resources[npc] = npc
	d.serveWith(p, npc, func(string) any {
		return map[string]any{"resource": "https://bank.example.com/\x1b]0;x\a", "authorization_servers": []string{"https://evil.example.com"}}
	})
	_, out, _ := d.run("", "auth", "login", "--device")
	assert.Contains(t, out, "signed in to")
	assert.NotContains(t, out, "evil")
	assert.Equal(t, p.last("device").Get("resource"), npc)
	// This service only describes that there is no way to sign in.
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/.well-known/oauth-protected-resource") {
			writeJSON(w, 200, map[string]any{"resource": npc + "/\x1b]0;x\a", "authorization_servers": []string{p.URL}})
			return
		}
		writeJSON(w, 404, map[string]any{})
	}))
	defer s.Close()
	d.env["PARLEY_SERVER"] = s.URL
	if _, out, code := d.run("", "auth", "login", "--device"); code != cli.ExitUsage ||
		!strings.Contains(out, "is for another address") || strings.Contains(out, "\x1b") {
		t.Errorf("exit code %d, said %q", code, out)
	}
}

// TestDescribedByStandardAlone: signing in to another vendor's service needs only RFC 9728 and a client's name.
func TestDescribedByStandardAlone(t *testing.T) {
	t.Parallel()
	d := newCommandLine(t, nil)
	p := newStrictProvider(d)
	var s *httptest.Server
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/.well-known/oauth-protected-resource":
			writeJSON(w, 200, map[string]any{"resource": s.URL, "authorization_servers": []string{p.URL}, "scopes_supported": []string{"talk"}})
		case r.URL.Path != "/api/v1/auth/me":
			http.NotFound(w, r)
		default:
			writeJSON(w, 200, map[string]any{"id": "ann", "email": "ann@example.com"})
		}
	}))
	defer s.Close()
	p.resources[s.URL] = "x"
	d.env["PARLEY_SERVER"] = s.URL
	d.want(cli.ExitUsage, "--client-id is missing", "auth", "login", "--device")
	d.want(cli.ExitDone, "signed in to", "auth", "login", "--device", "--client-id", "parley")
	asked := p.last("device")
	assert.Equal(t, asked.Get("resource"), s.URL, "asked with %v", asked)
	assert.Equal(t, asked.Get("scope"), "email offline_access openid profile talk", "asked with %v", asked)
}
