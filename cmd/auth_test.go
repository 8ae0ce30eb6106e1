package cmd

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

type drawer struct {
	mu    sync.Mutex
	items map[string]string
	fault error
	reads int
}

func (d *drawer) Get(name string) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reads++
	secret, ok := d.items[name]
	if d.fault == nil && !ok {
		return "", settings.ErrNoSecret
	}
	return secret, d.fault
}

func (d *drawer) Set(name, secret string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fault == nil {
		d.items[name] = secret
	}
	return d.fault
}

func (d *drawer) Delete(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.items, name)
	return d.fault
}

type commandLine struct {
	*testing.T
	env    map[string]string
	drawer *drawer
	mu     sync.Mutex
	time   time.Time
}

func newCommandLine(t *testing.T, env map[string]string) *commandLine {
	home := t.TempDir()
	d := &commandLine{T: t, drawer: &drawer{items: map[string]string{}}, time: time.Now(), env: map[string]string{
		"PARLEY_STATE_DIR": filepath.Join(home, "state"), "PARLEY_CONFIG_DIR": filepath.Join(home, "config"), "PARLEY_DATA_DIR": filepath.Join(home, "data"),
		"BROWSER": "visitor ann@example.com",
	}}
	for k, v := range env {
		d.env[k] = v
	}
	return d
}

func (d *commandLine) now() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.time
}

func (d *commandLine) pass(by time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.time = d.time.Add(by)
}

func (d *commandLine) run(in string, args ...string) (out, talk string, code int) {
	d.Helper()
	var stdout, stderr bytes.Buffer
	a := &service.Access{Environment: &service.Environment{Streams: &cli.Streams{In: strings.NewReader(in), Out: &cli.CheckedWriter{Writer: &stdout}, Err: &stderr, Now: d.now, Lookup: func(name string) (string, bool) { v, ok := d.env[name]; return v, ok }}}, NewID: service.NewID, Ring: d.drawer}
	a.Style = a.NewStyle()
	code = Run(d.Context(), a, args)
	return stdout.String(), stderr.String(), code
}

// want runs a command line and checks its exit code and that its output contains a word.
func (d *commandLine) want(code int, word string, args ...string) (out string) {
	d.Helper()
	out, talk, got := d.run("", args...)
	if got != code || !strings.Contains(out+talk, word) {
		d.Errorf("parley %s: exit code %d, want %d and %q:\n%s%s", strings.Join(args, " "), got, code, word, out, talk)
	}
	return strings.TrimSpace(out)
}

func (d *commandLine) serve() *localserver.Server {
	d.Helper()
	s := assert.Value(localserver.Start(d.Context(), localserver.Options{Listen: "127.0.0.1:0", Data: datafolder.Memory, Now: d.now}))(d)
	d.Cleanup(func() { _ = s.Close() })
	d.env["PARLEY_SERVER"] = s.URL()
	return s
}

// TestRenewal: a token is renewed once, shortly before its expiry, with the latest refresh token only.
func TestRenewal(t *testing.T) {
	t.Parallel()
	d := newCommandLine(t, nil)
	d.serve()
	d.want(cli.ExitDone, "keyring", "auth", "login", "--browser")
	first := d.want(cli.ExitDone, "", "auth", "token")
	d.pass(57 * time.Minute)
	assert.Equal(t, d.want(cli.ExitDone, "", "auth", "token"), first, "the token was renewed long before its end")
	for range 3 {
		d.pass(59 * time.Minute)
		tokens := make([]string, 8)
		var all sync.WaitGroup
		for i := range tokens {
			all.Go(func() { tokens[i] = d.want(cli.ExitDone, "", "auth", "token") })
		}
		all.Wait()
		for _, token := range tokens {
			assert.Equal(t, token, tokens[0], "the processes have different tokens, or the old one")
			assert.True(t, token != first, "the processes have different tokens, or the old one")
			assert.True(t, token != "", "the processes have different tokens, or the old one")
		}
		first = tokens[0]
		d.want(cli.ExitDone, "", "persona", "list", "--mine")
	}
	d.want(cli.ExitDone, `"renewable": true`, "auth", "status", "--json")
	// Long after the access token's end the sign-in still is one.
	d.pass(20 * 24 * time.Hour)
	d.want(cli.ExitDone, "is renewed by the next command", "auth", "status")
	d.want(cli.ExitDone, "", "persona", "list", "--mine")
	// Past the end of the refresh token it is over, and that is said.
	d.pass(31 * 24 * time.Hour)
	d.want(cli.ExitSignIn, "sign in: parley auth login", "auth", "token")
	d.want(cli.ExitSignIn, "is over", "persona", "list", "--mine")
}

