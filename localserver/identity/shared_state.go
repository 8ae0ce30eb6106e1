package identity

import (
	"encoding/json"
	"time"
)

// sharedState contains the shared records at the beginning of a transaction, by kind and id.
type sharedState struct{ before map[string]map[string]string }

// loadState reads all records. There are few, because a development provider has few users.
func loadState(set RecordSet) (sharedState, error) {
	state := sharedState{map[string]map[string]string{}}
	for _, kind := range []string{kindGrant, kindCode, kindDevice, kindGuesses} {
		contents, err := set.List(kind)
		if err != nil {
			return state, err
		}
		state.before[kind] = contents
	}
	return state, nil
}

// codeRecord is the stored form of an authCode. Its id is the hash of the code.
type codeRecord struct {
	Client    string    `json:"client_id"`
	Redirect  string    `json:"redirect_uri"`
	Scope     string    `json:"scope"`
	Challenge string    `json:"code_challenge"`
	Nonce     string    `json:"nonce,omitempty"`
	Email     string    `json:"email"`
	Expires   time.Time `json:"expires_at"`
}

// deviceRecord is the stored form of a pendingDevice. Its id is the hash of the device code.
type deviceRecord struct {
	Client   string        `json:"client_id"`
	Scope    string        `json:"scope"`
	UserCode string        `json:"user_code_sha256"`
	Caller   string        `json:"caller"`
	Expires  time.Time     `json:"expires_at"`
	Interval time.Duration `json:"interval"`
	Asked    time.Time     `json:"asked_at"`
	Email    string        `json:"email,omitempty"`
	Denied   bool          `json:"denied,omitempty"`
}

// guessRecord is the number of wrong user codes that were entered since a time.
type guessRecord struct {
	Guesses int       `json:"guesses"`
	Since   time.Time `json:"since"`
}

func (s sharedState) open(now func() time.Time, interval time.Duration) (*grants, *pendingDevices, *authCodes) {
	signIns := &grants{now: now, byID: map[string]grant{}}
	devices, codes := newPendingDevices(now, interval), newAuthCodes(now)
	for id, content := range s.before[kindGrant] {
		var kept grant
		if json.Unmarshal([]byte(content), &kept) == nil {
			signIns.byID[id] = kept
		}
	}
	for hash, content := range s.before[kindCode] {
		var c codeRecord
		if json.Unmarshal([]byte(content), &c) == nil {
			asked := authorization{client: c.Client, redirect: c.Redirect, scope: c.Scope, challenge: c.Challenge, nonce: c.Nonce}
			codes.byHash[hash] = &authCode{authorization: asked, email: c.Email, expires: c.Expires}
		}
	}
	for hash, content := range s.before[kindDevice] {
		var d deviceRecord
		if json.Unmarshal([]byte(content), &d) == nil {
			devices.byHash[hash] = &pendingDevice{
				client: d.Client, scope: d.Scope, userCodeHash: d.UserCode, caller: d.Caller, expires: d.Expires,
				interval: d.Interval, asked: d.Asked, email: d.Email, denied: d.Denied,
			}
		}
	}
	var typed guessRecord
	if json.Unmarshal([]byte(s.before[kindGuesses][""]), &typed) == nil {
		devices.guesses, devices.guessing = typed.Guesses, typed.Since
	}
	return signIns, devices, codes
}

type keptRecord struct {
	value   any
	expires time.Time
}

func (s sharedState) save(set RecordSet, p *Provider) error {
	after := map[string]map[string]keptRecord{kindGrant: {}, kindCode: {}, kindDevice: {}, kindGuesses: {}}
	for id, kept := range p.grants.byID {
		after[kindGrant][id] = keptRecord{kept, kept.Expires}
	}
	for hash, c := range p.codes.byHash {
		after[kindCode][hash] = keptRecord{codeRecord{c.client, c.redirect, c.scope, c.challenge, c.nonce, c.email, c.expires}, c.expires}
	}
	for hash, d := range p.devices.byHash {
		value := deviceRecord{d.client, d.scope, d.userCodeHash, d.caller, d.expires, d.interval, d.asked, d.email, d.denied}
		after[kindDevice][hash] = keptRecord{value, d.expires.Add(deviceLifetime)}
	}
	if p.devices.guesses > 0 {
		after[kindGuesses][""] = keptRecord{guessRecord{p.devices.guesses, p.devices.guessing}, p.devices.guessing.Add(guessPause)}
	}
	for kind, records := range after {
		if err := s.saveKind(set, kind, records); err != nil {
			return err
		}
	}
	return nil
}

func (s sharedState) saveKind(set RecordSet, kind string, records map[string]keptRecord) error {
	changed := false
	for id, record := range records {
		content, err := json.Marshal(record.value)
		if err != nil {
			return err
		}
		keep := set.Keep
		before, found := s.before[kind][id]
		switch {
		case string(content) == before:
			continue
		case found:
			keep = set.Replace
		}
		changed = true
		if err := keep(kind, id, string(content), record.expires); err != nil {
			return err
		}
	}
	for id := range s.before[kind] {
		if _, ok := records[id]; ok {
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
