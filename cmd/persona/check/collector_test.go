package check

import (
	"runtime/debug"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

func TestTuneCollector(t *testing.T) {
	before := debug.SetGCPercent(100)
	t.Cleanup(func() { debug.SetGCPercent(before) })
	for variable, want := range map[string]int{"": collectorPercent, "50": 100} {
		t.Setenv("GOGC", variable)
		restore := tuneCollector(collectorPercent)
		now := debug.SetGCPercent(100)
		debug.SetGCPercent(now)
		assert.Equal(t, now, want, "GOGC=%s", variable)
		restore()
	}
}
