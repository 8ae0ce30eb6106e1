package identity

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// How long the provider's keys are believed, and how often it is asked.
const (
	// keysFresh is how old they get before the provider is asked again, so that a
	// key which it has withdrawn ends here too.
	keysFresh = time.Hour
	// keysStale is how old they may get when it does not answer.
	keysStale = 24 * time.Hour
	// refreshPause is the least time between two questions, however many tokens
	// with unknown keys come (docs/decisions/identity.md, provider-keys).
	refreshPause = 10 * time.Second
	maxKeys      = 100
	minRSABits   = 2048
)

// keyList are the provider's public keys at one moment.
type keyList struct {
	list    []jose.JSONWebKey
	fetched time.Time
}

// keySet follows the provider's keys. It is safe for concurrent use, and who
// brings a token with a known key waits for nobody.
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

// verifyToken checks a token's signature and reads its claims. A key that is not
// known, or a signature that names no key and fits none, makes it ask the
// provider: the keys may have changed.
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
		err := token.Claims(key, into...)
		if err == nil {
			return nil
		}
		if header.KeyID != "" || !errors.Is(err, jose.ErrCryptoFailure) {
			return explainSignature(err)
		}
	}
	return errNoKey
}

// canSign reports whether a key can have made a signature. The kind of the key
// counts, and not what the token says about it.
func canSign(key jose.JSONWebKey, id, algorithm string) bool {
	if id != "" && key.KeyID != id || key.Algorithm != "" && key.Algorithm != algorithm {
		return false
	}
	switch public := key.Key.(type) {
	case *rsa.PublicKey:
		return algorithm == string(jose.RS256) && public.N.BitLen() >= minRSABits
	case *ecdsa.PublicKey:
		return algorithm == string(jose.ES256) && public.Curve == elliptic.P256()
	case ed25519.PublicKey:
		return algorithm == string(jose.EdDSA)
	}
	return false
}

// recentKeys returns the keys, fresh ones where they are to be had. Only one
// caller waits for the provider, the others go on with what is there.
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
		return nil, &Unavailable{Cause: errors.Join(errStale, failed)}
	}
	return seen, nil
}

// refreshKeys asks for newer keys than the seen ones. It gives the seen ones
// when the provider was asked a moment ago.
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
	if now.Sub(s.asked) < refreshPause {
		return seen, s.failed
	}
	s.asked, s.failed = now, nil
	// Others wait for this answer too: it is not given up when this caller goes.
	list, err := s.fetchKeys(context.WithoutCancel(ctx))
	if err != nil {
		s.log.LogAttrs(ctx, slog.LevelWarn, "the identity provider does not give its keys", slog.Any("error", err))
		s.failed = &Unavailable{Cause: err}
		return seen, s.failed
	}
	newer := &keyList{list: list, fetched: now}
	s.current.Store(newer)
	return newer, nil
}

// fetchKeys reads the key set (RFC 7517). Keys of kinds that are not known here
// are left out, as are secret ones.
func (s *keySet) fetchKeys(ctx context.Context) ([]jose.JSONWebKey, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := fetchJSON(ctx, s.client, s.address, &set); err != nil {
		return nil, err
	}
	list := usableKeys(set.Keys)
	if len(list) == 0 {
		return nil, fmt.Errorf("%s holds no public key for %v", s.address, externalAlgorithms)
	}
	return list, nil
}

func usableKeys(set []json.RawMessage) []jose.JSONWebKey {
	var list []jose.JSONWebKey
	for _, raw := range set {
		var key jose.JSONWebKey
		if len(list) == maxKeys {
			break
		}
		if key.UnmarshalJSON(raw) == nil && key.IsPublic() && key.Valid() && key.Use != "enc" {
			list = append(list, key)
		}
	}
	return list
}
