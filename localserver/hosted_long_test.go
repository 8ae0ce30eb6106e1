package localserver

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/parley-npc/parley/localserver/llm/llmtest"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// TestLongConversation plays 2,000 turns with a model. The last requests are as large as the first
// ones with a summary, even if every summary fails, which is tested with fewer turns.
func TestLongConversation(t *testing.T) {
	t.Parallel()
	const early = 60
	for turns, summarizes := range map[int]bool{2000: true, 300: false} {
		t.Run(fmt.Sprint(turns), func(t *testing.T) {
			t.Parallel()
			var heaviest atomic.Int64
			h, _ := playing(t, "ollama/llama-x", func(r llmtest.Request) llmtest.Script {
				heaviest.Store(max(heaviest.Load(), int64(len(r.Body))))
				if isSummary(r) && !summarizes {
					return llmtest.Script{Failure: &llmtest.Failure{Status: 400}}
				}
				return act(r)
			})
			id := h.savePersona(endless)
			h.send(alice, "POST", wire.PathPublish+"?persona_id="+id, "").want(200)
			h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)
			var first int64
			for turn := range turns {
				text := fmt.Sprintf("%d: %s", turn, strings.Repeat("tell me more ", 20))
				h.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON("ann", text)).want(200)
				if turn == early {
					first = heaviest.Swap(0)
				}
			}
			t.Logf("at most %d bytes in the first %d turns, %d in those up to %d", first, early, heaviest.Load(), turns)
			now := heaviest.Load()
			assert.True(t, now <= first+first/10, "a request has %d bytes, at first %d", now, first)
		})
	}
}
