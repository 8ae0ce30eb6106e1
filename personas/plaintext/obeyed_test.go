package plaintext

import (
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// TestObeyed: the ranges are in order, so that a binary search finds everything.
func TestObeyed(t *testing.T) {
	last := rune(0x9f)
	for _, span := range ignorable {
		assert.True(t, span[0] > last && span[1] >= span[0], "%x is out of order", span)
		for _, r := range span {
			assert.True(t, IsObeyed(r), "%x is let through", r)
		}
		if IsObeyed(span[0]-1) && span[0]-1 != last || IsObeyed(span[1]+1) {
			t.Errorf("the neighbours of %x are kept out", span)
		}
		last = span[1]
	}
}
