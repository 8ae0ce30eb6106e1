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

// The templates and the style sheet of the pages. The pages do not load anything and have no
// scripts.
var (
	//go:embed pages.html
	pageFiles embed.FS
	//go:embed pages.css
	style string
)

type formPage struct {
	Title string
	// Style is the embedded style sheet. It never contains a caller's input.
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

// formCookie is the name of the cookie that ties a form to a browser. The form contains a signature
// of the cookie. The signature is needed because other servers on this machine, with other ports,
// could set the cookie.
const formCookie = "parley_form"

func (p *Provider) sealForm(w http.ResponseWriter, r *http.Request) string {
	cookie, err := r.Cookie(formCookie)
	if err != nil || len(cookie.Value) != len(newSecret()) {
		cookie = &http.Cookie{Name: formCookie, Value: newSecret(), Path: "/oauth/", HttpOnly: true, SameSite: http.SameSiteStrictMode} //nolint:gosec // it listens by plain http, on this machine
		http.SetCookie(w, cookie)
	}
	form, err := p.signForm(cookie.Value)
	if err != nil { // Signing with an ES256 key does not fail.
		return ""
	}
	return form
}

// takeForm reads the form of a request. If the form is invalid or was not shown to this browser,
// takeForm writes an error page and returns false.
func (p *Provider) takeForm(w http.ResponseWriter, r *http.Request) (url.Values, bool) {
	form, err := readForm(w, r)
	if err != nil {
		p.showFault(w, http.StatusBadRequest, "The form is invalid. Go back and load the page again.")
		return nil, false
	}
	cookie, err := r.Cookie(formCookie)
	own := false
	if err == nil {
		if own, err = p.checkForm(r.Context(), cookie.Value, form.Get("form")); err != nil {
			p.showAway(w, err)
			return nil, false
		}
	}
	if !own {
		p.showFault(w, http.StatusForbidden, "This form is too old, or the browser does not store cookies of this page. Go back and load the page again.")
		return nil, false
	}
	return form, true
}

func (p *Provider) showSignIn(w http.ResponseWriter, r *http.Request, status int, a authorization, request, email, fault string) {
	target, err := loopbackRedirect(a.redirect)
	if err != nil {
		p.showFault(w, http.StatusBadRequest, "The program that sent you here did not give a valid address to return to.")
		return
	}
	p.showPage(w, status, "sign-in", target, formPage{
		Title: "Sign in", Fault: fault, Action: pathAuthorize, Form: p.sealForm(w, r), Client: a.client, Email: email, Target: target.Host,
		Request: base64.RawURLEncoding.EncodeToString([]byte(request)),
	})
}

func (p *Provider) showDevice(w http.ResponseWriter, r *http.Request, status int, code, email, fault string) {
	if len(code) == userCodeLength {
		code = formatUserCode(code)
	}
	p.showPage(w, status, "device", nil, formPage{Title: "Sign a program in", Fault: fault, Action: pathDevice, Form: p.sealForm(w, r), Code: code, Email: email})
}

func (p *Provider) showFault(w http.ResponseWriter, status int, fault string) {
	p.showPage(w, status, "fault", nil, formPage{Title: "This did not work", Fault: fault})
}

// showPage writes a page. If target is not nil, the form of the page may redirect to target.
func (p *Provider) showPage(w http.ResponseWriter, status int, name string, target *url.URL, with formPage) {
	with.Style = template.CSS(style) //nolint:gosec // our own embedded file
	var text bytes.Buffer
	if err := p.pages.ExecuteTemplate(&text, name, with); err != nil {
		writeOAuthError(w, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", p.contentPolicy(target))
	h.Set("X-Frame-Options", "DENY")
	// With no-referrer, browsers would send the Origin "null" when the user submits our form.
	h.Set("Referrer-Policy", "same-origin")
	w.WriteHeader(status)
	_, _ = w.Write(text.Bytes())
}

// contentPolicy returns a policy that prevents a page from loading or running anything. form-action
// contains the host of target, because browsers also check the redirects after a form is submitted.
func (p *Provider) contentPolicy(target *url.URL) string {
	form := "'self'"
	if target != nil && strings.Contains(target.Host, "[") { // A policy cannot contain an IPv6 address.
		form += " http:"
	} else if target != nil {
		form += " http://" + target.Host
	}
	return "default-src 'none'; style-src 'sha256-" + p.styleHash + "'; form-action " + form + "; base-uri 'none'; frame-ancestors 'none'"
}
