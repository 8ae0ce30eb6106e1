package api

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas/assert"
)

// FuzzFindHalf: half of a character is found exactly if the decoder replaces an escape by U+FFFD.
func FuzzFindHalf(f *testing.F) {
	for _, seed := range []string{`"\ud800"`, `"\ud83d\ude00"`, `"\\ud800"`, `"\\\udc00\u`, `"\`, `{"\uD8"`, `"\ud800\n\udc00"`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at := findHalf([]byte(text))
		if at >= 0 && at > len(text)-6 {
			t.Fatalf("%q: at %d", text, at)
		}
		var decoded string
		replaced := string(utf8.RuneError)
		if strings.Contains(strings.ToLower(text), `\ufffd`) || !utf8.ValidString(text) || strings.Contains(text, replaced) || json.Unmarshal([]byte(text), &decoded) != nil {
			return
		}
		assert.Equal(t, strings.Contains(decoded, replaced), at >= 0, "%q: at %d, and it becomes %q", text, at, decoded)
	})
}
