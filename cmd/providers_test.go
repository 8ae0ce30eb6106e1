//go:build !windows

package cmd_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

// TestSignInPage sets oidc-provider up as docs/sign-in.md does, and signs in in a browser.
func TestSignInPage(t *testing.T) {
	folder := os.Getenv(doublesFolder)
	if folder == "" {
		t.Skip(doublesFolder + " names no folder with oidc-provider: .ci/providers makes one and runs this")
	}
	ours := strings.NewReplacer("127.0.0.1:8787", freeAddress(t), "127.0.0.1:3000", freeAddress(t))
	m := &team{TB: t, root: t.TempDir(), server: "http://" + ours.Replace("127.0.0.1:8787"), browser: openPage(t)}
	page := ours.Replace(blockWith(t, "docs/sign-in.md", "js", "import Provider"))
	_, port, _ := strings.Cut(ours.Replace("127.0.0.1:3000"), ":")
	page = strings.NewReplacer("listen(3000", "listen("+port, "console.log(issuer)", "console.log(JSON.stringify({ address: issuer }))").Replace(page)
	writeFile(t, filepath.Join(folder, "page.mjs"), page, 0o600)
	m.provider = startDouble(t, folder, "page.mjs")
	serve := regexp.MustCompile(`(?m)^parley (localserver --issuer http://127\.0\.0\.1:3000 .*)$`).FindStringSubmatch(readPage(t, "docs/sign-in.md"))
	assert.Must(t, serve != nil, "docs/sign-in.md begins no server with oidc-provider")
	m.start(m.command("server", append(strings.Fields(ours.Replace(serve[1])), "--listen", strings.TrimPrefix(m.server, "http://"))...))
	words, finish := m.login(t, "mara@example.com", addressToOpen, "--browser")
	m.browser.signIn(t, words[0], "mara@example.com", "You are signed in")
	finish()
}

func freeAddress(t testing.TB) string {
	t.Helper()
	address := assert.Value(cmdtest.FreeAddress())(t)
	return address
}

// doublesFolder is the variable with the directory where .ci/providers has put the scripts of
// .ci/doubles and their npm packages.
const doublesFolder = "PARLEY_DOUBLES"

const (
	modelKey  = "sk-of-other-peoples-models-4711"
	modelLine = "Mm. The fish is accepted, the book is yours."
	// shortLife is how long access tokens live while their renewal is tested. One is
	// renewed in the last quarter of its life.
	shortLife = 8 * time.Second
)

// TestOtherPeoplesProviders signs in at oidc-provider in each way, and chats through aimock, until the sign-out.
func TestOtherPeoplesProviders(t *testing.T) {
	folder := os.Getenv(doublesFolder)
	if folder == "" {
		t.Skip(doublesFolder + " names no folder with oidc-provider and aimock: .ci/providers makes one and runs this")
	}
	listen := freeAddress(t)
	m := &team{TB: t, root: t.TempDir(), server: "http://" + listen, browser: openPage(t)}
	m.provider = startDouble(t, folder, "provider.mjs", m.server)
	m.model = startDouble(t, folder, "model.mjs", modelKey, modelLine)
	m.serve(listen)
	for _, step := range []struct {
		name string
		play func(*team, testing.TB)
	}{
		{"browser", (*team).signInByBrowser},
		{"save", (*team).savePersona},
		{"chat", (*team).chat},
		{"renewal", (*team).renew},
		{"key rotation", (*team).rotateKeys},
		{"device", (*team).signInByDevice},
		{"logout", (*team).signOut},
		{"secrets", (*team).findNoSecrets},
	} {
		assert.Must(t, t.Run(step.name, func(t *testing.T) { step.play(m, t) }),
			"the steps after %q need it\n%s", step.name, m.log.String())
	}
}

// team is a server with other people's providers, and two people who use it.
type team struct {
	testing.TB
	root, server    string
	provider, model *nodeScript
	browser         *page
	// log is the output of the server and all commands.
	log cmdtest.Buffer
}

