package terminal

import (
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

func TestGrouped(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 12345: "12,345", 1234567: "1,234,567"} {
		assert.Equal(t, GroupThousands(n), want, n)
	}
}
