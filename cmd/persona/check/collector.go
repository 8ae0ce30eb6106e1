package check

import (
	"os"
	"runtime/debug"
	"sync"
)

// collectorPercent is GOGC while only small files are read. largeFile is the file size in bytes
// that restores Go's default. Checking a persona of 30 KB leaves half a megabyte of garbage, and
// collecting that by default takes a third of the time; a document of megabytes would need five
// times the memory.
const (
	collectorPercent = 400
	largeFile        = 256 << 10
)

// collector makes the garbage collector run less often while many small files are checked. A GOGC
// that the user sets takes precedence.
type collector struct {
	mu     sync.Mutex
	tuned  bool
	before int // percent to go back to
}

func (c *collector) start() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.tuned && os.Getenv("GOGC") == "" {
		c.tuned, c.before = true, debug.SetGCPercent(collectorPercent)
	}
}

// noteFile records the size of a file that is about to be checked.
func (c *collector) noteFile(size int) {
	if size > largeFile {
		c.stop()
	}
}

func (c *collector) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tuned {
		c.tuned = false
		debug.SetGCPercent(c.before)
	}
}
