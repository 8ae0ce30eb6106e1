package identity

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Limits of the device authorization grant (RFC 8628).
const (
	deviceLifetime = 10 * time.Minute
	// maxDevices is the maximum number of waiting devices. maxDevicesOfCaller is the maximum for
	// one caller.
	maxDevices         = 1000
	maxDevicesOfCaller = 50
	pollInterval       = 5 * time.Second
	// pollSlack is the tolerance for early polls. Clients poll exactly at the interval, but the
	// delay of the network varies.
	pollSlack = 200 * time.Millisecond
	// slowDown is added to the interval of a device that polls too often.
	slowDown = 5 * time.Second
	// userCodeLetters contains no vowels, so that codes are not words, and no characters that look
	// alike (RFC 8628 section 6.1).
	userCodeLetters = "BCDFGHJKLMNPQRSTVWXZ"
	userCodeLength  = 8
	// maxGuesses is the maximum number of wrong user codes in the time guessPause.
	maxGuesses = 20
	guessPause = time.Minute
)

// pendingDevice is a program that waits until its user has signed in.
type pendingDevice struct {
	client       string
	scope        string
	userCodeHash string
	// caller is the caller that started the grant, in the form that Network returns.
	caller   string
	expires  time.Time
	interval time.Duration
	asked    time.Time
	// email is the user who allowed the sign-in, or "". denied means that a user denied the
	// sign-in.
	email  string
	denied bool
}

// pendingDevices contains the waiting devices, by the hashes of their device codes. The devices are only in
// memory, because they expire after deviceLifetime.
type pendingDevices struct {
	now      func() time.Time
	interval time.Duration
	mu       sync.Mutex
	byHash   map[string]*pendingDevice
	guesses  int
	guessing time.Time
}

func newPendingDevices(now func() time.Time, interval time.Duration) *pendingDevices {
	if interval <= 0 {
		interval = pollInterval
	}
	return &pendingDevices{now: now, interval: interval, byHash: map[string]*pendingDevice{}}
}

var errManyDevices error = &oauthError{Code: "temporarily_unavailable", Description: "too many devices are waiting for their users: try again in a few minutes"}

func (d *pendingDevices) addDevice(caller, client, scope string) (secret, userCode string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now, ofCaller := d.now(), 0
	for hash, other := range d.byHash {
		switch {
		case now.After(other.expires.Add(deviceLifetime)): // Before that, a late poll gets the error that the code has expired.
			delete(d.byHash, hash)
		case other.caller == caller && !now.After(other.expires):
			ofCaller++
		}
	}
	if len(d.byHash) >= maxDevices || ofCaller >= maxDevicesOfCaller {
		return "", "", errManyDevices
	}
	secret, userCode = newSecret(), newUserCode()
	for d.findDevice(userCode) != nil {
		userCode = newUserCode()
	}
	d.byHash[hashSecret(secret)] = &pendingDevice{
		client: client, scope: scope, userCodeHash: hashSecret(userCode), caller: caller, expires: now.Add(deviceLifetime), interval: d.interval, asked: now,
	}
	return secret, userCode, nil
}

// newUserCode returns a random user code. It discards random bytes that would make some letters
// more probable than others.
func newUserCode() string {
	const whole = 256 / len(userCodeLetters) * len(userCodeLetters)
	var text strings.Builder
	for b := make([]byte, 1); text.Len() < userCodeLength; {
		// Since Go 1.24 this never fails.
		_, _ = rand.Read(b)
		if int(b[0]) < whole {
			text.WriteByte(userCodeLetters[int(b[0])%len(userCodeLetters)])
		}
	}
	return text.String()
}

func normalizeUserCode(typed string) string {
	return strings.Map(func(r rune) rune {
		if !strings.ContainsRune(userCodeLetters, r) {
			return -1
		}
		return r
	}, strings.ToUpper(typed[:min(len(typed), 100)]))
}

func formatUserCode(code string) string {
	return code[:len(code)/2] + "-" + code[len(code)/2:]
}

func (d *pendingDevices) findDevice(userCode string) *pendingDevice {
	hash := hashSecret(userCode)
	for _, waiting := range d.byHash {
		if waiting.userCodeHash == hash {
			return waiting
		}
	}
	return nil
}

type codeAnswer int

const (
	codeAccepted codeAnswer = iota
	codeUnknown
	codeTooManyGuesses
)

