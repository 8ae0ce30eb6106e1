package settings

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/zalando/go-keyring"
)

// A Keyring stores secrets. Get and Delete return ErrNoSecret for a missing secret.
type Keyring interface {
	Get(name string) (string, error)
	Set(name, secret string) error
	Delete(name string) error
}

// ErrNoSecret means that no secret is stored under a name.
var ErrNoSecret = errors.New("no secret is stored")

const keyringService = "parley"

type systemKeyring struct {
	lookup func(string) (string, bool)
}

// SystemKeyring returns the keyring of the system. Calls may hang (see BoundWaits).
func SystemKeyring(lookup func(string) (string, bool)) Keyring { return systemKeyring{lookup} }

func (k systemKeyring) Get(name string) (string, error) {
	if !hasBus(k.lookup) {
		return "", ErrNoKeyring
	}
	secret, err := keyring.Get(keyringService, name)
	return secret, mapNotFound(err)
}

func (k systemKeyring) Set(name, secret string) error {
	if !hasBus(k.lookup) {
		return ErrNoKeyring
	}
	return keyring.Set(keyringService, name, secret)
}

func (k systemKeyring) Delete(name string) error {
	if !hasBus(k.lookup) {
		return ErrNoKeyring
	}
	return mapNotFound(keyring.Delete(keyringService, name))
}

func mapNotFound(err error) error {
	if errors.Is(err, keyring.ErrNotFound) {
		return ErrNoSecret
	}
	return err
}

// KeyringTimeout is the timeout for one call of the system's keyring.
const KeyringTimeout = 3 * time.Second

// A KeyringError means that the keyring cannot be used.
type KeyringError struct {
	// After is the expired timeout, or 0.
	After time.Duration
	Err   error
}

func (k *KeyringError) Error() string {
	if k.After > 0 {
		return fmt.Sprintf("the system's keyring does not answer within %s: "+
			"it may be locked and waiting for its password", k.After)
	}
	return "the system's keyring cannot be used: " + k.Err.Error()
}

func (k *KeyringError) Unwrap() error { return k.Err }

type patientKeyring struct {
	inner Keyring
	wait  time.Duration
}

// BoundWaits returns a keyring with a timeout for each call. The errors are ErrNoSecret and
// *KeyringError. A hanging call continues in the background.
func BoundWaits(inner Keyring, wait time.Duration) Keyring { return patientKeyring{inner, wait} }

func (p patientKeyring) Get(name string) (string, error) {
	return p.callWithin(func() (string, error) { return p.inner.Get(name) })
}

func (p patientKeyring) Set(name, secret string) error {
	_, err := p.callWithin(func() (string, error) { return "", p.inner.Set(name, secret) })
	return err
}

func (p patientKeyring) Delete(name string) error {
	_, err := p.callWithin(func() (string, error) { return "", p.inner.Delete(name) })
	return err
}

func (p patientKeyring) callWithin(call func() (string, error)) (string, error) {
	type result struct {
		secret string
		err    error
	}
	done := make(chan result, 1)
	go func() {
		secret, err := callWithRecover(call)
		done <- result{secret, err}
	}()
	timer := time.NewTimer(p.wait)
	defer timer.Stop()
	select {
	case r := <-done:
		if r.err != nil && !errors.Is(r.err, ErrNoSecret) {
			return "", &KeyringError{Err: r.err}
		}
		return r.secret, r.err
	case <-timer.C:
		return "", &KeyringError{After: p.wait, Err: errors.New("no answer")}
	}
}

// callWithRecover is needed because the keyring library panics on invalid answers.
func callWithRecover(call func() (string, error)) (secret string, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("its answer is invalid: %v", fault)
		}
	}()
	return call()
}

// maxItem is a number of bytes. Windows allows 2560 per item, and macOS about 3000 with the names.
const maxItem = 2000

// splitKeyring stores a long secret in parts. The head names the other parts and is written last.
type splitKeyring struct{ inner Keyring }

