package play

import (
	"hash/fnv"
	"strconv"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/store"
)

// newInput is what a model may know of a session at a turn.
func (m machineVersion) newInput(n *store.Session, vars map[string]string, turn int64) llm.Input {
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
		Asides:          n.Engine.Asides,
		Seed:            turnSeed(n.ID, turn),
	}
}

// turnSeed is the same for the same turn of the same session; the opening line is
// turn 0.
func turnSeed(sessionID string, turn int64) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(sessionID + "/" + strconv.FormatInt(turn, 10)))
	return h.Sum64()
}

func llmMessages(messages []store.Message) []llm.Message {
	list := make([]llm.Message, len(messages))
	for i := range messages {
		list[i] = llm.Message{Role: messages[i].Role, Text: messages[i].Content}
	}
	return list
}

// Roles of messages.
const (
	rolePlayer    = "user"
	roleCharacter = "assistant"
)
