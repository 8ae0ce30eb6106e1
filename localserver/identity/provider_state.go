package identity

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/atomicfile"
)

const (
	kindSignIn  = ""
	kindCode    = "code"
	kindDevice  = "device"
	kindGuesses = "guesses"
)

const (
	signInsFile = "dev-signins.json"
	maxRecords  = 1000 // of a kind
)

type record struct {
	Kind string `json:"kind,omitempty"`
	// ID is the SHA-256 of the secret for a code or a device.
	ID       string    `json:"id"`
	Client   string    `json:"client_id"`
	Email    string    `json:"email"` // empty for a device without consent
	Scope    string    `json:"scope"`
	SignedIn time.Time `json:"signed_in_at,omitzero"`
	Expires  time.Time `json:"expires_at"`
	// Hash is the SHA-256 of the newest refresh token. Each use replaces the token.
	Hash string `json:"token_sha256,omitempty"`
	// Code is the SHA-256 of the authorization code of a sign-in. A second use of the code ends the
	// sign-in.
	Code string `json:"code_sha256,omitempty"`

	Redirect  string `json:"redirect_uri,omitempty"`
	Challenge string `json:"code_challenge,omitempty"`
	Nonce     string `json:"nonce,omitempty"`

	UserCode string        `json:"user_code_sha256,omitempty"`
	Caller   string        `json:"caller,omitempty"` // result of Network
	Interval time.Duration `json:"interval,omitempty"`
	Asked    time.Time     `json:"asked_at,omitzero"`
	Denied   bool          `json:"denied,omitempty"`

	Guesses int `json:"guesses,omitempty"`
}

func (r *record) forgetAt() time.Time {
	if r.Kind == kindDevice { // a late poll gets the error expired_token
		return r.Expires.Add(deviceLifetime)
	}
	return r.Expires
}

type providerState struct {
	now     time.Time
	records []record
}

func (s *providerState) indexOf(kind, id string) int {
	return slices.IndexFunc(s.records, func(r record) bool { return r.Kind == kind && r.ID == id })
}

func (s *providerState) find(kind, id string) (r record, ok bool) {
	if i := s.indexOf(kind, id); i >= 0 {
		return s.records[i], true
	}
	return record{}, false
}

func (s *providerState) put(r record) {
	if i := s.indexOf(r.Kind, r.ID); i >= 0 {
		s.records[i] = r
		return
	}
	s.records = append(s.records, r)
}

func (s *providerState) drop(kind, id string) {
	s.records = slices.DeleteFunc(s.records, func(r record) bool { return r.Kind == kind && r.ID == id })
}

func (s *providerState) listByExpiry(kind string) []record {
	list := slices.DeleteFunc(slices.Clone(s.records), func(r record) bool { return r.Kind != kind })
	slices.SortFunc(list, func(a, b record) int {
		return cmp.Or(a.Expires.Compare(b.Expires), a.SignedIn.Compare(b.SignedIn))
	})
	return list
}

func (s *providerState) forget(kind string, maxCount int) {
	list := s.listByExpiry(kind)
	for i := range list {
		if len(list)-i > maxCount || !s.now.Before(list[i].forgetAt()) {
			s.drop(kind, list[i].ID)
		}
	}
}

func newSecret() string { return rand.Text() }

func hashSecret(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

func readSignIns(path string) (list []record, err error) {
	data, err := atomicfile.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("sign-ins of the development provider: %w", err)
	}
	if json.Unmarshal(data, &list) != nil {
		return nil, fmt.Errorf("%s is damaged: remove it, then everybody must sign in again", path)
	}
	return list, nil
}