// SplitSecrets returns a keyring for secrets of any length.
func SplitSecrets(inner Keyring) Keyring { return splitKeyring{inner} }

type itemHead struct {
	parts int
	mark  string
	sum   string
	text  string
}

func (h itemHead) String() string {
	return fmt.Sprintf("parley1 %d %s %s\n%s", h.parts, h.mark, h.sum, h.text)
}

func parseHead(item string) (itemHead, error) {
	line, text, _ := strings.Cut(item, "\n")
	words := strings.Fields(line)
	if len(words) != 4 || words[0] != "parley1" {
		return itemHead{}, errDamaged
	}
	parts, err := strconv.Atoi(words[1])
	if err != nil || parts < 0 || parts > 100 {
		return itemHead{}, errDamaged
	}
	return itemHead{parts: parts, mark: words[2], sum: words[3], text: text}, nil
}

var errDamaged = errors.New("the item in the keyring was changed or damaged: sign in again")

func (h itemHead) partName(name string, i int) string {
	return fmt.Sprintf("%s #%s.%d", name, h.mark, i)
}

func sumOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:8])
}

// Get reads twice, because another process may replace the parts during the first read.
func (s splitKeyring) Get(name string) (string, error) {
	secret, err := s.readParts(name)
	if errors.Is(err, errDamaged) {
		secret, err = s.readParts(name)
	}
	return secret, err
}

func (s splitKeyring) readParts(name string) (string, error) {
	item, err := s.inner.Get(name)
	if err != nil {
		return "", err
	}
	head, err := parseHead(item)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	text.WriteString(head.text)
	for i := range head.parts {
		part, err := s.inner.Get(head.partName(name, i+1))
		if errors.Is(err, ErrNoSecret) {
			return "", errDamaged
		}
		if err != nil {
			return "", err
		}
		text.WriteString(part)
	}
	if sumOf(text.String()) != head.sum {
		return "", errDamaged
	}
	return text.String(), nil
}

func (s splitKeyring) Set(name, secret string) error {
	before, found := s.headOf(name)
	h := itemHead{mark: rand.Text()[:6], sum: sumOf(secret)}
	h.text = secret[:min(len(secret), maxItem)]
	rest := secret[len(h.text):]
	for ; rest != ""; h.parts++ {
		part := rest[:min(len(rest), maxItem)]
		if err := s.inner.Set(h.partName(name, h.parts+1), part); err != nil {
			return err
		}
		rest = rest[len(part):]
	}
	if err := s.inner.Set(name, h.String()); err != nil {
		return err
	}
	if found {
		_ = s.deleteParts(name, before)
	}
	return nil
}

func (s splitKeyring) headOf(name string) (itemHead, bool) {
	item, err := s.inner.Get(name)
	if err != nil {
		return itemHead{}, false
	}
	h, err := parseHead(item)
	return h, err == nil
}

func (s splitKeyring) deleteParts(name string, h itemHead) error {
	var errs []error
	for i := range h.parts {
		if err := s.inner.Delete(h.partName(name, i+1)); err != nil && !errors.Is(err, ErrNoSecret) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (s splitKeyring) Delete(name string) error {
	h, found := s.headOf(name)
	if err := s.inner.Delete(name); err != nil {
		return err
	}
	if found {
		return s.deleteParts(name, h)
	}
	return nil
}

// ErrNoKeyring means that the system has no keyring.
var ErrNoKeyring = errors.New("no session bus is running")

// hasBus prevents the keyring library from starting a bus that would keep running.
func hasBus(lookup func(string) (string, bool)) bool {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return true
	}
	if address, _ := lookup("DBUS_SESSION_BUS_ADDRESS"); address != "" && address != "autolaunch:" {
		return true
	}
	folder := filepath.Join("/run/user", strconv.Itoa(os.Getuid()))
	for _, name := range []string{"bus", "dbus-session"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
			return true
		}
	}
	return false
}
