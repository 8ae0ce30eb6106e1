package identity

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/parley-npc/parley/localserver/store"
)

const (
	kindGrant   = "sign-in"
	kindCode    = "code"
	kindDevice  = "device"
	kindGuesses = "guesses"
	kindKey     = "key"
)

// Lifetime and maximum number of the servers' public keys. The lifetime is one day longer than that
// of the token in the sign-in file, because a server may renew its key late.
const (
	keyLifetime = 8 * 24 * time.Hour
	maxNodeKeys = 100
)

// keyRecord is public. The private key is only in the data folder of the server.
type keyRecord struct {
	Key    jose.JSONWebKey `json:"key"`
	Issuer string          `json:"issuer"`
}

// ShareRecords makes the provider store its state and its public key in records that other servers use too.
// It must be called before the first request.
func (p *Provider) ShareRecords(ctx context.Context, records *store.ProviderRecords) error {
	p.records = records
	return p.RenewKey(ctx)
}

// RenewKey keeps the tokens of this server valid on other servers. It must be called once a day, and does
// nothing for a single server.
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

// findRecord returns false if the record does not exist.
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

// verifyAnyToken accepts the tokens of all servers. It reads their keys each time, so that a removed key is
// rejected at once.
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
