package identity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// How long the provider's keys are cached, and how often it is asked.
const (
	// keysFresh is the age at which the provider is asked again, so that a withdrawn key expires
	// here too.
	keysFresh = time.Hour
	// keysStale is how old they may get when it does not answer.
	keysStale = 24 * time.Hour
	// refreshPause is the least time between two questions, however many tokens
	// with unknown keys come.
	refreshPause = 10 * time.Second
	maxKeys      = 100
)

// keyList are the provider's public keys at one moment.
type keyList struct {
	list    []jose.JSONWebKey
	fetched time.Time
	// former are the ids of keys that were there before, the latest first.
	former []string
}

// newKeyList is the list that follows another one.
func newKeyList(list []jose.JSONWebKey, fetched time.Time, before *keyList) *keyList {
	k := &keyList{list: list, fetched: fetched}
	for i := range before.list {
		k.former = append(k.former, before.list[i].KeyID)
	}
	k.former = append(k.former, before.former...)
	k.former = k.former[:min(len(k.former), maxKeys)]
	return k
}

// hasSeen reports whether a key of that id is or was there.
func (k *keyList) hasSeen(id string) bool {
	return id != "" && (slices.Contains(k.former, id) || slices.ContainsFunc(k.list, func(key jose.JSONWebKey) bool { return key.KeyID == id }))
}

// keySet caches the provider's keys. It is safe for concurrent use, and a token with a known key
// never waits.
type keySet struct {
	address string
	client  *http.Client
	now     func() time.Time
	log     *slog.Logger
	current atomic.Pointer[keyList]
	// mu is held while the provider is asked; it guards asked and failed.
	mu     sync.Mutex
	asked  time.Time
	failed error
}

func openKeySet(ctx context.Context, client *http.Client, address string, o ExternalOptions) (*keySet, error) {
	s := &keySet{address: address, client: client, now: o.Now, log: o.Log}
	list, err := s.fetchKeys(ctx)
	if err != nil {
		return nil, err
	}
	s.current.Store(&keyList{list: list, fetched: o.Now()})
	return s, nil
}

var (
	errNoKey = errors.New("the provider has no such key")
	errStale = errors.New("the provider's keys are too old to be believed")
)

// verifyToken checks a token's signature and reads its claims. If the key is unknown, or the
// signature does not name a key and fits none, it asks the provider, because the keys may have
// changed. If the provider was asked a moment ago, the token may become valid soon, unless it names
// a known key.
func (s *keySet) verifyToken(ctx context.Context, token *jwt.JSONWebToken, into ...any) error {
	seen, err := s.recentKeys(ctx)
	if err != nil {
		return err
	}
	err = seen.verifyToken(token, into)
	if err == nil || !errors.Is(err, errNoKey) {
		return explainUnknownKey(err)
	}
	newer, failed := s.refreshKeys(ctx, seen)
	if away, ok := errors.AsType[*Unavailable](failed); ok && away.Cause == nil && seen.hasSeen(token.Headers[0].KeyID) {
		return explainUnknownKey(err)
	}
	if failed != nil {
		return failed
	}
	if newer != seen {
		err = newer.verifyToken(token, into)
	}
	return explainUnknownKey(err)
}

func explainUnknownKey(err error) error {
	if err == nil || !errors.Is(err, errNoKey) {
		return err
	}
	return &InvalidToken{Reason: "signed with a key that its provider does not have", Cause: err}
}

// verifyToken tries the keys that the token's header can mean.
func (k *keyList) verifyToken(token *jwt.JSONWebToken, into []any) error {
	header := token.Headers[0]
	for _, key := range k.list {
		if !canSign(key, header.KeyID, header.Algorithm) {
			continue
		}
		err := token.Claims(verifierOf(key, header.Algorithm), into...)
		if err == nil {
			return nil
		}
		if header.KeyID != "" || !errors.Is(err, jose.ErrCryptoFailure) {
			return explainSignature(err)
		}
	}
	return errNoKey
}

// recentKeys returns the keys, fresh ones if available. Only one caller waits for the provider; the
// others use the cached keys.
func (s *keySet) recentKeys(ctx context.Context) (*keyList, error) {
	seen := s.current.Load()
	if s.now().Sub(seen.fetched) < keysFresh {
		return seen, nil
	}
	var failed error
	if s.mu.TryLock() {
		seen, failed = s.askProvider(ctx, seen)
		s.mu.Unlock()
	}
	if s.now().Sub(seen.fetched) > keysStale {
		return nil, &Unavailable{Cause: errors.Join(errStale, failed), RetryAfter: refreshPause}
	}
	return seen, nil
}

// refreshKeys asks for newer keys than the seen ones. The error is an *Unavailable, without a cause
// if the provider was asked a moment ago.
func (s *keySet) refreshKeys(ctx context.Context, seen *keyList) (*keyList, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.askProvider(ctx, seen)
}

func (s *keySet) askProvider(ctx context.Context, seen *keyList) (*keyList, error) {
	if current := s.current.Load(); current != seen {
		return current, nil
	}
	now := s.now()
	if wait := refreshPause - now.Sub(s.asked); wait > 0 {
		return seen, &Unavailable{Cause: s.failed, RetryAfter: wait}
	}
	s.asked, s.failed = now, nil
	// Others wait for this answer too: it is not given up when this caller goes.
	list, err := s.fetchKeys(context.WithoutCancel(ctx))
	if err != nil {
		s.log.LogAttrs(ctx, slog.LevelWarn, "the identity provider does not give its keys", slog.Any("error", err))
		s.failed = err
		return seen, &Unavailable{Cause: err, RetryAfter: refreshPause}
	}
	newer := newKeyList(list, now, seen)
	s.current.Store(newer)
	return newer, nil
}

// fetchKeys reads the key set (RFC 7517). Keys that no token can be signed with are left
// out, as are secret ones.
func (s *keySet) fetchKeys(ctx context.Context) ([]jose.JSONWebKey, error) {
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
		faults = []error{errors.New("it holds none")}
	}
	return nil, fmt.Errorf("no public key at %s can sign a token that is accepted here (%s): %w", s.address, joinAlgorithms(), errors.Join(faults...))
}
