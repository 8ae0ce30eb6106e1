package session

import (
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

func TestShortIDs(t *testing.T) {
	t.Parallel()
	all := []string{"0123456789", "0123456780", "abcdefghij", "abc"}
	for id, want := range map[string]string{"0123456789": "0123456789", "abcdefghij": "abcdefgh", "abc": "abc"} {
		assert.Equal(t, shortID(id, all), want, "%s of %v", id, all)
	}
}
