package identity

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

const (
	keysFresh    = time.Hour        // older keys are requested again, because keys may be withdrawn
	keysStale    = 24 * time.Hour   // older keys are not used, even if the provider does not respond
	refreshPause = 10 * time.Second // minimum time between two requests to the provider
	maxKeys      = 100
)

type keyList struct {
	list    []jose.JSONWebKey
	fetched time.Time
}

func (k *keyList) has(id string) bool {
	return slices.ContainsFunc(k.list, func(key jose.JSONWebKey) bool { return key.KeyID == id })
}

type keySet struct {
	address string
	client  *http.Client
	now     func() time.Time
	log     *slog.Logger
	current atomic.Pointer[keyList]
	// mu is locked during a request to the provider and guards lastRequest and failed.
	mu          sync.Mutex
	lastRequest time.Time
	failed      error
}

func openKeySet(ctx context.Context, client *http.Client, address string, options ExternalOptions) (*keySet, error) {
	s := &keySet{address: address, client: client, now: options.Now, log: options.Log}
	list, err := s.fetch(ctx)
	if err != nil {
		return nil, err
	}
	s.current.Store(&keyList{list: list, fetched: options.Now()})
	return s, nil
}

var (
	errNoKey = errors.New("the provider does not have the key")
	errStale = errors.New("the provider's keys are too old")
)

// verifyToken requests newer keys if no key matches. Within refreshPause, it returns an
// *Unavailable instead. If a known key has the token's key id, it returns an *InvalidToken.
func (s *keySet) verifyToken(ctx context.Context, token *jwt.JSONWebToken, dest ...any) error {
	old, err := s.recent(ctx)
	if err != nil {
		return err
	}
	err = old.verifyToken(token, dest)
	if err == nil || !errors.Is(err, errNoKey) {
		return explainUnknownKey(err)
	}
	s.mu.Lock()
	newer, failed := s.askProvider(ctx, old)
	s.mu.Unlock()
	unavailable, ok := errors.AsType[*Unavailable](failed)
	isRecent := ok && unavailable.Cause == nil
	if id := token.Headers[0].KeyID; isRecent && id != "" && old.has(id) {
		return explainUnknownKey(err)
	}
	if failed != nil {
		return failed
	}
	if newer != old {
		err = newer.verifyToken(token, dest)
	}
	return explainUnknownKey(err)
}

func explainUnknownKey(err error) error {
	if err == nil || !errors.Is(err, errNoKey) {
		return err
	}
	return &InvalidToken{Reason: "signed with a key that its provider does not have", Cause: err}
}

func (k *keyList) verifyToken(token *jwt.JSONWebToken, dest []any) error {
	header := token.Headers[0]
	for _, key := range k.list {
		if !canSign(key, header.KeyID, header.Algorithm) {
			continue
		}
		var verifier any = key
		if public, ok := key.Key.(ed25519.PublicKey); ok && header.Algorithm == string(algorithmEd25519) {
			verifier = ed25519Verifier(public)
		}
		err := token.Claims(verifier, dest...)
		if err == nil {
			return nil
		}
		if header.KeyID != "" || !errors.Is(err, jose.ErrCryptoFailure) {
			return explainSignature(err)
		}
	}
	return errNoKey
}

// recent returns keys that are at most keysStale old. Only one caller at a time requests newer
// keys. The other callers do not wait.
func (s *keySet) recent(ctx context.Context) (*keyList, error) {
	keys := s.current.Load()
	if s.now().Sub(keys.fetched) < keysFresh {
		return keys, nil
	}
	var failed error
	if s.mu.TryLock() {
		keys, failed = s.askProvider(ctx, keys)
		s.mu.Unlock()
	}
	if s.now().Sub(keys.fetched) > keysStale {
		return nil, &Unavailable{Cause: errors.Join(errStale, failed), RetryAfter: refreshPause}
	}
	return keys, nil
}

// askProvider returns newer keys than old, or an *Unavailable. Cause is nil if the last request
// succeeded within refreshPause. s.mu must be locked.
func (s *keySet) askProvider(ctx context.Context, old *keyList) (*keyList, error) {
	if current := s.current.Load(); current != old {
		return current, nil
	}
	now := s.now()
	if wait := refreshPause - now.Sub(s.lastRequest); wait > 0 {
		return old, &Unavailable{Cause: s.failed, RetryAfter: wait}
	}
	s.lastRequest, s.failed = now, nil
	// Other callers wait for this response too.
	list, err := s.fetch(context.WithoutCancel(ctx))
	if err != nil {
		s.log.LogAttrs(ctx, slog.LevelWarn, "requesting the identity provider's keys failed", slog.Any("error", err))
		s.failed = err
		return old, &Unavailable{Cause: err, RetryAfter: refreshPause}
	}
	newer := &keyList{list, now}
	s.current.Store(newer)
	return newer, nil
}

func (s *keySet) fetch(ctx context.Context) ([]jose.JSONWebKey, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := fetchJSON(ctx, s.client, s.address, &set); err != nil {
		return nil, err
	}
	list, faults := usableKeys(set.Keys)
	if len(list) > 0 {
		return list, nil
	}
	if len(faults) == 0 {
		faults = []error{errors.New("it contains no keys")}
	}
	names := make([]string, len(externalAlgorithms))
	for i, algorithm := range externalAlgorithms {
		names[i] = string(algorithm)
	}
	return nil, fmt.Errorf("no public key at %s can verify tokens with an accepted algorithm (%s): %w",
		s.address, strings.Join(names, ", "), errors.Join(faults...))
}
