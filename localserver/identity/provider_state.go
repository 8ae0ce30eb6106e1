package identity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"

	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/atomicfile"
)

// providerState contains the sign-ins by id, and the waiting codes and devices by hash. now is the time of a
// change.
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

// readState reads the sign-ins from a file. Codes and devices are not stored in it, because they expire soon.
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

// changeState runs work on a copy of the state, and stores the copy. The changes of an oauthError are stored
// too, because a code that was sent with a wrong proof is used up.
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
