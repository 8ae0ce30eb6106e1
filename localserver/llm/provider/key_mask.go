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
	// A shorter key is usually an ordinary word, such as "ollama".
	minKey   = 8
	minPiece = 12
	minHeld  = 4
)

type keyRing struct {
	ownKeys []string

	mu    sync.Mutex
	inUse map[string]int
}

func newKeyRing(env func(string) string, others ...string) *keyRing {
	ring := &keyRing{inUse: map[string]int{}}
	variables := slices.Clone(others)
	for _, provider := range Providers {
		variables = append(variables, provider.KeyVariables...)
	}
	for _, name := range variables {
		if key := strings.TrimSpace(env(name)); len(key) >= minKey && !slices.Contains(ring.ownKeys, key) {
			ring.ownKeys = append(ring.ownKeys, key)
		}
	}
	return ring
}

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

func (r *keyRing) keys() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := slices.Clone(r.ownKeys)
	return slices.AppendSeq(all, maps.Keys(r.inUse))
}

func formsOf(key string) []string {
	return []string{key, url.PathEscape(key), url.QueryEscape(key), strings.ReplaceAll(key, "/", `\/`)}
}

type keyMask struct {
	keys    []byte
	forms   map[string]bool
	run     []byte
	emitted int
}

func newKeyMask(keys []string) keyMask {
	m := keyMask{forms: map[string]bool{}}
	for _, key := range keys {
		if len(key) < minKey {
			continue
		}
		for _, form := range formsOf(key) {
			m.forms[form] = true
		}
	}
	m.keys = []byte(strings.Join(slices.Sorted(maps.Keys(m.forms)), "\xff"))
	return m
}

func (m *keyMask) filterPiece(delta string) string {
	if len(m.keys) == 0 {
		return delta
	}
	var out strings.Builder
	for i := range len(delta) {
		m.takeByte(delta[i], &out)
	}
	if len(m.run) < minHeld {
		out.Write(m.run[m.emitted:])
		m.emitted = len(m.run)
	}
	return out.String()
}

func (m *keyMask) releaseHeld() string {
	var out strings.Builder
	if m.showsKey(m.run) {
		out.WriteString(maskedKey)
	} else {
		out.Write(m.run[m.emitted:])
	}
	m.run, m.emitted = nil, 0
	return out.String()
}

func (m *keyMask) takeByte(b byte, out *strings.Builder) {
	before := len(m.run)
	m.run = append(m.run, b)
	if !bytes.Contains(m.keys, m.run) && m.showsKey(m.run[:before]) {
		out.WriteString(maskedKey)
		m.run, m.emitted = m.run[before:], 0
	}
	for len(m.run) > 0 && !bytes.Contains(m.keys, m.run) {
		if m.emitted > 0 {
			m.emitted--
		} else {
			out.WriteByte(m.run[0])
		}
		m.run = m.run[1:]
	}
}

func (m *keyMask) showsKey(run []byte) bool { return len(run) >= minPiece || m.forms[string(run)] }

type maskedError struct {
	text string
	err  error
}

func (e *maskedError) Error() string { return e.text }

func (e *maskedError) Unwrap() error { return e.err }

func maskError(err error, keys []string) error {
	if err == nil {
		return nil
	}
	if masked := withoutKeys(err.Error(), keys); masked != err.Error() {
		return &maskedError{masked, err}
	}
	return err
}
