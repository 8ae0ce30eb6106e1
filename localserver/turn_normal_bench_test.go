package localserver

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkTurnNormal is whole turns with the offline model over bare connections, each
// safe from a killed process before it is answered.
func BenchmarkTurnNormal(b *testing.B) {
	h := begin(b, inFolder(b.TempDir()), quietly, func(o *Options) { o.Durability = DurabilityNormal })
	id := h.publishEndless()
	b.ReportAllocs()
	at(b, h, func(_ *testing.B, i int) string {
		player := fmt.Sprint("ann", i)
		k := newTalk(h, id, player)
		return postText(strings.TrimPrefix(k.url, h.URL()), k.userBody)
	}, nothingMore)
}
