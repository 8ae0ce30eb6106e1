package localserver

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// TestSignInPageInABrowser signs in with a real browser, which enforces the page's policy, its
// cookie and its redirect.
func TestSignInPageInABrowser(t *testing.T) {
	b := openBrowser(t)
	h := begin(t)
	arrived := make(chan url.Values, 1)
	program := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/back" {
			arrived <- r.URL.Query()
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, "<title>back</title>Welcome back.")
	}))
	t.Cleanup(program.Close)
	in := h.readSignIn()
	provider := assert.Value(oidc.NewProvider(h.oauthContext(), in.Issuer))(t)
	client := &oauth2.Config{ClientID: in.ClientID, Endpoint: provider.Endpoint(), RedirectURL: program.URL + "/back", Scopes: in.Scopes}
	verifier := oauth2.GenerateVerifier()
	b.open(client.AuthCodeURL("state", oauth2.S256ChallengeOption(verifier)))
	b.picture("sign-in")
	// A browser sets an autofocus with the first picture of a page, which comes
	// after it has loaded.
	b.until(`document.activeElement?.id === 'email'`)
	b.do(chromedp.SendKeys(chromedp.CSS("#email"), alice+"\r"))
	b.until(`document.title === 'back'`)
	var query url.Values
	select {
	case query = <-arrived:
	case <-time.After(patience):
		t.Fatal("the browser did not come back")
	}
	token := assert.Value(client.Exchange(h.oauthContext(), query.Get("code"), oauth2.VerifierOption(verifier)))(t)
	h.tokens[alice] = token.AccessToken
	h.send(alice, "GET", wire.PathMe, "").want(200)
	b.letDeviceIn(h, client)
}

// letDeviceIn allows the sign-in of a program without a browser.
func (b *tab) letDeviceIn(h *harness, client *oauth2.Config) {
	b.Helper()
	device := assert.Value(client.DeviceAuth(h.oauthContext()))(b)
	b.open(device.VerificationURIComplete)
	assert.Equal(b, js[string](b, "document.querySelector('#user_code').value"), device.UserCode, "the page shows the code")
	b.picture("device")
	b.do(chromedp.SendKeys(chromedp.CSS("#email"), bob+"\r"))
	b.until(`document.body?.innerText.includes('is signed in as ` + bob + `')`)
}