// TestRenewalWithProviderDown: a token that is still valid is used; an expired one is an error that names the cause.
func TestRenewalWithProviderDown(t *testing.T) {
	t.Parallel()
	d := newCommandLine(t, nil)
	s := d.serve()
	d.want(cli.ExitDone, "", "auth", "login", "--browser")
	first := d.want(cli.ExitDone, "", "auth", "token")
	assert.NoError(t, s.Close())
	d.pass(59 * time.Minute)
	assert.Equal(t, d.want(cli.ExitDone, "", "auth", "token"), first, "another token")
	d.pass(2 * time.Minute)
	d.want(cli.ExitTrouble, "renew the sign-in", "auth", "token")
	// Signing out still works.
	d.want(cli.ExitDone, "could not be revoked at", "auth", "logout")
	assert.Equal(t, len(d.drawer.items), 0, "items stay in the keyring")
}

// TestRenewedTokenCannotBeStored: the command goes on with the new token and reports that it could not be stored.
func TestRenewedTokenCannotBeStored(t *testing.T) {
	t.Parallel()
	d := newCommandLine(t, nil)
	d.serve()
	d.want(cli.ExitDone, "", "auth", "login", "--browser")
	d.pass(59 * time.Minute)
	a := d.access()
	a.Ring = readOnly{d.drawer}
	token, err := a.NewBearer(d.env["PARLEY_SERVER"]).SendableToken(t.Context())
	assert.NoError(t, err, "%v, said %s", err, a.Err)
	assert.True(t, token != "", "%v, said %s", err, a.Err)
	assert.Contains(t, a.Err.(*bytes.Buffer).String(), "could not be stored", "%v, said %s", err, a.Err)
}

// readOnly is a keyring that takes nothing.
type readOnly struct{ *drawer }

func (readOnly) Set(string, string) error { return errors.New("read-only") }

// TestInterruptedRenewal: Ctrl-C between the provider's answer and the keeping loses nothing.
func TestInterruptedRenewal(t *testing.T) {
	t.Parallel()
	d := newCommandLine(t, nil)
	d.serve()
	d.want(cli.ExitDone, "", "auth", "login", "--browser")
	d.pass(59 * time.Minute)
	ctx, cancel := context.WithCancel(t.Context())
	a := d.access()
	s := assert.Value(a.OpenSecrets())(t)
	server := service.ServerName(d.env["PARLEY_SERVER"])
	c := assert.Value(service.ReadAccount(s, server))(t)
	p := assert.Value(a.OpenProvider(ctx, c))(t)
	cancel()
	fresh, err := a.RenewWith(ctx, p, s, server, c, func() {})
	assert.Must(t, err == nil && fresh.Tokens.Access != c.Tokens.Access, "not renewed: %v", err)
	assert.Equal(t, d.want(cli.ExitDone, "", "auth", "token"), fresh.Tokens.Access, "the new token was not kept")
}

// TestKeyringIsNotReadWithoutSignIn: the keyring is not opened for a user who is not signed in or uses another kind of sign-in.
func TestKeyringIsNotReadWithoutSignIn(t *testing.T) {
	t.Parallel()
	d := newCommandLine(t, nil)
	d.serve()
	d.drawer.fault = errors.New("no bus")
	d.want(cli.ExitDone, "", "persona", "list")
	d.want(cli.ExitSignIn, "not signed in", "auth", "status")
	d.env["PARLEY_TOKEN"] = "opaque"
	d.want(cli.ExitDone, "PARLEY_TOKEN", "auth", "status")
	d.want(cli.ExitDone, "opaque", "auth", "token")
	assert.Equal(t, d.drawer.reads, 0, "reads")
}

