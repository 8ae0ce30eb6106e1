package check

import (
	"runtime/debug"
	"testing"
)

// currentPercent returns the present GOGC.
func currentPercent() int {
	percent := debug.SetGCPercent(100)
	debug.SetGCPercent(percent)
	return percent
}

// TestALargeFileBringsBackTheCollector: a file of the maximum small size changes nothing; one more
// byte restores the former setting for good.
func TestALargeFileBringsBackTheCollector(t *testing.T) {
	t.Setenv("GOGC", "")
	before := currentPercent()
	var c collector
	c.start()
	c.noteFile(largeFile)
	if now := currentPercent(); now != collectorPercent {
		t.Errorf("while small files are read: %d, want %d", now, collectorPercent)
	}
	c.noteFile(largeFile + 1)
	if now := currentPercent(); now != before {
		t.Errorf("behind a large file: %d, want %d", now, before)
	}
	c.stop()
	if now := currentPercent(); now != before {
		t.Errorf("at the end: %d, want %d", now, before)
	}
}

func TestGOGCDecidesItself(t *testing.T) {
	t.Setenv("GOGC", "50")
	before := currentPercent()
	var c collector
	c.start()
	defer c.stop()
	if now := currentPercent(); now != before {
		t.Errorf("with GOGC: %d, want %d", now, before)
	}
}
