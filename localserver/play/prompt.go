package play

import (
	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/store"
)

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