func TestStatusOfTokens(t *testing.T) {
	t.Parallel()
	// Both name ann; the second one ended in 2023, the first ends in 2100.
	const good = "e30.eyJzdWIiOiJhbm4iLCJuYW1lIjoiQW5uIFx1MDAxYltBIiwiZXhwIjo0MTAyNDQ0ODAwfQ.x"
	const ended = "e30.eyJzdWIiOiJhbm4iLCJleHAiOjE3MDAwMDAwMDB9.x"
	for _, c := range []struct {
		token string
		code  int
		wants []string
	}{
		{good, cli.ExitDone, []string{"user     Ann ␛[A", "kept in PARLEY_TOKEN", "ends     in "}},
		{ended, cli.ExitSignIn, []string{"user     ann", "has expired", "sign in: parley auth login"}},
		{"opaque", cli.ExitDone, []string{"unknown: not in the token", "unknown"}},
	} {
		d := newCommandLine(t, map[string]string{"PARLEY_TOKEN": c.token})
		out, talk, code := d.run("", "auth", "status")
		assert.Equal(t, code, c.code, "%s: exit code", c.token)
		for _, want := range c.wants {
			assert.Contains(t, out+talk, want, "%s missing %s %s", c.token, out, talk)
		}
	}
}

// TestTokenIsNotSentToOtherHosts: no token is sent to another host, by a redirect or for another server.
func TestTokenIsNotSentToOtherHosts(t *testing.T) {
	t.Parallel()
	d := newCommandLine(t, nil)
	var strangers []string
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		strangers = append(strangers, r.Header.Get("Authorization"))
		_, _ = w.Write([]byte("[]"))
	}))
	defer evil.Close()
	var asked []string
	redirecting := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Header.Get("Authorization"))
		http.Redirect(w, r, evil.URL+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	defer redirecting.Close()
	d.serve()
	d.want(cli.ExitDone, "", "auth", "login", "--browser")
	d.want(cli.ExitDone, "", "persona", "list", "--server", evil.URL)
	assert.True(t, len(strangers) == 1 && strangers[0] == "", "another server was sent %q", strangers)
	d.env["PARLEY_TOKEN"] = "the-token"
	d.want(cli.ExitTrouble, "does not follow", "persona", "list", "--server", redirecting.URL)
	assert.True(t, len(strangers) == 1 && len(asked) != 0 && asked[0] == "Bearer the-token",
		"asked with %q; a redirect led to %q", asked, strangers)
}

// TestTokenOverPlainHTTP: no token goes to another machine by http unless it is asked for.
func TestTokenOverPlainHTTP(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		address string
		set     string
		refused bool
	}{
		{"http://npc.example.com", "", true},
		{"http://10.0.0.1:8787", "", true},
		{"HTTP://npc.example.com", "0", true},
		{"http://npc.example.com", "1", false},
		{"https://npc.example.com", "", false},
		{"http://127.0.0.1:8787", "", false},
		{"http://localhost:8787", "", false},
		{"http://[::1]:8787", "", false},
	} {
		d := newCommandLine(t, map[string]string{"PARLEY_TOKEN": "the-token", "PARLEY_INSECURE_HTTP": c.set})
		a := d.access()
		token, err := a.NewBearer(c.address).SendableToken(t.Context())
		f, isFailure := errors.AsType[*cli.Failure](err)
		if c.refused != (err != nil) || c.refused && (!isFailure || f.Code != cli.ExitUsage || token == "" && strings.Contains(err.Error(), "the-token")) {
			t.Errorf("%s: %v", c.address, err)
		}
		a.InsecureHTTP = true
		assert.Value(a.NewBearer(c.address).SendableToken(t.Context()))(t, "%s with --insecure-http", c.address)
	}
}

func TestServerName(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"http://127.0.0.1:8787": "http://127.0.0.1:8787", "HTTPS://NPC.example.com:443/": "https://npc.example.com", "http://a:b@h:80/base/": "http://h/base",
		"https://h:80": "https://h:80", "http://[::1]:8787": "http://[::1]:8787",
	} {
		assert.Equal(t, service.ServerName(address), want, address)
	}
	assert.Equal(t, service.ServerLabel("http://h\x1b[31m"), "http://h␛[31m")
	assert.Equal(t, service.ServerLabel("http://a:80/b@h"), "http://h")
}

