package limit

import (
	"sync"
	"time"
)

// maxWaits is how many keys Waits remembers.
const maxWaits = 1 << 14

// Waits stores which keys were refused, and until when, if the counting is remote: until then the
// answer is a refusal anyway, so the counter need not be asked. Use NewWaits. Waits is safe for
// concurrent use.
type Waits struct {
	mu    sync.Mutex
	until map[string]time.Time
}

// NewWaits returns an empty memory.
func NewWaits() *Waits { return &Waits{until: map[string]time.Time{}} }

// FindWait returns for how long a key's requests are refused from now on; 0 if unknown.
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

// KeepWait stores a refusal. since is a moment before the request, so that a caller is never
// refused for longer than announced. When there are too many, it forgets all: that costs additional
// requests, but never admits too many.
func (w *Waits) KeepWait(key string, since time.Time, wait time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.until) >= maxWaits {
		clear(w.until)
	}
	w.until[key] = since.Add(wait)
}
