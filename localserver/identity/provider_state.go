package identity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/atomicfile"
)

// providerState contains the sign-ins by id, and the waiting codes and devices by hash. now is the
// time of the current change.
type providerState struct {
	now     time.Time
	grants  map[string]grant
	codes   map[string]authCode
	devices map[string]pendingDevice
	wrong   map[string]wrongCodes // at most one element, with the key ""
}

func (s *providerState) clone(now time.Time) *providerState {
	return &providerState{now, maps.Clone(s.grants), maps.Clone(s.codes), maps.Clone(s.devices), maps.Clone(s.wrong)}
}

// readState reads the sign-ins from a file. The file does not contain codes and devices, because
// they expire soon.
func readState(path string) (providerState, error) {
	s := providerState{grants: map[string]grant{}, codes: map[string]authCode{}, devices: map[string]pendingDevice{}, wrong: map[string]wrongCodes{}}
	data, err := atomicfile.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, fmt.Errorf("sign-ins of the development provider: %w", err)
	}
	var list []grant
	if json.Unmarshal(data, &list) != nil {
		return s, fmt.Errorf("%s is damaged: remove it, then everybody must sign in again", path)
	}
	for _, kept := range list {
		s.grants[kept.ID] = kept
	}
	return s, nil
}

// changeState runs work on a copy of the state and stores the copy. It also stores the copy if work
// returns an oauthError, because a code is used up even if the proof for it was wrong.
func (p *Provider) changeState(ctx context.Context, work func(*providerState) error) error {
	if p.records != nil {
		return p.changeShared(ctx, work)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	next := p.state.clone(p.now())
	refused := work(next)
	if !maps.Equal(next.grants, p.state.grants) {
		data, err := json.MarshalIndent(slices.Collect(maps.Values(next.grants)), "", "  ")
		if err == nil {
			err = writePrivate(p.path, data, atomicfile.Write)
		}
		if err != nil {
			return fmt.Errorf("store the sign-ins: %w", err)
		}
	}
	p.state = *next
	return refused
}

func (p *Provider) changeShared(ctx context.Context, work func(*providerState) error) (refused error) {
	err := p.records.Write(ctx, func(set *store.RecordSet) error {
		before, err := loadState(set)
		if err != nil {
			return err
		}
		after := before.clone(p.now())
		refused = work(after)
		return errors.Join(
			saveKind(set, kindGrant, before.grants, after.grants, func(g grant) time.Time { return g.Expires }),
			saveKind(set, kindCode, before.codes, after.codes, func(c authCode) time.Time { return c.Expires }),
			saveKind(set, kindDevice, before.devices, after.devices, func(d pendingDevice) time.Time { return d.Expires.Add(deviceLifetime) }),
			saveKind(set, kindGuesses, before.wrong, after.wrong, func(w wrongCodes) time.Time { return w.Since.Add(guessPause) }),
		)
	})
	if err != nil {
		return explainRecords(err)
	}
	return refused
}

// loadState reads all records. There are few, because a development provider has few users.
func loadState(set *store.RecordSet) (s providerState, err error) {
	var errs [4]error
	s.grants, errs[0] = loadKind[grant](set, kindGrant)
	s.codes, errs[1] = loadKind[authCode](set, kindCode)
	s.devices, errs[2] = loadKind[pendingDevice](set, kindDevice)
	s.wrong, errs[3] = loadKind[wrongCodes](set, kindGuesses)
	return s, errors.Join(errs[:]...)
}

func loadKind[T any](set *store.RecordSet, kind string) (map[string]T, error) {
	contents, err := set.List(kind)
	values := make(map[string]T, len(contents))
	for id, content := range contents {
		var value T
		if json.Unmarshal([]byte(content), &value) == nil {
			values[id] = value
		}
	}
	return values, err
}

func saveKind[T comparable](set *store.RecordSet, kind string, before, after map[string]T, expires func(T) time.Time) error {
	changed := false
	for id, value := range after {
		old, found := before[id]
		if found && old == value {
			continue
		}
		content, err := json.Marshal(value)
		if err != nil {
			return err
		}
		keep := set.Keep
		if found {
			keep = set.Replace
		}
		changed = true
		if err := keep(kind, id, string(content), expires(value)); err != nil {
			return err
		}
	}
	for id := range before {
		if _, ok := after[id]; ok {
			continue
		}
		if err := set.Drop(kind, id); err != nil {
			return err
		}
	}
	if !changed {
		return nil
	}
	return set.Forget(kind, maxGrants)
}

const (
	kindGrant   = "sign-in"
	kindCode    = "code"
	kindDevice  = "device"
	kindGuesses = "guesses"
	kindKey     = "key"
)

// Lifetime and maximum number of the servers' public keys. A server may renew its key late, so the
// lifetime is one day longer than that of the token in the sign-in file.
const (
	keyLifetime = 8 * 24 * time.Hour
	maxNodeKeys = 100
)

// keyRecord is public. The private key is only in the data folder of the server.
type keyRecord struct {
	Key    jose.JSONWebKey `json:"key"`
	Issuer string          `json:"issuer"`
}

// ShareRecords makes the provider store its state and its public key in records that several
// servers share. It must be called before the first request.
func (p *Provider) ShareRecords(ctx context.Context, records *store.ProviderRecords) error {
	p.records = records
	return p.RenewKey(ctx)
}

// RenewKey extends the lifetime of this server's public key, so that other servers continue to
// accept its tokens. It must be called once a day. It does nothing for a single server.
func (p *Provider) RenewKey(ctx context.Context) error {
	if p.records == nil {
		return nil
	}
	content, err := json.Marshal(keyRecord{p.key.Public(), p.issuer})
	if err != nil {
		return err
	}
	return explainRecords(p.records.Write(ctx, func(set *store.RecordSet) error {
		err := set.Keep(kindKey, p.key.KeyID, string(content), p.now().Add(keyLifetime))
		return errors.Join(err, set.Forget(kindKey, maxNodeKeys))
	}))
}

// recordsRetry is the time after which a client should repeat a request that failed because the
// database did not answer.
const recordsRetry = time.Second

func explainRecords(err error) error {
	if reason := store.ExplainUnkept(err); reason != "" {
		return &Unavailable{Reason: reason, Cause: err, RetryAfter: recordsRetry}
	}
	return err
}

// findRecord reads a record into a value. It returns false if the record does not exist.
func (p *Provider) findRecord(ctx context.Context, kind, id string, into any) (bool, error) {
	var content string
	err := p.records.Read(ctx, func(set *store.RecordSet) (err error) {
		content, err = set.Find(kind, id)
		return err
	})
	if err != nil || content == "" {
		return false, explainRecords(err)
	}
	return true, json.Unmarshal([]byte(content), into)
}

func (p *Provider) findKey(ctx context.Context, id string) (found keyRecord, ok bool, err error) {
	if id == p.key.KeyID {
		return keyRecord{p.key.Public(), p.issuer}, true, nil
	}
	if p.records == nil {
		return keyRecord{}, false, nil
	}
	ok, err = p.findRecord(ctx, kindKey, id, &found)
	return found, ok, err
}

// listKeys returns the keys of all servers, in the same order on each server.
func (p *Provider) listKeys(ctx context.Context) (jose.JSONWebKeySet, error) {
	keys := jose.JSONWebKeySet{Keys: []jose.JSONWebKey{p.key.Public()}}
	if p.records == nil {
		return keys, nil
	}
	err := p.records.Read(ctx, func(set *store.RecordSet) error {
		kept, err := loadKind[keyRecord](set, kindKey)
		for id, other := range kept {
			if id != p.key.KeyID {
				keys.Keys = append(keys.Keys, other.Key)
			}
		}
		return err
	})
	slices.SortFunc(keys.Keys, func(a, b jose.JSONWebKey) int { return strings.Compare(a.KeyID, b.KeyID) })
	return keys, explainRecords(err)
}

// verifyAnyToken verifies a token of any server. It reads the servers' keys each time, so that a
// removed key is rejected at once.
func (p *Provider) verifyAnyToken(ctx context.Context, raw string) (user User, signIn string, err error) {
	token, err := parseToken(raw, jose.ES256)
	if err != nil {
		return User{}, "", err
	}
	signer, ok, err := p.findKey(ctx, token.Headers[0].KeyID)
	if err != nil {
		return User{}, "", err
	}
	if !ok {
		return User{}, "", &InvalidToken{Reason: "signed with another key"}
	}
	return (&Dev{key: signer.Key, now: p.now}).verifyToken(raw, devIssuer, signer.Issuer)
}

func (p *Provider) isSignedIn(ctx context.Context, id string) (ok bool, err error) {
	var found grant
	if p.records != nil {
		ok, err = p.findRecord(ctx, kindGrant, id, &found)
	} else {
		p.mu.Lock()
		found, ok = p.state.grants[id]
		p.mu.Unlock()
	}
	return ok && p.now().Before(found.Expires), err
}

func (p *Provider) signForm(cookie string) (string, error) {
	options := (&jose.SignerOptions{}).WithType("parley-form")
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: p.key}, options)
	if err != nil {
		return "", err
	}
	signed, err := signer.Sign(formText(cookie))
	if err != nil {
		return "", err
	}
	return signed.CompactSerialize()
}

// formText returns the text that is signed for a cookie. The text is not JSON, so the signature of
// a form is never a valid token.
func formText(cookie string) []byte { return append([]byte("form of "), cookie...) }

func (p *Provider) checkForm(ctx context.Context, cookie, form string) (bool, error) {
	signed, err := jose.ParseSignedCompact(form, []jose.SignatureAlgorithm{jose.ES256})
	if err != nil {
		return false, nil //nolint:nilerr // a malformed form has no valid signature
	}
	signer, ok, err := p.findKey(ctx, signed.Signatures[0].Header.KeyID)
	if err != nil || !ok {
		return false, err
	}
	text, err := signed.Verify(signer.Key)
	return err == nil && string(text) == string(formText(cookie)), nil
}