func TestBrowserCommand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		named, system string
		want          string
	}{
		{"firefox", "linux", "firefox URL"},
		{"firefox --new-tab %s", "linux", "firefox --new-tab URL"},
		{"w3m:lynx", "linux", "w3m URL; lynx URL"},
		{`C:\Program Files\b.exe`, "windows", `C:\Program Files\b.exe URL`},
	} {
		var lines []string
		for _, words := range browserCommands(c.named, c.system) {
			lines = append(lines, strings.Join(append(words[:1:1], withAddress(words[1:], "URL")...), " "))
		}
		assert.Equal(t, strings.Join(lines, "; "), c.want, "%q on %s", c.named, c.system)
	}
	for _, c := range []struct {
		system string
		env    map[string]string
		want   string
	}{
		{"linux", nil, ""},
		{"linux", map[string]string{"DISPLAY": ":0"}, "xdg-open"},
		{"linux", map[string]string{"WAYLAND_DISPLAY": "w"}, "xdg-open"},
		{"linux", map[string]string{"SSH_CONNECTION": "a"}, ""},
		{"darwin", nil, "open"},
		{"darwin", map[string]string{"SSH_CONNECTION": "a"}, ""},
		{"windows", nil, "rundll32 url.dll,FileProtocolHandler"},
	} {
		streams := &cli.Streams{Lookup: func(name string) (string, bool) { v, ok := c.env[name]; return v, ok }}
		a := &service.Access{Environment: &service.Environment{Streams: streams}}
		assert.Equal(t, strings.Join(findSystemOpener(a.Streams, c.system), " "), c.want, "%s %v", c.system, c.env)
	}
	streams := &cli.Streams{Lookup: func(name string) (string, bool) { return "no-such-browser:go version", name == "BROWSER" }}
	words, found := findBrowser(streams)
	assert.Must(t, found, "the second command of $BROWSER is installed")
	assert.Equal(t, words[1], "version")
	a := &service.Access{Environment: &service.Environment{Streams: &cli.Streams{}}}
	for _, address := range []string{"file:///etc/passwd", "javascript:alert(1)", "--help", "http://a b"} {
		assert.True(t, launchBrowser(a.Streams, []string{"true"}, address) != nil, "%s was opened", address)
	}
}

func TestRoughly(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		7 * 24 * time.Hour: "7 days", 26 * time.Hour: "26 hours", time.Hour: "60 minutes", 90 * time.Second: "2 minutes", time.Second: "1 second", 0: "a moment",
	} {
		assert.Equal(t, roughDuration(d), want, d)
	}
}

// TestTokenInput: the longest token that is read, and one past it.
func TestTokenInput(t *testing.T) {
	t.Parallel()
	d := newCommandLine(t, map[string]string{"PARLEY_SERVER": "http://127.0.0.1:1"})
	for length, want := range map[int]int{maxTokenInput: cli.ExitDone, maxTokenInput + 1: cli.ExitUsage} {
		_, talk, code := d.run(strings.Repeat("t", length), "auth", "login", "--with-token")
		assert.Equal(t, code, want, length)
		assert.NotContains(t, talk, "tttt", length)
	}
	assert.Equal(t, len(d.want(cli.ExitDone, "", "auth", "token")), maxTokenInput, "bytes are kept")
}

// TestDevelopmentSignInOfAnotherMachine: no other machine sends a user to a sign-in on his own.
func TestDevelopmentSignInOfAnotherMachine(t *testing.T) {
	own, foreign := wire.SignIn{Issuer: "http://127.0.0.1:8787", Development: true}, wire.SignIn{Issuer: "https://id.example.com"}
	for _, c := range []struct {
		address, issuer string
		told            wire.SignIn
		refused         bool
	}{
		{"https://npc.example.com", "", own, true},
		{"http://10.0.0.1:8787", "", own, true},
		{"https://npc.example.com", "https://id.example.com", own, false},
		{"https://npc.example.com", "", foreign, false},
		{"http://127.0.0.1:8787", "", own, false},
		{"http://localhost:8080", "", own, false},
	} {
		err := checkOwnMachine(c.address, c.issuer, c.told)
		if (err != nil) != c.refused || err != nil && !strings.Contains(err.Error(), "development sign-in") {
			t.Errorf("%s: %v", c.address, err)
		}
	}
}
