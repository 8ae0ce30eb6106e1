package cmd

import (
	"os/exec"
	"runtime"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/plaintext"
)

// TestQuotedWords: a real shell reads the same word back, and runs nothing.
func TestQuotedWords(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there is no POSIX shell")
	}
	for _, word := range []string{"plain", "", "a b", "$(touch x)", "`id`", "it's", "'; touch x; '", "a;b", "&", "*",
		"~", "!x", "#c", "\\", "\"", "é ü", "=cat", "{a,b}"} {
		for _, shell := range []string{"sh", "bash"} {
			if _, err := exec.LookPath(shell); err != nil {
				continue
			}
			p := exec.Command(shell, "-c", "printf %s "+plaintext.ShellWord(word))
			p.Dir = t.TempDir()
			if got, err := p.Output(); err != nil || string(got) != word {
				t.Errorf("%s: %q became %q, %v", shell, word, got, err)
			}
		}
	}
	assert.Equal(t, plaintext.ShellFile("-rf"), "./-rf", "a file that looks like a flag")
	assert.NotContains(t, plaintext.ShellWord("a\n::error::b"), "\n", "two lines")
}
