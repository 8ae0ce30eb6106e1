package play

import (
	"fmt"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
)

func machineTitle(version *store.Version, key string) string {
	if m := version.Machines[key]; m != nil {
		return m.Title()
	}
	return key
}

type machineVersion struct {
	version *store.Version
	machine *personas.Machine
	rules   *engine.Machine
}

func machineInVersion(version *store.Version, key string) (machineVersion, error) {
	m := version.Machines[key]
	if m == nil {
		return machineVersion{}, fmt.Errorf("the version has no machine %q", key)
	}
	return machineVersion{version: version, machine: m, rules: version.Rules.Machine(key)}, nil
}

func (m machineVersion) findState(key string) *personas.State {
	for i := range m.machine.States {
		if m.machine.States[i].Key == key {
			return &m.machine.States[i]
		}
	}
	return nil
}

func (m machineVersion) newInput(session *store.Session, vars map[string]string) llm.Input {
	return llm.Input{
		Persona:         m.version.Doc,
		Machine:         m.machine,
		State:           m.findState(session.Engine.State),
		Player:          llm.Player{Name: session.PlayerName, Gender: session.PlayerGender},
		Vars:            vars,
		Variables:       m.version.Table,
		Summary:         session.Summary,
		Outgoing:        m.rules.Outgoing(session.Engine.State),
		FollowUpAllowed: !session.Engine.FollowUpPending,
		LastTry:         m.rules.IsLastTry(session.Engine),
		InGame:          true,
		Losing:          m.rules.Losing(session.Engine),
		Asides:          session.Engine.Asides,
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
