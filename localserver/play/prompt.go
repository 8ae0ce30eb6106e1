package play

import (
	"hash/fnv"
	"strconv"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/store"
)

// scene is what a model may know of a session at a turn.
func (p part) scene(n *store.Session, vars map[string]string, turn int64) llm.Scene {
	return llm.Scene{
		Persona:         p.script.doc,
		Machine:         p.machine,
		State:           p.state(n.Engine.State),
		Player:          llm.Player{Name: n.PlayerName, Gender: n.PlayerGender},
		Vars:            vars,
		Summary:         n.Summary,
		Outgoing:        p.rules.Outgoing(n.Engine.State),
		FollowUpAllowed: !n.Engine.FollowUpPending,
		Seed:            seed(n.ID, turn),
	}
}

// seed is the same for the same turn of the same session; the opening line is
// turn 0.
func seed(sessionID string, turn int64) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(sessionID + "/" + strconv.FormatInt(turn, 10)))
	return h.Sum64()
}

func spoken(messages []store.Message) []llm.Message {
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
