package personas_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
)

// TestColumnsOfALongLine: positions in one long line are right for any characters, in linear time.
func TestColumnsOfALongLine(t *testing.T) {
	t.Parallel()
	const values = 40_000
	text := `{"x":[` + strings.Repeat("\"v\u00e9\u6f22\U0001f469\",", values) + `0]}`
	_, places, faults := personas.Values("long.json", []byte(text))
	assert.Empty(t, faults)
	width := utf8.RuneCountInString("\"v\u00e9\u6f22\U0001f469\",")
	for i := range values {
		at := places.Lookup(fmt.Sprintf("x[%d]", i))
		want := len(`{"x":[`) + i*width + 1
		assert.Must(t, at.Line == 1 && at.Column == want && at.EndColumn == want+width-1, "value %d is at %+v, not at column %d", i, at, want)
	}
}
