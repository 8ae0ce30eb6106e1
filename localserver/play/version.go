package play

import (
	"context"
	"fmt"
	"sync"

	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
)

// loadedVersion is one version of a persona, read and made ready to run. It is
// immutable.
type loadedVersion struct {
	doc      *personas.Persona
	rules    *engine.Persona
	machines map[string]*personas.Machine
	table    *personas.VariableTable
	size     int // bytes of the document in memory
}

func compileVersion(doc *personas.Persona, size int) (*loadedVersion, error) {
	rules, err := engine.CompilePersona(doc)
	if err != nil {
		return nil, err
	}
	v := &loadedVersion{doc: doc, rules: rules, machines: make(map[string]*personas.Machine, len(doc.Machines)), table: personas.NewVariableTable(doc), size: size}
	for i := range doc.Machines {
		v.machines[doc.Machines[i].Key] = &doc.Machines[i]
	}
	return v, nil
}

// machineTitle is the display name of a machine, also of one that this version does not
// have any more.
func (v *loadedVersion) machineTitle(key string) string {
	if m := v.machines[key]; m != nil {
		return m.Title()
	}
	return key
}

// machineVersion is one machine of a version of a persona.
type machineVersion struct {
	version *loadedVersion
	machine *personas.Machine
	rules   *engine.Machine
}

func (v *loadedVersion) machinePart(key string) (machineVersion, error) {
	m := v.machines[key]
	if m == nil {
		return machineVersion{}, fmt.Errorf("the version has no machine %q", key)
	}
	return machineVersion{version: v, machine: m, rules: v.rules.Machine(key)}, nil
}

// findState is the machine's state of that key; nil when there is none.
func (m machineVersion) findState(key string) *personas.State {
	for i := range m.machine.States {
		if m.machine.States[i].Key == key {
			return &m.machine.States[i]
		}
	}
	return nil
}

// maxCachedBytes bounds the bytes of the documents that are kept ready, which the
// store shares where it keeps them too.
const maxCachedBytes = store.MaxDocumentBytes

// versionCache keeps versions ready: reading one costs far more than a turn. A
// version never changes, so nothing is ever stale; those used longest ago go
// when there are too many.
type versionCache struct {
	mu    sync.Mutex
	kept  map[versionKey]*cachedVersion
	size  int
	clock uint64
}

type versionKey struct {
	personaID string
	version   int64
}

type cachedVersion struct {
	*loadedVersion
	used uint64
}

func (s *Service) loadVersion(ctx context.Context, personaID string, version int64) (*loadedVersion, error) {
	key := versionKey{personaID, version}
	if v := s.versions.get(key); v != nil {
		return v, nil
	}
	doc, size, err := s.Store.LoadVersion(ctx, personaID, version)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	v, err := compileVersion(doc, size)
	if err != nil {
		return nil, fmt.Errorf("version %d of persona %s: %w", version, personaID, err)
	}
	s.versions.put(key, v)
	return v, nil
}

func (c *versionCache) get(key versionKey) *loadedVersion {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.kept[key]
	if k == nil {
		return nil
	}
	c.clock++
	k.used = c.clock
	return k.loadedVersion
}

func (c *versionCache) put(key versionKey, v *loadedVersion) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil {
		c.kept = make(map[versionKey]*cachedVersion)
	}
	if c.kept[key] != nil {
		return
	}
	for c.size+v.size > maxCachedBytes && len(c.kept) > 0 {
		c.dropOldest()
	}
	c.clock++
	c.kept[key] = &cachedVersion{loadedVersion: v, used: c.clock}
	c.size += v.size
}

// dropOldest forgets the version that was used longest ago.
func (c *versionCache) dropOldest() {
	var oldest versionKey
	var found *cachedVersion
	for key, k := range c.kept {
		if found == nil || k.used < found.used {
			oldest, found = key, k
		}
	}
	c.size -= found.size
	delete(c.kept, oldest)
}
