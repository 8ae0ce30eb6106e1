package playtest

import (
	"runtime"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// TestUpdatesAreCheap: similar expectations are rewritten together, and others up to a reported bound.
func TestUpdatesAreCheap(t *testing.T) {
	for name, change := range map[string]struct{ to, expect string }{
		"words":              {"open", "{state: closed}"},
		"another kind":       {"none", "{redirects: 1}"},
		"lists":              {"[inner]", "{unlocked: []}"},
		"words in own lines": {"open", "\n      state: closed # here"},
	} {
		src := "persona: p\nsteps:\n" + strings.Repeat("  - say: "+strings.Repeat("word ", 10)+"\n    # "+strings.Repeat("note ", 190)+"\n    expect: "+change.expect+"\n", 900)
		f, _, faults := Parse("a.yaml", []byte(src))
		assert.Empty(t, faults)
		result := Result{Play: &f.Plays[0]}
		for i := range f.Plays[0].Steps {
			step := &f.Plays[0].Steps[i]
			for _, e := range step.Expect {
				result.Steps = append(result.Steps, StepResult{Step: step, Failures: []Failure{{Path: e.Path, Member: e.Member, Want: e.Want, Got: change.to, expected: e}}})
			}
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, changes := Update([]byte(src), []Result{result})
		runtime.ReadMemStats(&after)
		used := (after.TotalAlloc - before.TotalAlloc) >> 20
		assert.True(t, used <= 700, "%s: %d MiB", name, used)
		written := 0
		for _, c := range changes {
			if c.Err == nil {
				written++
			} else if !strings.Contains(c.Err.Error(), "run the update again") {
				t.Errorf("%s: %v", name, c.Err)
			}
		}
		if n := strings.Count(string(got), change.to); n != written || written == 0 || strings.HasPrefix(name, "words") && written < 900 {
			t.Errorf("%s: %d changes, %d of them written", name, written, n)
		}
	}
}
