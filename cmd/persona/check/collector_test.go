package check

import (
	"runtime/debug"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// currentPercent returns the present GOGC.
func currentPercent() int {
	percent := debug.SetGCPercent(100)
	debug.SetGCPercent(percent)
	return percent
}

// TestALargeFileBringsBackTheCollector: a byte more than a small file restores the setting for good.
func TestALargeFileBringsBackTheCollector(t *testing.T) {
	t.Setenv("GOGC", "")
	before := currentPercent()
	var c collector
	c.start()
	c.noteFile(largeFile)
	assert.Equal(t, currentPercent(), collectorPercent, "while small files are read")
	c.noteFile(largeFile + 1)
	assert.Equal(t, currentPercent(), before, "behind a large file")
	c.stop()
	assert.Equal(t, currentPercent(), before, "at the end")
}

func TestGOGCDecidesItself(t *testing.T) {
	t.Setenv("GOGC", "50")
	before := currentPercent()
	var c collector
	c.start()
	defer c.stop()
	assert.Equal(t, currentPercent(), before, "with GOGC")
}
