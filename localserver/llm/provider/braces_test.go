package provider

import (
	"strings"
	"testing"
)

// TestSearchIsLinear: braces in a player's text do not make the search for the object slow. A
// search that starts again at each brace would take hours for each of these texts.
func TestSearchIsLinear(t *testing.T) {
	const size, object = 1 << 20, `{"why":"w"}`
	for _, quoted := range []string{"{", "{ ", "{\n\n", "{x", "} {x", "[{"} {
		for _, text := range []string{strings.Repeat(quoted, size) + "\n" + object, object + "\n" + strings.Repeat(quoted, size)} {
			if got, ok := findJSON(text); !ok || got != object {
				t.Errorf("%d times %q around it: %.40q", size, quoted, got)
			}
		}
	}
	for _, quoted := range []string{`{"`, `{"a":`, `{"a":[`, `{"a":{}`, `{"{`, `{}`, `{"\"`} {
		if got, ok := findJSON(strings.Repeat(quoted, size) + object); ok {
			t.Errorf("%d times %q before it: %.40q", size, quoted, got)
		}
	}
}
