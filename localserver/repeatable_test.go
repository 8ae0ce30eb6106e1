package localserver

import (
	"fmt"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

const talkative = `{"name": "T", "description": "d", "persona_identity_prompt": "p", "machines": [{"machine_key": "m",
	"states": [{"state_key": "a", "is_initial_state": true, "offline": {"opening": ["1", "2", "3", "4", "5", "6", "7", "8"], "lines": {"unknown": ["1", "2", "3", "4", "5", "6", "7", "8"]}}},
	           {"state_key": "b", "is_terminal_state": true}],
	"transitions": [{"from_state_key": "a", "to_state_key": "b", "decision_type": "pass"}]}]}`

// TestSameWordsSameLines: eight sessions with the same messages get the same lines, on every server
// with the same seed; another seed yields others.
func TestSameWordsSameLines(t *testing.T) {
	heard := map[string]bool{}
	for seed := range uint64(4) {
		first := hearTalk(t, seed)
		assert.Equal(t, hearTalk(t, seed), first, "seed %d", seed)
		heard[first] = true
	}
	assert.True(t, len(heard) >= 3, "four seeds give only %v", heard)
}

// hearTalk returns the replies of a server with a seed in each of eight sessions.
func hearTalk(t *testing.T, seed uint64) string {
	t.Helper()
	h := begin(t, func(o *Options) { o.LLM.Seed = seed })
	id := h.send(alice, "POST", wire.PathSave, talkative).want(201)["id"].(string)
	h.send(alice, "POST", wire.PathPublish+"?persona_id="+id, "").want(200)
	first := ""
	for i := range 8 {
		user := fmt.Sprint("ann", i)
		play := h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON(user)).want(200)["message"].(string)
		for _, words := range []string{"hm", "hm", "well"} {
			play += "|" + h.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON(user, words)).want(200)["message"].(string)
		}
		if first == "" {
			first = play
		}
		assert.Equal(t, play, first, "seed %d: session %d hears", seed, i)
	}
	return first
}