// serve starts the server, which uses its address as its resource.
func (m *team) serve(listen string) {
	m.Helper()
	p := m.command("server", "localserver", "--listen", listen, "--rate-limit", "off", "--llm", "openai/gpt-4o", "--llm-base-url", m.model.address,
		"--issuer", m.provider.address, "--audience", m.server, "--client-id", "parley")
	p.Env = append(p.Env, "OPENAI_API_KEY="+modelKey)
	m.start(p)
}

func (m *team) start(p *exec.Cmd) {
	m.Helper()
	p.Stderr = &m.log
	s, err := cmdtest.StartServer(p)
	if err != nil {
		m.Fatalf("%v\n%s", err, m.log.String())
	}
	m.Cleanup(s.Kill)
}

// command returns a command for a person, with a private home.
func (m *team) command(person string, args ...string) *exec.Cmd {
	home := filepath.Join(m.root, person)
	assert.NoError(m, os.MkdirAll(home, 0o700))
	return cmdtest.BareCommand(home, []string{"HOME=" + home, "PARLEY_SERVER=" + m.server, "PARLEY_CONFIG_DIR=" + filepath.Join(home, "config"),
		"PARLEY_DATA_DIR=" + filepath.Join(home, "data"), "PARLEY_STATE_DIR=" + filepath.Join(home, "state"), "PARLEY_PLAYER_NAME=Mara"}, args...)
}

// run runs a command of a person, which must succeed, and returns its stdout and stderr.
func (m *team) run(t testing.TB, person string, args ...string) (out, talk string) {
	t.Helper()
	p := m.command(person, args...)
	var printed, said bytes.Buffer
	p.Stdout, p.Stderr = io.MultiWriter(&printed, &m.log), io.MultiWriter(&said, &m.log)
	if err := p.Run(); err != nil {
		time.Sleep(time.Second) // the provider tells it after its answer
		t.Fatalf("parley %v: %v\n%s%s\nthe provider: %+v", args, err, printed.String(), said.String(), m.provider.events())
	}
	return printed.String(), said.String()
}

var (
	addressToOpen = regexp.MustCompile(`http://127\.0\.0\.1:\d+/auth\?\S+`)
	deviceToOpen  = regexp.MustCompile(`1\. open +(\S+)\s+2\. enter +(\S+)`)
)

// login begins a sign-in. It returns the match of a pattern in its output, and a function that waits.
func (m *team) login(t testing.TB, person string, say *regexp.Regexp, args ...string) (words []string, finish func()) {
	t.Helper()
	p := m.command(person, append([]string{"auth", "login", "--insecure-storage"}, args...)...)
	var said cmdtest.Buffer
	p.Stdout, p.Stderr = &m.log, io.MultiWriter(&said, &m.log)
	assert.NoError(t, p.Start())
	ended := make(chan error, 1)
	go func() { ended <- p.Wait() }()
	for words == nil {
		select {
		case err := <-ended:
			t.Fatalf("auth login %v: %v\n%s", args, err, said.String())
		case <-time.After(20 * time.Millisecond):
			words = say.FindStringSubmatch(said.String())
		}
	}
	return words, func() {
		t.Helper()
		select {
		case err := <-ended:
			assert.Must(t, err == nil && strings.Contains(said.String(), "signed in to "+m.server+" as "+person),
				"auth login %v: %v\n%s", args, err, said.String())
		case <-time.After(cmdtest.Timeout):
			_ = p.Process.Kill()
			t.Fatalf("auth login %v does not end\n%s", args, said.String())
		}
	}
}

// signInByBrowser signs in with a browser. All questions name the resource (RFC 8707).
func (m *team) signInByBrowser(t testing.TB) {
	m.provider.order(t, fmt.Sprintf("lifetime %d", int(shortLife.Seconds())))
	words, finish := m.login(t, "mara", addressToOpen, "--browser")
	m.browser.signIn(t, words[0], "mara", "You are signed in")
	finish()
	m.provider.await(t, func(l doubleLine) bool { return l.By == "authorization_code" && l.Resource == m.server })
	m.provider.await(t, func(l doubleLine) bool { return l.Kind == "refresh_token" })
	out, _ := m.run(t, "mara", "auth", "status", "--json")
	assert.Contains(t, out, `"mara"`, "auth status knows nothing of mara")
}

