package identity

import (
	"bytes"
	"embed"
	"encoding/base64"
	"html/template"
	"net/http"
	"net/url"
	"strings"
)

// The pages load nothing and contain no scripts.
var (
	//go:embed pages.html
	pageFiles embed.FS
	//go:embed pages.css
	style string
)

type formPage struct {
	Title string
	// Style never contains input of a caller.
	Style   template.CSS
	Fault   string
	Action  string
	Form    string
	Request string
	Client  string
	Email   string
	Code    string
	Target  string
}

// formCookie ties a form to a browser. The form contains a signature of the cookie, because other
// servers on this machine could set the cookie.
const formCookie = "parley_form"

func (p *Provider) sealForm(w http.ResponseWriter, r *http.Request) string {
	cookie, err := r.Cookie(formCookie)
	if err != nil || len(cookie.Value) != len(newSecret()) {
		cookie = &http.Cookie{ //nolint:gosec // it listens by plain http, on this machine
			Name: formCookie, Value: newSecret(), Path: pathPrefix, HttpOnly: true, SameSite: http.SameSiteStrictMode,
		}
		http.SetCookie(w, cookie)
	}
	form, err := p.signForm(cookie.Value)
	if err != nil {
		return "" // Signing with an ES256 key never fails.
	}
	return form
}

func (p *Provider) readOwnForm(w http.ResponseWriter, r *http.Request) (url.Values, bool) {
	form, err := readForm(w, r)
	if err != nil {
		p.showFault(w, http.StatusBadRequest, "The form is invalid. Go back and load the page again.")
		return nil, false
	}
	cookie, err := r.Cookie(formCookie)
	isOwn := false
	if err == nil {
		if isOwn, err = p.checkForm(r.Context(), cookie.Value, form.Get("form")); err != nil {
			p.showAway(w, err)
			return nil, false
		}
	}
	if !isOwn {
		fault := "This form is too old, or the browser does not store cookies of this page. " +
			"Go back and load the page again."
		p.showFault(w, http.StatusForbidden, fault)
		return nil, false
	}
	return form, true
}

func (p *Provider) showSignIn(
	w http.ResponseWriter, r *http.Request, status int, auth authorization, request, email, fault string,
) {
	target, err := loopbackRedirect(auth.redirect)
	if err != nil {
		fault := "The program that sent you here did not give a valid address to return to."
		p.showFault(w, http.StatusBadRequest, fault)
		return
	}
	p.showPage(w, status, "sign-in", target, formPage{
		Title: "Sign in", Fault: fault, Action: pathAuthorize, Form: p.sealForm(w, r),
		Client: auth.client, Email: email, Target: target.Host,
		Request: base64.RawURLEncoding.EncodeToString([]byte(request)),
	})
}

func (p *Provider) showDevice(w http.ResponseWriter, r *http.Request, status int, code, email, fault string) {
	if len(code) == userCodeLength {
		code = formatUserCode(code)
	}
	p.showPage(w, status, "device", nil, formPage{
		Title: "Sign a program in", Fault: fault, Action: pathDevice, Form: p.sealForm(w, r), Code: code, Email: email,
	})
}

func (p *Provider) showFault(w http.ResponseWriter, status int, fault string) {
	p.showPage(w, status, "fault", nil, formPage{Title: "This did not work", Fault: fault})
}

func (p *Provider) showPage(w http.ResponseWriter, status int, name string, target *url.URL, page formPage) {
	page.Style = template.CSS(style) //nolint:gosec // our own embedded file
	var text bytes.Buffer
	if err := p.pages.ExecuteTemplate(&text, name, page); err != nil {
		writeOAuthError(w, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", p.contentPolicy(target))
	h.Set("X-Frame-Options", "DENY")
	// With no-referrer, browsers would send the Origin "null" with our form.
	h.Set("Referrer-Policy", "same-origin")
	w.WriteHeader(status)
	_, _ = w.Write(text.Bytes())
}

// contentPolicy allows target, because browsers also apply form-action to redirects.
func (p *Provider) contentPolicy(target *url.URL) string {
	form := "'self'"
	if target != nil && strings.Contains(target.Host, "[") { // IPv6 addresses are invalid in a policy
		form += " http:"
	} else if target != nil {
		form += " http://" + target.Host
	}
	return "default-src 'none'; style-src 'sha256-" + p.styleHash + "'; form-action " + form +
		"; base-uri 'none'; frame-ancestors 'none'"
}
