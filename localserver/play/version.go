package play

import (
	"context"
	"fmt"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/cache"
	"github.com/parley-npc/parley/personas/engine"
)

// loadedVersion is a compiled version of a persona. It is immutable.
type loadedVersion struct {
	doc      *personas.Persona
	rules    *engine.Persona
	machines map[string]*personas.Machine
	table    *personas.VariableTable
}

func (v *loadedVersion) machineTitle(key string) string {
	if m := v.machines[key]; m != nil {
		return m.Title()
	}
	return key
}

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

func (m machineVersion) findState(key string) *personas.State {
	for i := range m.machine.States {
		if m.machine.States[i].Key == key {
			return &m.machine.States[i]
		}
	}
	return nil
}

// maxCachedBytes is the maximum size of the documents in the cache. Most documents are shared with
// the cache of the store.
const maxCachedBytes = store.MaxDocumentBytes

type versionKey struct {
	personaID string
	version   int64
}

// newVersionCache returns a cache for compiled versions. Compiling a version takes much longer than
// a turn, and a version never changes.
func newVersionCache() *cache.Cache[versionKey, *loadedVersion] {
	return cache.New[versionKey, *loadedVersion](maxCachedBytes)
}

func (s *Service) loadVersion(ctx context.Context, personaID string, version int64) (*loadedVersion, error) {
	key := versionKey{personaID, version}
	if v, ok := s.versions.Find(key); ok {
		return v, nil
	}
	doc, size, err := s.Store.LoadVersion(ctx, personaID, version)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	rules, err := engine.CompilePersona(doc)
	if err != nil {
		return nil, fmt.Errorf("version %d of persona %s: %w", version, personaID, err)
	}
	v := &loadedVersion{doc: doc, rules: rules, machines: make(map[string]*personas.Machine, len(doc.Machines)), table: personas.NewVariableTable(doc)}
	for i := range doc.Machines {
		v.machines[doc.Machines[i].Key] = &doc.Machines[i]
	}
	s.versions.Keep(key, v, size)
	return v, nil
}

func (m machineVersion) newInput(n *store.Session, vars map[string]string) llm.Input {
	return llm.Input{
		Persona:         m.version.doc,
		Machine:         m.machine,
		State:           m.findState(n.Engine.State),
		Player:          llm.Player{Name: n.PlayerName, Gender: n.PlayerGender},
		Vars:            vars,
		Variables:       m.version.table,
		Summary:         n.Summary,
		Outgoing:        m.rules.Outgoing(n.Engine.State),
		FollowUpAllowed: !n.Engine.FollowUpPending,
		LastTry:         m.rules.IsLastTry(n.Engine),
		InGame:          true,
		Losing:          m.rules.Losing(n.Engine),
		Asides:          n.Engine.Asides,
	}
}

func llmMessages(messages []store.Message) []llm.Message {
	list := make([]llm.Message, len(messages))
	for i := range messages {
		list[i] = llm.Message{Role: messages[i].Role, Text: messages[i].Content}
	}
	return list
}

const (
	rolePlayer    = "user"
	roleCharacter = "assistant"
)
