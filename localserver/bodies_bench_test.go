package localserver

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/parley-npc/parley/personas/wire"
)

// largePersona returns a persona of about size bytes. Its states have many short lines, which cost
// a reader the most memory per byte.
func largePersona(size int) string {
	const head, tail = `{"name": "Large", "description": "Much", "persona_identity_prompt": "Talk.", "machines": [{"machine_key": "m", "states": [{"state_key": "a", "is_initial_state": true, "x-author": [`,
		`0]}, {"state_key": "b", "is_terminal_state": true}], "transitions": [{"from_state_key": "a", "to_state_key": "b", "decision_type": "pass"}]}]}`
	const line = `{"a": "b"}, `
	return head + strings.Repeat(line, max(0, size-len(head)-len(tail))/len(line)) + tail
}

// BenchmarkLargeSaves sends large saves at the same time, and reports the most
// memory that the process ever had.
func BenchmarkLargeSaves(b *testing.B) {
	h := begin(b)
	h.token(alice)
	body := largePersona(6_500_000)
	for b.Loop() {
		var done, refused atomic.Int64
		var all sync.WaitGroup
		for range 40 {
			all.Go(func() {
				switch got := h.send(alice, http.MethodPost, wire.PathSave, body); got.status {
				case http.StatusCreated:
					done.Add(1)
				case http.StatusServiceUnavailable:
					refused.Add(1)
				default:
					b.Errorf("status %d: %.200s", got.status, got.body)
				}
			})
		}
		all.Wait()
		b.ReportMetric(float64(done.Load()), "saved")
		b.ReportMetric(float64(refused.Load()), "refused")
	}
	b.ReportMetric(float64(peakMemory(b)), "peak-MB")
}

// peakMemory returns the peak memory of this process, in MB; 0 if the system does not report it.
func peakMemory(t testing.TB) (mb int) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(text), "VmHWM:")
	if _, err := fmt.Sscan(after, &mb); err != nil {
		t.Fatal(err)
	}
	return mb >> 10
}
