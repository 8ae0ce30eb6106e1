package identity

import (
	"context"
	"crypto/hmac"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// Records stores the shared state of the development providers of several servers. If the store
// cannot be reached, its methods return an *Unavailable.
type Records interface {
	// Read runs work, which may execute only a single query.
	Read(ctx context.Context, work func(RecordSet) error) error
	// Write runs work in a transaction and commits it, or rolls it back if work fails. It may run
	// work several times.
	Write(ctx context.Context, work func(RecordSet) error) error
}

// A RecordSet reads and changes records within one transaction. It ignores expired records.
type RecordSet interface {
	// Find returns a record's content, or "" if the record does not exist.
	Find(kind, id string) (content string, err error)
	// List returns the contents of all records of a kind, by their ids.
	List(kind string) (contents map[string]string, err error)
	// Keep creates or replaces a record.
	Keep(kind, id, content string, expires time.Time) error
	// Replace replaces a record that was found in this transaction. It does not create the record
	// again if it was deleted meanwhile.
	Replace(kind, id, content string, expires time.Time) error
	Drop(kind, id string) error
	// Forget deletes the expired records of a kind. If more records than the limit remain, it also
	// deletes those that expire first.
	Forget(kind string, limit int) error
}

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

// keyRecord contains a server's public key and the issuer of its tokens. The private key is only in
// the server's data folder.
type keyRecord struct {
	Key    jose.JSONWebKey `json:"key"`
	Issuer string          `json:"issuer"`
}

// ShareRecords makes the provider store its state in records that other servers use too. It also
// stores the provider's public key there. It must be called before the first request.
func (p *Provider) ShareRecords(ctx context.Context, records Records) error {
	p.records = records
	return p.RenewKey(ctx)
}

// RenewKey extends the lifetime of this server's public key in the shared records, so that its
// tokens remain valid on other servers. It must be called once a day. A single server need not call
// it.
func (p *Provider) RenewKey(ctx context.Context) error {
	if p.records == nil {
		return nil
	}
	content, err := json.Marshal(keyRecord{p.key.Public(), p.issuer})
	if err != nil {
		return err
	}
	return p.records.Write(ctx, func(set RecordSet) error {
		err := set.Keep(kindKey, p.key.KeyID, string(content), p.now().Add(keyLifetime))
		return errors.Join(err, set.Forget(kindKey, maxNodeKeys))
	})
}

// look runs work on the shared records, in the transaction of changeState if there is one.
func (p *Provider) look(ctx context.Context, work func(RecordSet) error) error {
	if p.set != nil {
		return work(p.set)
	}
	return p.records.Read(ctx, work)
}

// findKey returns the public key with an id. If the id is unknown, found.Key.KeyID is "".
func (p *Provider) findKey(ctx context.Context, id string) (found keyRecord, err error) {
	if id == p.key.KeyID {
		return keyRecord{p.key.Public(), p.issuer}, nil
	}
	err = p.look(ctx, func(set RecordSet) error {
		content, err := set.Find(kindKey, id)
		if err != nil || content == "" {
			return err
		}
		return json.Unmarshal([]byte(content), &found)
	})
	return found, err
}

// listKeys returns the public keys of all servers, in the same order on each server.
func (p *Provider) listKeys(ctx context.Context) (jose.JSONWebKeySet, error) {
	keys := jose.JSONWebKeySet{Keys: []jose.JSONWebKey{p.key.Public()}}
	if p.records == nil {
		return keys, nil
	}
	err := p.look(ctx, func(set RecordSet) error {
		kept, err := set.List(kindKey)
		for id, content := range kept {
			var other keyRecord
			if json.Unmarshal([]byte(content), &other) == nil && id != p.key.KeyID {
				keys.Keys = append(keys.Keys, other.Key)
			}
		}
		return err
	})
	slices.SortFunc(keys.Keys, func(a, b jose.JSONWebKey) int { return strings.Compare(a.KeyID, b.KeyID) })
	return keys, err
}

// verifyAnyToken is verifyToken for the tokens of all servers. It reads the other servers' keys
// each time, so that a removed key is rejected at once.
func (p *Provider) verifyAnyToken(ctx context.Context, raw string) (user User, signIn string, err error) {
	if p.records == nil {
		return p.verifyToken(raw, devIssuer, p.issuer)
	}
	token, err := parseToken(raw, jose.ES256)
	if err != nil {
		return User{}, "", err
	}
	signer, err := p.findKey(ctx, token.Headers[0].KeyID)
	if err != nil {
		return User{}, "", err
	}
	if signer.Key.KeyID == "" {
		return User{}, "", &InvalidToken{Reason: "signed with another key"}
	}
	return (&Dev{key: signer.Key, now: p.now}).verifyToken(raw, devIssuer, signer.Issuer)
}

func (p *Provider) findSignIn(ctx context.Context, id string) (found grant, ok bool, err error) {
	if p.records == nil || p.set != nil {
		found, ok = p.grants.findGrant(id)
		return found, ok, nil
	}
	err = p.look(ctx, func(set RecordSet) error {
		content, err := set.Find(kindGrant, id)
		if err != nil || content == "" {
			return err
		}
		ok = true
		return json.Unmarshal([]byte(content), &found)
	})
	return found, ok && p.now().Before(found.Expires), err
}

// changeState runs work, which changes sign-ins, codes or devices, on p or on a copy with the shared records.
// The changes of an oauthError are stored too, because a code that was sent with a wrong proof is used up.
func (p *Provider) changeState(ctx context.Context, work func(*Provider) error) error {
	if p.records == nil {
		return work(p)
	}
	var refused error
	err := p.records.Write(ctx, func(set RecordSet) error {
		state, err := loadState(set)
		if err != nil {
			return err
		}
		within := *p
		within.set = set
		within.grants, within.devices, within.codes = state.open(p.now, p.devices.interval)
		refused = work(&within)
		if _, ok := errors.AsType[*oauthError](refused); refused != nil && !ok {
			return refused
		}
		return state.save(set, &within)
	})
	if err != nil {
		return err
	}
	return refused
}

func (p *Provider) signForm(cookie string) (string, error) {
	if p.records == nil {
		return p.signCookie(cookie), nil
	}
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
	if p.records == nil {
		return hmac.Equal([]byte(form), []byte(p.signCookie(cookie))), nil
	}
	signed, err := jose.ParseSignedCompact(form, []jose.SignatureAlgorithm{jose.ES256})
	if err != nil {
		return false, nil //nolint:nilerr // a malformed form has no valid signature
	}
	signer, err := p.findKey(ctx, signed.Signatures[0].Header.KeyID)
	if err != nil || signer.Key.KeyID == "" {
		return false, err
	}
	text, err := signed.Verify(signer.Key)
	return err == nil && string(text) == string(formText(cookie)), nil
}
