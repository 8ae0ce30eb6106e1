package persona

import (
	"os"
	"runtime/debug"
	"sync"
)

// collectorPercent is how much garbage, in percent of what is in use, may come together
// while only small files are read, and largeFile the size in bytes from which a file
// brings back what Go does by default. A persona of 30 KB leaves half a megabyte behind
// when it is checked and nothing stays of it, so that collecting it by default takes a
// third of the time; a document of megabytes would quintuple the memory.
const (
	collectorPercent = 400
	largeFile        = 256 << 10
)

// collector makes the garbage collector run less often while many small files are
// checked. GOGC, where it is set, decides instead.
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

// noteFile is told the bytes of a file that is about to be checked.
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
