package localserver

import (
	"fmt"
	"testing"

	"github.com/parley-npc/parley/personas/wire"
)

const talkative = `{"name": "T", "description": "d", "persona_identity_prompt": "p", "machines": [{"machine_key": "m",
	"states": [{"state_key": "a", "is_initial_state": true, "offline": {"opening": ["1", "2", "3", "4", "5", "6", "7", "8"], "lines": {"redirect": ["1", "2", "3", "4", "5", "6", "7", "8"]}}},
	           {"state_key": "b", "is_terminal_state": true}],
	"transitions": [{"from_state_key": "a", "to_state_key": "b", "decision_type": "pass"}]}]}`

// TestRepeatable: eight sessions hear the same eight lines from a repeatable server, and
// not from another.
func TestRepeatable(t *testing.T) {
	for _, repeatable := range []bool{true, false} {
		h := begin(t, func(o *Options) { o.Repeatable = repeatable })
		id := h.send(alice, "POST", wire.PathSave, talkative).want(201)["id"].(string)
		h.send(alice, "POST", wire.PathPublish+"?persona_id="+id, "").want(200)
		heard := map[string]bool{}
		for i := range 8 {
			user := fmt.Sprint("ann", i)
			play := h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON(user)).want(200)["message"].(string)
			for _, words := range []string{"hm", "hm", "well"} {
				play += h.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON(user, words)).want(200)["message"].(string)
			}
			heard[play] = true
		}
		if repeatable != (len(heard) == 1) {
			t.Errorf("repeatable %t: %d different plays: %v", repeatable, len(heard), heard)
		}
	}
}
