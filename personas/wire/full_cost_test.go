package wire

import (
	"encoding/json"
	"fmt"
	"runtime"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
)

// TestFullPersonaCost: encoding many unknown members costs a few times the memory of the response.
func TestFullPersonaCost(t *testing.T) {
	var f FullPersona
	for i := range 20_000 {
		f.Extra = append(f.Extra, personas.Member{Name: fmt.Sprint("u", i), Value: []byte("1")})
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	text, err := json.Marshal(f)
	runtime.ReadMemStats(&after)
	cost := after.TotalAlloc - before.TotalAlloc
	assert.True(t, err == nil && cost <= 64*uint64(len(text)), "%d bytes cost %d, %v", len(text), cost, err)
}
