package plaintext

import (
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// TestWordsOfWindows: paths are unchanged and quotes doubled, including the typographic ones of PowerShell.
func TestWordsOfWindows(t *testing.T) {
	for word, want := range map[string]string{
		`C:\Users\ann\a.yaml`: `C:\Users\ann\a.yaml`, `C:\My Files\a.yaml`: `'C:\My Files\a.yaml'`, "it's": "'it''s'",
		"a’; calc; ’": "'a’’; calc; ’’'", "$(calc)": "'$(calc)'", "": "''",
	} {
		assert.Equal(t, quoteWord(word, true), want, word)
	}
}
