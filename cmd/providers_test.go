//go:build !windows

package cmd_test

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

// doublesFolder is the variable with the directory where .ci/providers has put the npm packages of
// .ci/doubles.
const doublesFolder = "PARLEY_DOUBLES"

// addressToOpen matches the sign-in page in the output of `parley auth login --browser`.
var addressToOpen = regexp.MustCompile(`http://127\.0\.0\.1:\d+/auth\?\S+`)

// TestSignInPage sets oidc-provider up as docs/sign-in.md does, signs in in a browser, and signs out.
func TestSignInPage(t *testing.T) {
	folder := os.Getenv(doublesFolder)
	if folder == "" {
		t.Skip(doublesFolder + " names no folder with oidc-provider: .ci/providers makes one and runs this")
	}
	ours := strings.NewReplacer("127.0.0.1:8787", freeAddress(t), "127.0.0.1:3000", freeAddress(t))
	home, server, browser := t.TempDir(), "http://"+ours.Replace("127.0.0.1:8787"), openPage(t)
	script := ours.Replace(blockWith(t, "docs/sign-in.md", "js", "import Provider"))
	_, port, _ := strings.Cut(ours.Replace("127.0.0.1:3000"), ":")
	script = strings.NewReplacer("listen(3000", "listen("+port, "console.log(issuer)", "console.log(JSON.stringify({ address: issuer }))").Replace(script)
	writeFile(t, filepath.Join(folder, "page.mjs"), script, 0o600)
	startProvider(t, folder, "page.mjs")
	serve := regexp.MustCompile(`(?m)^parley (localserver --issuer http://127\.0\.0\.1:3000 .*)$`).FindStringSubmatch(readPage(t, "docs/sign-in.md"))
	assert.Must(t, serve != nil, "docs/sign-in.md begins no server with oidc-provider")
	parley := func(args ...string) *exec.Cmd {
		return cmdtest.BareCommand(home, []string{"HOME=" + home, "PARLEY_SERVER=" + server}, args...)
	}
	s := assert.Value(cmdtest.StartServer(parley(append(strings.Fields(ours.Replace(serve[1])), "--listen", strings.TrimPrefix(server, "http://"))...)))(t)
	t.Cleanup(s.Kill)
	login := parley("auth", "login", "--insecure-storage", "--browser")
	var said cmdtest.Buffer
	login.Stdout, login.Stderr = &said, &said
	assert.NoError(t, login.Start())
	said.Await(t, "/auth?", 1)
	browser.signIn(t, addressToOpen.FindString(said.String()), "mara@example.com", "You are signed in")
	err := login.Wait()
	assert.Must(t, err == nil && strings.Contains(said.String(), "signed in to "+server+" as mara@example.com"), "auth login: %v\n%s", err, said.String())
	out := assert.Value(parley("persona", "list", "--mine", "--json").Output())(t)
	assert.Equal(t, strings.TrimSpace(string(out)), "[]")
	cmdtest.MustRun(t, parley("auth", "logout"))
}

func freeAddress(t testing.TB) string {
	t.Helper()
	address := assert.Value(cmdtest.FreeAddress())(t)
	return address
}

// startProvider starts a script and waits until it prints its address.
func startProvider(t testing.TB, folder, script string) {
	t.Helper()
	p := exec.Command("node", script)
	p.Dir = folder
	out := assert.Value(p.StdoutPipe())(t)
	assert.NoError(t, p.Start())
	t.Cleanup(func() { _ = p.Process.Kill(); _ = p.Wait() })
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var line struct{ Address string }
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Address != "" {
			return
		}
	}
	t.Fatal("the provider prints no address")
}

// page is a real browser at the pages of somebody else's provider.
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
			chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"), chromedp.WSURLReadTimeout(cmdtest.Patience))
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

// answerForms answers the provider's pages: who one is, and yes to everything else.
func (p *page) answerForms(t testing.TB, person, last string) {
	t.Helper()
	for limit := time.Now().Add(cmdtest.Patience); ; {
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

func (p *page) do(t testing.TB, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, cmdtest.Patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		t.Fatalf("in the browser: %v\nthe page says: %s", err, p.text())
	}
}

// until waits for an expression to be true. It cannot be evaluated during navigation.
func (p *page) until(t testing.TB, expression string) {
	t.Helper()
	for limit := time.Now().Add(cmdtest.Patience); !p.is(expression); time.Sleep(20 * time.Millisecond) {
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
	ctx, cancel := context.WithTimeout(p.ctx, cmdtest.Patience)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T](expression))
}