// answerDevice records whether a user approved the sign-in with a user code. That is possible once
// per code. email is "" if the user denied the sign-in.
func (d *pendingDevices) answerDevice(userCode, email string) codeAnswer {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.now()
	if now.Sub(d.guessing) >= guessPause {
		d.guesses, d.guessing = 0, now
	}
	if d.guesses >= maxGuesses {
		return codeTooManyGuesses
	}
	found := d.findDevice(userCode)
	if found == nil || now.After(found.expires) || found.email != "" || found.denied {
		d.guesses++
		return codeUnknown
	}
	found.email, found.denied = email, email == ""
	return codeAccepted
}

// pollDevice removes and returns a device if the user has allowed the sign-in, and otherwise returns an error
// with the state of the device.
func (d *pendingDevices) pollDevice(secret, client string) (pendingDevice, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	hash, now := hashSecret(secret), d.now()
	found, ok := d.byHash[hash]
	if !ok || found.client != client {
		return pendingDevice{}, invalidGrant("the device code is unknown: start again")
	}
	early := now.Sub(found.asked) < found.interval-pollSlack
	found.asked = now
	switch {
	case now.After(found.expires):
		return pendingDevice{}, &oauthError{Code: "expired_token", Description: "nobody answered in time: start again"}
	case early:
		found.interval += slowDown
		return pendingDevice{}, &oauthError{Code: "slow_down", Description: "poll less often"}
	case found.denied:
		return pendingDevice{}, &oauthError{Code: "access_denied", Description: "the user denied the request"}
	case found.email == "":
		return pendingDevice{}, &oauthError{Code: "authorization_pending", Description: "the user has not answered yet"}
	}
	delete(d.byHash, hash)
	return *found, nil
}

func (p *Provider) beginDevice(w http.ResponseWriter, r *http.Request) {
	form, err := clientForm(w, r)
	if err != nil {
		writeOAuthError(w, err)
		return
	}
	var secret, userCode string
	err = p.changeState(r.Context(), func(p *Provider) (err error) {
		secret, userCode, err = p.devices.addDevice(Network(r.Context()), form.Get("client_id"), filterScope(form.Get("scope")))
		return err
	})
	if err != nil {
		writeOAuthError(w, err)
		return
	}
	shown := formatUserCode(userCode)
	writeJSON(w, http.StatusOK, map[string]any{
		"device_code": secret, "user_code": shown, "verification_uri": p.issuer + pathDevice,
		"verification_uri_complete": p.issuer + pathDevice + "?user_code=" + shown,
		"expires_in":                int(deviceLifetime / time.Second), "interval": int(p.devices.interval / time.Second),
	})
}

func (p *Provider) exchangeDevice(form url.Values) (tokenAnswer, error) {
	allowed, err := p.devices.pollDevice(form.Get("device_code"), form.Get("client_id"))
	if err != nil {
		return tokenAnswer{}, err
	}
	return p.beginSignIn(grant{Client: allowed.client, Email: allowed.email, Scope: allowed.scope}, "")
}

func (p *Provider) askDevice(w http.ResponseWriter, r *http.Request) {
	code := normalizeUserCode(r.URL.Query().Get("user_code"))
	if len(code) != userCodeLength {
		code = ""
	}
	p.showDevice(w, r, http.StatusOK, code, "", "")
}

func (p *Provider) takeDevice(w http.ResponseWriter, r *http.Request) {
	form, ok := p.takeForm(w, r)
	if !ok {
		return
	}
	code, email := normalizeUserCode(form.Get("user_code")), ""
	if form.Get("answer") == "allow" {
		var err error
		if email, err = normalEmail(form.Get("email")); err != nil {
			p.showDevice(w, r, http.StatusUnprocessableEntity, code, form.Get("email"), badEmail)
			return
		}
	}
	var answer codeAnswer
	err := p.changeState(r.Context(), func(p *Provider) error {
		answer = p.devices.answerDevice(code, email)
		return nil
	})
	switch {
	case err != nil:
		p.showAway(w, err)
	case answer == codeUnknown:
		p.showDevice(w, r, http.StatusUnprocessableEntity, code, form.Get("email"), "No program is waiting with this code. Check the code, or start again in the program.")
	case answer == codeTooManyGuesses:
		p.showFault(w, http.StatusTooManyRequests, "Too many wrong codes were entered. Wait a minute, then try again.")
	default:
		p.showPage(w, http.StatusOK, "done", nil, formPage{Title: "Done", Email: email})
	}
}