func (m *team) savePersona(t testing.TB) {
	starter := filepath.Join(cmdtest.RepositoryRoot(m), "personas", "examples", "starter.yaml")
	out, _ := m.run(t, "mara", "persona", "save", "--publish", "--no-lock", starter)
	assert.Equal(t, len(strings.TrimSpace(out)), len(cmdtest.AnyID), "saved with the words %q", out)
}

func (m *team) chat(t testing.TB) {
	out, _ := m.run(t, "mara", "say", "Biscuit", "--json", "I brought you some fish")
	var reply struct {
		Message  string
		Decision string
		Outcome  string
	}
	assert.NoError(t, json.Unmarshal([]byte(out), &reply), out)
	assert.Equal(t, reply.Message, modelLine, "the turn brings %s", out)
	assert.Equal(t, reply.Decision, "pass", "the turn brings %s", out)
	assert.Equal(t, reply.Outcome, "ACCEPT", "the turn brings %s", out)
	for _, shape := range []string{"evaluation", ""} {
		m.model.await(t, func(l doubleLine) bool { return l.Model == "gpt-4o" && l.Shape == shape })
	}
}

// renew waits twice until a token is due: each renewal has the last refresh token and names the resource.
func (m *team) renew(t testing.TB) {
	renewals := func(l doubleLine) bool { return l.By == "refresh_token" && l.Resource == m.server }
	refreshed := func(l doubleLine) bool { return l.Kind == "refresh_token" }
	for range 2 {
		before, tokens := m.provider.count(renewals), m.provider.count(refreshed)
		time.Sleep(shortLife - shortLife/8)
		out, _ := m.run(t, "mara", "persona", "list", "--mine")
		assert.Must(t, strings.Contains(out, "Biscuit"), "mara's personas are %q", out)
		if n := m.provider.count(renewals) - before; n != 1 {
			t.Fatalf("%d renewals were asked for, not one: %+v", n, m.provider.events())
		}
		assert.Must(t, m.provider.count(refreshed) != tokens, "the provider rotates no refresh tokens: this shows nothing")
	}
	n := m.provider.count(func(l doubleLine) bool { return l.Event == "revoked" })
	assert.True(t, n <= 0, "a refresh token was used twice: the provider has revoked the sign-in")
}

// rotateKeys makes the provider sign with another kind of key, which is valid without a restart.
func (m *team) rotateKeys(t testing.TB) {
	m.provider.order(t, "lifetime 3600")
	m.provider.order(t, "rotate PS256")
	before := m.provider.count(func(l doubleLine) bool { return l.By == "refresh_token" })
	time.Sleep(shortLife)
	out, _ := m.run(t, "mara", "persona", "list", "--mine")
	assert.Must(t, strings.Contains(out, "Biscuit"), "mara's personas are %q", out)
	assert.True(t, m.provider.count(func(l doubleLine) bool { return l.By == "refresh_token" }) != before,
		"no token was renewed: this shows nothing of the new key")
}

// signInByDevice signs somebody else in, who enters a code in a browser.
func (m *team) signInByDevice(t testing.TB) {
	words, finish := m.login(t, "bob", deviceToOpen, "--device")
	m.browser.enterCode(t, words[1], words[2], "bob")
	finish()
	m.provider.await(t, func(l doubleLine) bool {
		return l.By == "urn:ietf:params:oauth:grant-type:device_code" && l.Resource == m.server
	})
	out, _ := m.run(t, "bob", "persona", "list", "--mine", "--json")
	assert.Equal(t, strings.TrimSpace(out), "[]", "bob owns %s", out)
}

// signOut signs both out: the provider has revoked the grants, and their refresh tokens are of no more use.
func (m *team) signOut(t testing.TB) {
	assert.Must(t, len(m.findSecrets(t)) != 0, "no token is found where the sign-ins are kept: the search is broken")
	for n, person := range []string{"mara", "bob"} {
		m.run(t, person, "auth", "logout")
		m.provider.awaitTimes(t, n+1, func(l doubleLine) bool { return l.Event == "revoked" })
	}
	for _, token := range m.provider.tokens("refresh_token") {
		answer, err := http.PostForm(m.provider.address+"/token", url.Values{"grant_type": {"refresh_token"}, "client_id": {"parley"}, "refresh_token": {token}})
		assert.NoError(t, err)
		_ = answer.Body.Close()
		assert.Equal(t, answer.StatusCode, http.StatusBadRequest, "a refresh token of who has signed out is answered")
	}
}

