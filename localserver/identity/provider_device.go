package identity

import (
	"crypto/rand"
	"errors"
	"net/http"
	"strings"
	"time"
)

// Limits of the device authorization grant (RFC 8628).
const (
	deviceLifetime     = 10 * time.Minute
	maxDevicesOfCaller = 50
	pollInterval       = 5 * time.Second
	// Clients poll exactly at the interval, but network delays vary.
	pollSlack = 200 * time.Millisecond
	slowDown  = 5 * time.Second // added to the interval after an early poll
	// Consonants form no words (RFC 8628 section 6.1).
	userCodeLetters = "BCDFGHJKLMNPQRSTVWXZ"
	userCodeLength  = 8
	maxGuesses      = 20 // wrong user codes within guessPause
	guessPause      = time.Minute
)

var errManyDevices error = &oauthError{
	Code:        "temporarily_unavailable",
	Description: "too many devices are waiting for their users: try again in a few minutes",
}

func (s *providerState) addDevice(
	caller, client, scope string, interval time.Duration,
) (secret, userCode string, err error) {
	s.forget(kindDevice, maxRecords)
	waiting, ofCaller := s.listByExpiry(kindDevice), 0
	for _, other := range waiting {
		if other.Caller == caller && !s.now.After(other.Expires) {
			ofCaller++
		}
	}
	if len(waiting) >= maxRecords || ofCaller >= maxDevicesOfCaller {
		return "", "", errManyDevices
	}
	secret, userCode = newSecret(), newUserCode()
	for s.findDevice(userCode) != nil {
		userCode = newUserCode()
	}
	s.put(record{
		Kind: kindDevice, ID: hashSecret(secret), UserCode: hashSecret(userCode), Caller: caller, Client: client,
		Scope: scope, Expires: s.now.Add(deviceLifetime), Interval: interval, Asked: s.now,
	})
	return secret, userCode, nil
}

func newUserCode() string {
	// Larger bytes are discarded. Otherwise some letters would be more probable.
	const limit = 256 / len(userCodeLetters) * len(userCodeLetters)
	var text strings.Builder
	for b := make([]byte, 1); text.Len() < userCodeLength; {
		_, _ = rand.Read(b)
		if int(b[0]) < limit {
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

func (s *providerState) findDevice(userCode string) *record {
	hash := hashSecret(userCode)
	for _, r := range s.records {
		if r.Kind == kindDevice && r.UserCode == hash {
			return &r
		}
	}
	return nil
}

var (
	errUnknownCode = errors.New("no device waits with this user code")
	errManyGuesses = errors.New("too many wrong user codes")
)

func (s *providerState) answerDevice(userCode, email string) error {
	guesses, ok := s.find(kindGuesses, "")
	if !ok || !s.now.Before(guesses.Expires) {
		guesses = record{Kind: kindGuesses, Expires: s.now.Add(guessPause)}
	}
	if guesses.Guesses >= maxGuesses {
		return errManyGuesses
	}
	device := s.findDevice(userCode)
	if device == nil || s.now.After(device.Expires) || device.Email != "" || device.Denied {
		guesses.Guesses++
		s.put(guesses)
		return errUnknownCode
	}
	device.Email, device.Denied = email, email == ""
	s.put(*device)
	return nil
}

func (s *providerState) pollDevice(secret, client string) (record, error) {
	stored, ok := s.find(kindDevice, hashSecret(secret))
	if !ok || stored.Client != client {
		return record{}, invalidGrant("the device code is unknown: start again")
	}
	early := s.now.Sub(stored.Asked) < stored.Interval-pollSlack
	stored.Asked = s.now
	if early && !s.now.After(stored.Expires) {
		stored.Interval += slowDown
	}
	s.put(stored)
	switch {
	case s.now.After(stored.Expires):
		return record{}, &oauthError{Code: "expired_token", Description: "nobody answered in time: start again"}
	case early:
		return record{}, &oauthError{Code: "slow_down", Description: "poll less often"}
	case stored.Denied:
		return record{}, &oauthError{Code: "access_denied", Description: "the user denied the request"}
	case stored.Email == "":
		return record{}, &oauthError{Code: "authorization_pending", Description: "the user has not answered yet"}
	}
	s.drop(kindDevice, stored.ID)
	return stored, nil
}

func (p *Provider) beginDevice(w http.ResponseWriter, r *http.Request) {
	form, err := clientForm(w, r)
	if err != nil {
		writeOAuthError(w, err)
		return
	}
	var secret, userCode string
	err = p.changeState(r.Context(), func(s *providerState) (err error) {
		client, scope := form.Get("client_id"), filterScope(form.Get("scope"))
		secret, userCode, err = s.addDevice(Network(r.Context()), client, scope, p.pollInterval)
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
		"expires_in":                int(deviceLifetime / time.Second), "interval": int(p.pollInterval / time.Second),
	})
}

func (p *Provider) serveDeviceForm(w http.ResponseWriter, r *http.Request) {
	code := normalizeUserCode(r.URL.Query().Get("user_code"))
	if len(code) != userCodeLength {
		code = ""
	}
	p.showDevice(w, r, http.StatusOK, code, "", "")
}

func (p *Provider) submitDevice(w http.ResponseWriter, r *http.Request) {
	form, ok := p.readOwnForm(w, r)
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
	err := p.changeState(r.Context(), func(s *providerState) error { return s.answerDevice(code, email) })
	switch {
	case errors.Is(err, errUnknownCode):
		fault := "No program is waiting with this code. Check the code, or start again in the program."
		p.showDevice(w, r, http.StatusUnprocessableEntity, code, form.Get("email"), fault)
	case errors.Is(err, errManyGuesses):
		p.showFault(w, http.StatusTooManyRequests, "Too many wrong codes were entered. Wait a minute, then try again.")
	case err != nil:
		p.showAway(w, err)
	default:
		p.showPage(w, http.StatusOK, "done", nil, formPage{Title: "Done", Email: email})
	}
}
