package personas

import (
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// TestNULInUnknownMembers: unknown members are kept, so the NUL check applies to them too.
func TestNULInUnknownMembers(t *testing.T) {
	for _, c := range []struct {
		file, member string
		refused      bool
	}{
		{"a.json", `"x-own": "a\u0000b"`, true},
		{"a.json", `"x-own": {"a": [1, {"b\u0000": 2}]}`, true},
		{"a.json", `"x\u0000": 1`, true},
		{"a.json", `"x-own": ["\\\u0000"]`, true},
		{"a.json", `"x-own": "a\\u0000b \\\\u0000"`, false},
		{"a.json", `"x-own": "\u0001 0000"`, false},
		{"a.yaml", `"x-own": 'a\u0000b'`, false},
	} {
		_, _, faults := Parse(c.file, []byte(`{"name": "n", "description": "d", "persona_identity_prompt": "p", "machines": [], `+c.member+`}`))
		found := false
		for _, f := range faults {
			found = found || strings.Contains(f.Message, "NUL")
		}
		assert.Equal(t, found, c.refused, "%s %s: %v", c.file, c.member, faults)
	}
}
