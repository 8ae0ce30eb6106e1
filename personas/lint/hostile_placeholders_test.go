package lint_test

import (
	"runtime"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/lint"
	"github.com/parley-npc/parley/personas/personatest"
)

// TestManyWrongPlaceholdersAreCheap: a text with many wrong placeholders is scanned and rewritten once.
func TestManyWrongPlaceholdersAreCheap(t *testing.T) {
	s := personatest.Find("a line of unknown placeholders")
	p, _, faults := personas.Parse(s.File(), []byte(s.Text(1<<20, 1)))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	found := lint.Refusals(&p, faults)
	runtime.ReadMemStats(&after)
	used := (after.TotalAlloc - before.TotalAlloc) >> 20
	assert.True(t, used <= 40, "%d findings took %d MiB", len(found), used)
	assert.True(t, len(found) >= 100, "%d findings", len(found))
}

// TestManyNamesOfPlaceholdersAreCheap: the names that placeholders can have are listed once, not for every text.
func TestManyNamesOfPlaceholdersAreCheap(t *testing.T) {
	s := personatest.Find("outputs")
	p, _, faults := personas.Parse(s.File(), []byte(s.Text(1<<20, 1)))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	lint.Refusals(&p, faults)
	runtime.ReadMemStats(&after)
	used := (after.TotalAlloc - before.TotalAlloc) >> 20
	assert.True(t, used <= 100, "%d MiB", used)
}
