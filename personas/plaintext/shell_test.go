package plaintext

import "testing"

// TestWordsOfWindows: Windows paths are unchanged, and quotes are doubled, including the
// typographic ones, which PowerShell treats the same.
func TestWordsOfWindows(t *testing.T) {
	for word, want := range map[string]string{
		`C:\Users\ann\a.yaml`: `C:\Users\ann\a.yaml`, `C:\My Files\a.yaml`: `'C:\My Files\a.yaml'`, "it's": "'it''s'",
		"a’; calc; ’": "'a’’; calc; ’’'", "$(calc)": "'$(calc)'", "": "''",
	} {
		if got := quoteWord(word, true); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
}
