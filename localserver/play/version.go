package play

import (
	"context"
	"fmt"
	"sync"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
)

// script is one version of a persona, read and made ready to run. It is
// immutable.
type script struct {
	doc      *personas.Persona
	rules    *engine.Persona
	machines map[string]*personas.Machine
	size     int // bytes of the document
}

func newScript(doc *personas.Persona, size int) (*script, error) {
	rules, err := engine.CompilePersona(doc)
	if err != nil {
		return nil, err
	}
	sc := &script{doc: doc, rules: rules, machines: make(map[string]*personas.Machine, len(doc.Machines)), size: size}
	for i := range doc.Machines {
		sc.machines[doc.Machines[i].Key] = &doc.Machines[i]
	}
	return sc, nil
}

// title is the display name of a machine, also of one that this version does not
// have any more.
func (sc *script) title(key string) string {
	if m := sc.machines[key]; m != nil {
		return m.Title()
	}
	return key
}

// part is one machine of a script.
type part struct {
	script  *script
	machine *personas.Machine
	rules   *engine.Machine
}

func (sc *script) part(key string) (part, error) {
	m := sc.machines[key]
	if m == nil {
		return part{}, fmt.Errorf("the version has no machine %q", key)
	}
	return part{script: sc, machine: m, rules: sc.rules.Machine(key)}, nil
}

// state is the machine's state of that key; nil when there is none.
func (p part) state(key string) *personas.State {
	for i := range p.machine.States {
		if p.machine.States[i].Key == key {
			return &p.machine.States[i]
		}
	}
	return nil
}

// maxScripts bounds the bytes of the documents that are kept ready.
const maxScripts = 64 << 20

// scripts keeps versions ready: reading one costs far more than a turn. A
// version never changes, so nothing is ever stale; those used longest ago go
// when there are too many.
type scripts struct {
	mu    sync.Mutex
	kept  map[scriptKey]*keptScript
	size  int
	clock uint64
}

type scriptKey struct {
	personaID string
	version   int64
}

type keptScript struct {
	*script
	used uint64
}

func (s *Service) script(ctx context.Context, personaID string, version int64) (*script, error) {
	key := scriptKey{personaID, version}
	if sc := s.scripts.get(key); sc != nil {
		return sc, nil
	}
	doc, size, err := s.Store.Version(ctx, personaID, version)
	if err != nil {
		return nil, err
	}
	sc, err := newScript(&doc, size)
	if err != nil {
		return nil, fmt.Errorf("version %d of persona %s: %w", version, personaID, err)
	}
	s.scripts.put(key, sc)
	return sc, nil
}

func (c *scripts) get(key scriptKey) *script {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.kept[key]
	if k == nil {
		return nil
	}
	c.clock++
	k.used = c.clock
	return k.script
}

func (c *scripts) put(key scriptKey, sc *script) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil {
		c.kept = make(map[scriptKey]*keptScript)
	}
	if c.kept[key] != nil {
		return
	}
	for c.size+sc.size > maxScripts && len(c.kept) > 0 {
		c.drop()
	}
	c.clock++
	c.kept[key] = &keptScript{script: sc, used: c.clock}
	c.size += sc.size
}

// drop forgets the version that was used longest ago.
func (c *scripts) drop() {
	var oldest scriptKey
	var found *keptScript
	for key, k := range c.kept {
		if found == nil || k.used < found.used {
			oldest, found = key, k
		}
	}
	c.size -= found.size
	delete(c.kept, oldest)
}
