package limit

import (
	"sync"
	"time"
)

// maxWaits is how many keys Waits remembers.
const maxWaits = 1 << 14

// Waits remember which keys were refused, and until when, where others count: until then
// nothing but a refusal can come, so nobody need be asked. Make them with NewWaits. They
// are safe for concurrent use.
type Waits struct {
	mu    sync.Mutex
	until map[string]time.Time
}

// NewWaits returns an empty memory.
func NewWaits() *Waits { return &Waits{until: map[string]time.Time{}} }

// FindWait returns how long from now a key's requests are refused; 0 where that is not
// known.
func (w *Waits) FindWait(key string, now time.Time) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	until, ok := w.until[key]
	if !ok {
		return 0
	}
	wait := until.Sub(now)
	if wait <= 0 || wait > Window {
		delete(w.until, key)
		return 0
	}
	return wait
}

// KeepWait remembers a refusal. Since is a moment before it was asked for, so that nobody
// is refused for longer than was said. When there are too many, all are forgotten: that
// costs questions, and lets nobody through.
func (w *Waits) KeepWait(key string, since time.Time, wait time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.until) >= maxWaits {
		clear(w.until)
	}
	w.until[key] = since.Add(wait)
}
