package localserver

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkTurnNormal runs whole turns over bare connections. Each turn survives a killed process
// before it is answered. A director's mark decides the meaning of the message, so that the
// benchmark measures the service and not the offline model.
func BenchmarkTurnNormal(b *testing.B) {
	h := begin(b, inFolder(b.TempDir()), quietly, func(o *Options) { o.Durability = DurabilityNormal })
	id := h.publishEndless()
	b.ReportAllocs()
	at(b, h, func(_ *testing.B, i int) string {
		player := fmt.Sprint("ann", i)
		k := newTalk(h, id, player)
		return postText(strings.TrimPrefix(k.url, h.URL()), messageJSON(player, "tell me a story please [[redirect]]"))
	}, nothingMore)
}
