//go:build !windows

package cmd_test

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

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

// enterCode opens the page for devices and enters a code there.
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

// submit presses the page's button and waits for the next page.
func (p *page) submit(t testing.TB) {
	t.Helper()
	if _, err := evaluate[bool](p, `window.leaving = true, document.querySelector('button[type=submit]').click(), true`); err != nil {
		t.Fatalf("press the button: %v\nthe page says: %s", err, p.text())
	}
	p.until(t, `!window.leaving && document.readyState === 'complete'`)
}

// forget resets the browser, so that the provider does not recognize its user.
func (p *page) forget(t testing.TB) {
	t.Helper()
	p.do(t, chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, network.ClearBrowserCookies, cdp.Empty{})
		return err
	}))
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
