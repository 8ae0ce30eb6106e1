package early

import (
	"os"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// TestTermComesBack: the init made the terminal look dumb, Restore undoes it.
func TestTermComesBack(t *testing.T) {
	if got := os.Getenv(variable); got != "dumb" {
		t.Fatalf("after init TERM is %q", got)
	}
	Restore()
	got, set := os.LookupEnv(variable)
	assert.Equal(t, got, original)
	assert.Equal(t, set, isSet)
}
