package intent

import (
	"runtime"
	"testing"
	"time"
)

func herringPlace() Place {
	return hugePlace(2, func(i int) string { return []string{"I bring herring", "I bring eels"}[i] })
}

// TestDocumentsAreNotKept: what is ready of a state keeps its own texts in memory, and not the
// document.
func TestDocumentsAreNotKept(t *testing.T) {
	r, freed := NewReader(), make(chan struct{})
	func() {
		at := herringPlace()
		runtime.AddCleanup(at.Persona, func(freed chan struct{}) { close(freed) }, freed)
		r.Decide(at, "I bring herring")
	}()
	for range 10 {
		runtime.GC()
		select {
		case <-freed:
			if n, _ := r.prepared.Size(); n != 1 {
				t.Errorf("%d states are ready", n)
			}
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
	t.Error("the document stays in memory")
}