// changeState runs change on a copy of the state. It also stores the copy after an error of change,
// because a wrong proof uses up a code.
func (p *Provider) changeState(ctx context.Context, change func(*providerState) error) error {
	if p.records != nil {
		return p.changeShared(ctx, change)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	next := &providerState{p.now(), slices.Clone(p.state.records)}
	refused := change(next)
	if list := next.listByExpiry(kindSignIn); !slices.Equal(list, p.state.listByExpiry(kindSignIn)) {
		data, err := json.MarshalIndent(list, "", "  ")
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

const (
	sharedState = "state"
	sharedKey   = "key" // contains a keyRecord
)

func (p *Provider) changeShared(ctx context.Context, change func(*providerState) error) (refused error) {
	err := p.records.Write(ctx, func(set *store.RecordSet) error {
		before, err := set.Find(sharedState, "")
		if err != nil {
			return err
		}
		state := &providerState{now: p.now()}
		if before != "" {
			if err := json.Unmarshal([]byte(before), &state.records); err != nil {
				return err
			}
		}
		refused = change(state)
		after, err := json.Marshal(state.records)
		if err != nil || string(after) == before {
			return err
		}
		return set.Keep(sharedState, "", string(after), state.now.Add(signInLifetime))
	})
	if err != nil {
		return explainRecords(err)
	}
	return refused
}

const (
	// One day longer than the token in the sign-in file. A server may renew its key late.
	keyLifetime = 8 * 24 * time.Hour
	maxNodeKeys = 100
)

type keyRecord struct {
	Key    jose.JSONWebKey `json:"key"`
	Issuer string          `json:"issuer"`
}

// ShareRecords stores the state and the public key in records that several servers share. It must
// be called before the first request.
func (p *Provider) ShareRecords(ctx context.Context, records *store.ProviderRecords) error {
	p.records = records
	return p.RenewKey(ctx)
}

// RenewKey extends the lifetime of this server's public key in the shared records. It must be
// called once a day.
func (p *Provider) RenewKey(ctx context.Context) error {
	if p.records == nil {
		return nil
	}
	content, err := json.Marshal(keyRecord{p.key.Public(), p.issuer})
	if err != nil {
		return err
	}
	return explainRecords(p.records.Write(ctx, func(set *store.RecordSet) error {
		err := set.Keep(sharedKey, p.key.KeyID, string(content), p.now().Add(keyLifetime))
		return errors.Join(err, set.Forget(sharedKey, maxNodeKeys))
	}))
}

const recordsRetry = time.Second

func explainRecords(err error) error {
	if reason := store.ExplainUnkept(err); reason != "" {
		return &Unavailable{Reason: reason, Cause: err, RetryAfter: recordsRetry}
	}
	return err
}

func (p *Provider) findRecord(ctx context.Context, kind, id string, dest any) (bool, error) {
	var content string
	err := p.records.Read(ctx, func(set *store.RecordSet) (err error) {
		content, err = set.Find(kind, id)
		return err
	})
	if err != nil || content == "" {
		return false, explainRecords(err)
	}
	return true, json.Unmarshal([]byte(content), dest)
}

func (p *Provider) findKey(ctx context.Context, id string) (stored keyRecord, ok bool, err error) {
	if id == p.key.KeyID {
		return keyRecord{p.key.Public(), p.issuer}, true, nil
	}
	if p.records == nil {
		return keyRecord{}, false, nil
	}
	ok, err = p.findRecord(ctx, sharedKey, id, &stored)
	return stored, ok, err
}

func (p *Provider) listKeys(ctx context.Context) (jose.JSONWebKeySet, error) {
	keys := jose.JSONWebKeySet{Keys: []jose.JSONWebKey{p.key.Public()}}
	if p.records == nil {
		return keys, nil
	}
	err := p.records.Read(ctx, func(set *store.RecordSet) error {
		contents, err := set.List(sharedKey)
		for id, content := range contents {
			var other keyRecord
			if id != p.key.KeyID && json.Unmarshal([]byte(content), &other) == nil {
				keys.Keys = append(keys.Keys, other.Key)
			}
		}
		return err
	})
	slices.SortFunc(keys.Keys, func(a, b jose.JSONWebKey) int { return strings.Compare(a.KeyID, b.KeyID) })
	return keys, explainRecords(err)
}

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
	var state providerState
	if p.records != nil {
		_, err = p.findRecord(ctx, sharedState, "", &state.records)
	} else {
		p.mu.Lock()
		state.records = p.state.records // changeState replaces the whole slice
		p.mu.Unlock()
	}
	stored, ok := state.find(kindSignIn, id)
	return ok && p.now().Before(stored.Expires), err
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

// formText is not JSON. The signature of a form is never a valid token.
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