// findNoSecrets looks into every file of the two people and the server, and into all that was said.
func (m *team) findNoSecrets(t testing.TB) {
	for _, where := range m.findSecrets(t) {
		t.Errorf("a token or a key is in %s", where)
	}
	if errors := m.provider.count(func(l doubleLine) bool { return l.Event == "error" }); errors > 0 {
		t.Errorf("the provider has failed: %+v", m.provider.events())
	}
}

// findSecrets returns the places of a provider's token (for a JWT its signature) or the models' key.
func (m *team) findSecrets(t testing.TB) (where []string) {
	t.Helper()
	secrets := []string{modelKey}
	for _, token := range m.provider.tokens("") {
		secrets = append(secrets, token[strings.LastIndex(token, ".")+1:])
	}
	holds := func(text string) bool {
		for _, secret := range secrets {
			if strings.Contains(text, secret) {
				return true
			}
		}
		return false
	}
	if holds(m.log.String()) {
		where = append(where, "what was said")
	}
	err := filepath.WalkDir(m.root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if holds(string(text)) {
			where = append(where, path)
		}
		return err
	})
	assert.NoError(t, err)
	return where
}

type nodeScript struct {
	address string
	in      io.Writer
	mu      sync.Mutex
	lines   []doubleLine
}

// doubleLine is a line of output of a double: its address, a token, a grant, a request to a model,
// or that it has executed a command.
type doubleLine struct {
	Address, Kind, Token, Event, By, Resource, Model, Error string
	Shape                                                   string
}

func startDouble(t testing.TB, folder, script string, args ...string) *nodeScript {
	t.Helper()
	p := exec.Command("node", append([]string{script}, args...)...)
	p.Dir = folder
	in := assert.Value(p.StdinPipe())(t)
	out := assert.Value(p.StdoutPipe())(t)
	var talk cmdtest.Buffer
	p.Stderr = &talk
	assert.NoError(t, p.Start())
	d := &nodeScript{in: in}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var line doubleLine
			if json.Unmarshal(lines.Bytes(), &line) == nil {
				d.mu.Lock()
				d.lines = append(d.lines, line)
				d.mu.Unlock()
			}
		}
	}()
	t.Cleanup(func() { _ = p.Process.Kill(); <-ended; _ = p.Wait() })
	d.address = d.await(t, func(l doubleLine) bool { return l.Address != "" }).Address
	return d
}

// order sends a command to the provider and waits until it is done.
func (d *nodeScript) order(t testing.TB, command string) {
	t.Helper()
	obeyed := func(l doubleLine) bool { return l.Event == strings.Fields(command)[0] }
	before := d.count(obeyed)
	assert.Value(io.WriteString(d.in, command+"\n"))(t)
	d.awaitTimes(t, before+1, obeyed)
}

// events returns all lines, without their tokens.
func (d *nodeScript) events() []doubleLine {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := append([]doubleLine(nil), d.lines...)
	for i := range all {
		all[i].Token = ""
	}
	return all
}

// tokens returns the issued tokens of a kind, "" for all kinds.
func (d *nodeScript) tokens(kind string) (all []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, line := range d.lines {
		if line.Token != "" && (kind == "" || line.Kind == kind) {
			all = append(all, line.Token)
		}
	}
	return all
}

func (d *nodeScript) count(is func(doubleLine) bool) (n int) {
	for _, line := range d.events() {
		if is(line) {
			n++
		}
	}
	return n
}

// await waits for a matching line and returns the first one.
func (d *nodeScript) await(t testing.TB, is func(doubleLine) bool) doubleLine {
	t.Helper()
	d.awaitTimes(t, 1, is)
	for _, line := range d.events() {
		if is(line) {
			return line
		}
	}
	return doubleLine{}
}

