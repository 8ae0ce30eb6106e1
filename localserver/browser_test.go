package localserver

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/examples"
)

var screenshots = flag.String("screenshots", "", "a folder into which the browser tests put pictures")

var browsers = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"}

// patience is the time limit for one action of a browser on a busy machine.
const patience = time.Minute

type tab struct {
	testing.TB
	ctx context.Context
}

func openBrowser(t *testing.T) *tab {
	t.Helper()
	program := ""
	for _, name := range browsers {
		if found, err := exec.LookPath(name); err == nil {
			program = found
			break
		}
	}
	if program == "" {
		t.Skipf("no browser on this machine (looked for %s): the page is not tested here", strings.Join(browsers, ", "))
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true), chromedp.WSURLReadTimeout(time.Minute))
	allocated, cancelAll := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocated)
	b := &tab{TB: t, ctx: ctx}
	t.Cleanup(func() {
		if err := chromedp.Cancel(ctx); err != nil {
			t.Logf("close the browser: %v", err)
		}
		cancel()
		cancelAll()
	})
	assert.NoError(t, chromedp.Do(ctx, chromedp.EmulateViewport(1100, 800)), "start %s", program)
	b.listen()
	return b
}

// listen fails the test on every error that the page reports: errors of the script, violations of
// the policy, and calls to other servers. The page itself reports refused requests.
func (b *tab) listen() {
	err := chromedp.Listen(b.ctx, func(event any) {
		if e, ok := event.(*network.EventRequestWillBeSent); ok {
			u := e.Request.URL
			assert.True(b, strings.HasPrefix(u, "http://127.0.0.1:") || strings.HasPrefix(u, "data:"), "the page asks for %s", u)
		}
	})
	assert.NoError(b, err)
	messages := chromedp.Console(b.ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			assert.Equal(b, m.Source, "network", "the page complains: %s: %s", m.Type, m.Text)
		}
	}()
}

func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.Fatalf("in the browser: %v\nthe page says: %s", err, js[string](b, "document.body.innerText"))
	}
}

func js[T any](b *tab, expression string) T {
	b.Helper()
	value := assert.Value(evaluate[T](b, expression))(b, "in the browser: %s", expression)
	return value
}

func evaluate[T any](b *tab, expression string) (T, error) {
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T](expression))
}

// until waits for an expression to be true. During navigation it cannot be evaluated, so an error
// counts only at the end.
func (b *tab) until(expression string) {
	b.Helper()
	var err error
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		var is bool
		if is, err = evaluate[bool](b, "Boolean("+expression+")"); is && err == nil {
			return
		}
	}
	b.Fatalf("it never came that %s (%v)\nthe page says: %s", expression, err, js[string](b, "document.body.innerText"))
}

func (b *tab) begin(name string) {
	b.Helper()
	b.until(`!document.querySelector('#enter').hidden`)
	b.do(chromedp.SendKeys(chromedp.CSS("#player"), name+"\r"))
	b.until(`document.querySelectorAll('.them').length === 1 && document.querySelector('#log').getAttribute('aria-busy') === 'false'`)
}

func (b *tab) say(text string) {
	b.Helper()
	b.do(chromedp.SendKeys(chromedp.CSS("#words"), text), enter())
	b.until(`document.querySelector('#words').value === '' && document.querySelector('#log').getAttribute('aria-busy') === 'false'`)
}

// enter presses the Enter key. SendKeys would insert a line break too, which a
// person's key does not when the page has taken it.
func enter() chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, input.DispatchKeyEvent, input.DispatchKeyEventParams{
			Type: input.DispatchKeyEventTypeRawKeyDown, Key: "Enter", Code: "Enter", WindowsVirtualKeyCode: 13,
		})
		return err
	})
}

func (b *tab) text(selector string) string {
	b.Helper()
	return js[string](b, "document.querySelector('"+selector+"').innerText")
}

func (b *tab) says(selector, text string) {
	b.Helper()
	b.until("document.querySelector('" + selector + "').innerText.includes(" + literal(text) + ")")
}

func literal(text string) string { quoted, _ := json.Marshal(text); return string(quoted) }

func (b *tab) picture(name string) {
	b.Helper()
	if *screenshots == "" {
		return
	}
	for _, shape := range []struct {
		name          string
		width, height int64
		scale         float64
	}{{"desktop", 1100, 800, 1}, {"phone", 390, 844, 1.5}} {
		for _, scheme := range []string{"light", "dark"} {
			b.do(chromedp.EmulateViewport(shape.width, shape.height, chromedp.EmulateScale(shape.scale)), colours(scheme),
				chromedp.Sleep(600*time.Millisecond))
			png := assert.Value(chromedp.Run(b.ctx, chromedp.CaptureScreenshot()))(b)
			assert.NoError(b, os.WriteFile(filepath.Join(*screenshots, name+"-"+shape.name+"-"+scheme+".png"), png, 0o644))
		}
	}
	b.do(colours("light"), chromedp.EmulateViewport(1100, 800))
}

func colours(scheme string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		return err
	})
}

func (h *harness) sample(name string) string {
	h.Helper()
	source := assert.Value(examples.Read(name))(h)
	document, _, faults := personas.Parse(name+".yaml", source)
	assert.Empty(h, faults)
	text := assert.Value(json.Marshal(document))(h)
	return h.link(string(text))
}

func (h *harness) link(document string) string {
	h.Helper()
	id := h.savePersona(document)
	return h.send(alice, "POST", "/api/v1/creator/publish?persona_id="+id, "").want(200)["play_link"].(string)
}

func (b *tab) open(url string) {
	b.Helper()
	b.do(chromedp.Navigate(url))
}

func (b *tab) enterGate(h *harness) {
	b.Helper()
	b.open(h.link(gatePersona))
	b.begin("Ann")
}
