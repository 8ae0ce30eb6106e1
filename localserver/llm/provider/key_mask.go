package provider

import (
	"bytes"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/parley-npc/parley/localserver/llm"
)

const (
	// minKey is the shortest key that is masked, in bytes: shorter ones are words such as
	// "ollama", which servers without keys are given.
	minKey = 8
	// minPiece is the shortest piece of a key that is masked in an answer. In errors the limit is
	// shred, because they are not prose.
	minPiece = 12
	// minHeld is how many bytes of a possible key are given out before the rest is held
	// back until it is known what follows.
	minHeld = 4
)

// keyRing contains the keys in use: those of the operator, and those of callers during their calls.
// If a provider repeats one of them, a mask replaces it. A keyRing is safe for concurrent use.
type keyRing struct {
	own []string

	mu    sync.Mutex
	inUse map[string]int
}

// newKeyRing returns a ring with the operator's keys: those in the variables of the
// providers and in others.
func newKeyRing(env func(string) string, others ...string) *keyRing {
	ring := &keyRing{inUse: map[string]int{}}
	variables := slices.Clone(others)
	for _, p := range Providers {
		variables = append(variables, p.KeyVariables...)
	}
	for _, name := range variables {
		if key := strings.TrimSpace(env(name)); len(key) >= minKey && !slices.Contains(ring.own, key) {
			ring.own = append(ring.own, key)
		}
	}
	return ring
}

// borrow adds a key until release is called.
func (r *keyRing) borrow(key llm.Secret) (release func()) {
	text := key.Reveal()
	if len(text) < minKey {
		return func() {}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.inUse[text]++
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.inUse[text]--; r.inUse[text] == 0 {
			delete(r.inUse, text)
		}
	}
}

// keys returns the keys in use.
func (r *keyRing) keys() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := slices.Clone(r.own)
	return slices.AppendSeq(all, maps.Keys(r.inUse))
}

// formsOf returns the forms of a key in a text: verbatim, in a URL, in JSON.
func formsOf(key string) []string {
	return []string{key, url.PathEscape(key), url.QueryEscape(key), strings.ReplaceAll(key, "/", `\/`)}
}

// keyMask masks the keys in a text that arrives in pieces of any size: a key, and any run of
// minPiece or more bytes of one. The zero keyMask masks nothing.
type keyMask struct {
	// keys are the forms of all keys, separated by a byte that does not occur in texts; whole
	// contains each of them.
	keys  []byte
	whole map[string]bool
	// run is the end of the text that matches a part of keys, given how many of its bytes were
	// emitted.
	run   []byte
	given int
}

func newKeyMask(keys []string) keyMask {
	m := keyMask{whole: map[string]bool{}}
	for _, key := range keys {
		if len(key) < minKey {
			continue
		}
		for _, form := range formsOf(key) {
			m.whole[form] = true
		}
	}
	m.keys = []byte(strings.Join(slices.Sorted(maps.Keys(m.whole)), "\xff"))
	return m
}

// maskText masks the keys in a whole text.
func maskText(text string, keys []string) string {
	m := newKeyMask(keys)
	return m.filterPiece(text) + m.releaseHeld()
}

// filterPiece returns the part of a piece that may be emitted.
func (m *keyMask) filterPiece(delta string) string {
	if len(m.keys) == 0 {
		return delta
	}
	var out strings.Builder
	for i := range len(delta) {
		m.takeByte(delta[i], &out)
	}
	if len(m.run) < minHeld {
		out.Write(m.run[m.given:])
		m.given = len(m.run)
	}
	return out.String()
}

// releaseHeld returns the text that was held back until the end.
func (m *keyMask) releaseHeld() string {
	var out strings.Builder
	if m.showsKey(m.run) {
		out.WriteString(maskedKey)
	} else {
		out.Write(m.run[m.given:])
	}
	m.run, m.given = nil, 0
	return out.String()
}

// takeByte extends the run by a byte. If the run no longer matches, it is masked, or else its first
// bytes are emitted until the rest matches.
func (m *keyMask) takeByte(b byte, out *strings.Builder) {
	before := len(m.run)
	m.run = append(m.run, b)
	if !bytes.Contains(m.keys, m.run) && m.showsKey(m.run[:before]) {
		out.WriteString(maskedKey)
		m.run, m.given = m.run[before:], 0
	}
	for len(m.run) > 0 && !bytes.Contains(m.keys, m.run) {
		if m.given > 0 {
			m.given--
		} else {
			out.WriteByte(m.run[0])
		}
		m.run = m.run[1:]
	}
}

// showsKey reports whether a run is a key or too much of one.
func (m *keyMask) showsKey(run []byte) bool { return len(run) >= minPiece || m.whole[string(run)] }

// maskedError is an error with keys masked in its text. The wrapped error is only for errors.Is and
// errors.As.
type maskedError struct {
	text string
	err  error
}

func (e *maskedError) Error() string { return e.text }

func (e *maskedError) Unwrap() error { return e.err }

// maskError masks keys in the text of an error. It returns an error without keys unchanged.
func maskError(err error, keys []string) error {
	if err == nil {
		return nil
	}
	if masked := withoutKeys(err.Error(), keys); masked != err.Error() {
		return &maskedError{masked, err}
	}
	return err
}