func (d *nodeScript) awaitTimes(t testing.TB, times int, is func(doubleLine) bool) {
	t.Helper()
	for limit := time.Now().Add(cmdtest.Timeout); d.count(is) < times; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("it never came: %+v", d.events())
		}
	}
}

type page struct{ ctx context.Context }

// openPage starts a headless browser that can only reach this machine, or skips the test if there is no browser.
func openPage(t *testing.T) *page {
	t.Helper()
	programs := []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"}
	for _, name := range programs {
		program, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		options := append(chromedp.DefaultExecAllocatorOptions[:],
			chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()),
			chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
			chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"), chromedp.WSURLReadTimeout(cmdtest.Timeout))
		allocated, cancelAll := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, cancel := chromedp.NewContext(allocated)
		t.Cleanup(func() { _ = chromedp.Cancel(ctx); cancel(); cancelAll() })
		// The browser lives as long as the context of the first thing that it does.
		assert.NoError(t, chromedp.Do(ctx, chromedp.EmulateViewport(1100, 800)), "start %s", program)
		return &page{ctx}
	}
	t.Skipf("no browser on this machine (looked for %s): nobody signs in", strings.Join(programs, ", "))
	return nil
}

// signIn opens an address, signs in as a person and consents, until the page says a text.
func (p *page) signIn(t testing.TB, address, person, last string) {
	t.Helper()
	p.do(t, chromedp.Navigate(address))
	p.answerForms(t, person, last)
}

func (p *page) enterCode(t testing.TB, address, code, person string) {
	t.Helper()
	p.forget(t)
	p.do(t, chromedp.Navigate(address))
	p.until(t, `document.querySelector('input[name=user_code]')`)
	p.do(t, chromedp.SendKeys(chromedp.CSS("input[name=user_code]"), code))
	p.submit(t)
	p.answerForms(t, person, "Sign-in Success")
}

// answerForms answers the provider's pages: who one is, and yes to everything else.
func (p *page) answerForms(t testing.TB, person, last string) {
	t.Helper()
	for limit := time.Now().Add(cmdtest.Timeout); ; {
		text := p.text()
		switch {
		case strings.Contains(text, last):
			return
		case time.Now().After(limit):
			t.Fatalf("the page never says %q, but %q", last, text)
		case p.is(`document.querySelector('input[name=login]')`):
			p.do(t, chromedp.SendKeys(chromedp.CSS("input[name=login]"), person), chromedp.SendKeys(chromedp.CSS("input[name=password]"), "x"))
			p.submit(t)
		case p.is(`document.querySelector('button[type=submit]')`):
			p.submit(t)
		default:
			time.Sleep(50 * time.Millisecond)
		}
	}
}

func (p *page) submit(t testing.TB) {
	t.Helper()
	if _, err := evaluate[bool](p, `window.leaving = true, document.querySelector('button[type=submit]').click(), true`); err != nil {
		t.Fatalf("press the button: %v\nthe page says: %s", err, p.text())
	}
	p.until(t, `!window.leaving && document.readyState === 'complete'`)
}

func (p *page) forget(t testing.TB) {
	t.Helper()
	p.do(t, chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, network.ClearBrowserCookies, cdp.Empty{})
		return err
	}))
}

func (p *page) do(t testing.TB, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, cmdtest.Timeout)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		t.Fatalf("in the browser: %v\nthe page says: %s", err, p.text())
	}
}

// until waits for an expression to be true. It cannot be evaluated during navigation.
func (p *page) until(t testing.TB, expression string) {
	t.Helper()
	for limit := time.Now().Add(cmdtest.Timeout); !p.is(expression); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("it never came that %s\nthe page says: %s", expression, p.text())
		}
	}
}

func (p *page) is(expression string) bool {
	is, err := evaluate[bool](p, "Boolean("+expression+")")
	return is && err == nil
}

// text returns the text of the page, or "" while it is empty.
func (p *page) text() string {
	text, _ := evaluate[string](p, "document.body.innerText")
	return text
}

func evaluate[T any](p *page, expression string) (T, error) {
	ctx, cancel := context.WithTimeout(p.ctx, cmdtest.Timeout)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T](expression))
}
