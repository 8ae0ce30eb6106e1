package identity

import (
	"crypto/rand"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// The device authorization grant (RFC 8628).
const (
	deviceLifetime = 10 * time.Minute
	// maxDevices and maxDevicesOfCaller bound the waiting devices of all callers and of one
	// address.
	maxDevices         = 1000
	maxDevicesOfCaller = 50
	pollInterval       = 5 * time.Second
	// pollSlack is the tolerance for early polls: clients poll exactly at the interval, and clocks
	// and networks jitter.
	pollSlack = 200 * time.Millisecond
	// slowDown is the increase of the interval for a device that polls too often.
	slowDown = 5 * time.Second
	// userCodeLetters contain neither vowels, so that they do not form words, nor similar-looking
	// characters (RFC 8628 section 6.1).
	userCodeLetters = "BCDFGHJKLMNPQRSTVWXZ"
	userCodeLength  = 8
	// maxGuesses are the wrong user codes that are taken in one guessPause.
	maxGuesses = 20
	guessPause = time.Minute
)

// pendingDevice is a program that waits for its user.
type pendingDevice struct {
	client string
	scope  string
	// userCodeHash is the hash of the code that the user types.
	userCodeHash string
	// caller is the address that began it, as request.Network names it.
	caller   string
	expires  time.Time
	interval time.Duration
	asked    time.Time
	// email is the user who allowed it; denied means that a user refused.
	email  string
	denied bool
}

// pendingDevices are kept in memory: they live for ten minutes. At most maxDevices
// wait, maxDevicesOfCaller of one address; past that new ones are refused.
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

var errManyDevices error = &oauthError{Code: "temporarily_unavailable", Description: "too many devices wait for their users: try again in a few minutes"}

// addDevice makes the two codes of a new device that a caller has begun.
func (d *pendingDevices) addDevice(caller, client, scope string) (secret, userCode string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.now()
	if d.forgetExpired(now); len(d.byHash) >= maxDevices || d.countWaiting(caller, now) >= maxDevicesOfCaller {
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

// forgetExpired removes devices some time after they expire. Until then a late poll gets the answer
// that the code has expired.
func (d *pendingDevices) forgetExpired(now time.Time) {
	maps.DeleteFunc(d.byHash, func(_ string, of *pendingDevice) bool { return now.After(of.expires.Add(deviceLifetime)) })
}

// countWaiting counts the devices of a caller that wait.
func (d *pendingDevices) countWaiting(caller string, now time.Time) int {
	n := 0
	for _, waiting := range d.byHash {
		if waiting.caller == caller && !now.After(waiting.expires) {
			n++
		}
	}
	return n
}

// newUserCode draws letters without favouring any: bytes past the last whole
// round of the alphabet are drawn again.
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

// normalizeUserCode returns a typed user code without insignificant characters.
func normalizeUserCode(typed string) string {
	return strings.Map(func(r rune) rune {
		if !strings.ContainsRune(userCodeLetters, r) {
			return -1
		}
		return r
	}, strings.ToUpper(typed[:min(len(typed), 100)]))
}

// formatUserCode returns a user code in two groups.
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

// codeAnswer is the result of entering a user's code.
type codeAnswer int

const (
	codeAccepted codeAnswer = iota
	codeUnknown
	codeTooManyGuesses
)

// answerDevice keeps a user's answer; email is "" for no. A code can be
// answered once.
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

// pollDevice returns whether a device's user has answered. It returns a positive answer only once.
func (d *pendingDevices) pollDevice(secret, client string) (pendingDevice, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	hash, now := hashSecret(secret), d.now()
	found, ok := d.byHash[hash]
	if !ok || found.client != client {
		return pendingDevice{}, invalidGrant("the device code is unknown: begin again")
	}
	early := now.Sub(found.asked) < found.interval-pollSlack
	found.asked = now
	switch {
	case now.After(found.expires):
		return pendingDevice{}, &oauthError{Code: "expired_token", Description: "nobody answered in time: begin again"}
	case early:
		found.interval += slowDown
		return pendingDevice{}, &oauthError{Code: "slow_down", Description: "ask less often"}
	case found.denied:
		return pendingDevice{}, &oauthError{Code: "access_denied", Description: "the user said no"}
	case found.email == "":
		return pendingDevice{}, &oauthError{Code: "authorization_pending", Description: "the user has not answered yet"}
	}
	delete(d.byHash, hash)
	return *found, nil
}

// beginDevice is the device authorization endpoint.
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

// askDevice shows the page on which a user lets a device in.
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
		p.showDevice(w, r, http.StatusUnprocessableEntity, code, form.Get("email"), "No program waits under this code. Look at it again, or begin again there.")
	case answer == codeTooManyGuesses:
		p.showFault(w, http.StatusTooManyRequests, "Too many wrong codes were typed. Wait a minute, then try again.")
	default:
		p.showDone(w, email)
	}
}
