package provider

import (
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// TestSearchIsLinear: braces in a player's text do not make the search for the object slow. A
// search that starts again at each brace would take hours for each of these texts.
func TestSearchIsLinear(t *testing.T) {
	const size, object = 1 << 20, `{"why":"w"}`
	for _, quoted := range []string{"{", "{ ", "{\n\n", "{x", "} {x", "[{"} {
		for _, text := range []string{strings.Repeat(quoted, size) + "\n" + object, object + "\n" + strings.Repeat(quoted, size)} {
			got, ok := findJSON(text)
			assert.True(t, ok && got == object, "%d times %q around it: %.40q", size, quoted, got)
		}
	}
	for _, quoted := range []string{`{"`, `{"a":`, `{"a":[`, `{"a":{}`, `{"{`, `{}`, `{"\"`} {
		got, ok := findJSON(strings.Repeat(quoted, size) + object)
		assert.True(t, !ok, "%d times %q before it: %.40q", size, quoted, got)
	}
}
