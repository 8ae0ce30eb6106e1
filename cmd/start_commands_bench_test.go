package cmd_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

// BenchmarkStartOf measures whole processes, and gh --version for comparison, for docs/figures.md.
func BenchmarkStartOf(b *testing.B) {
	parley := cmdtest.BuildProgram(b, "../cmd/parley")
	persona := assert.Value(filepath.Abs("../personas/examples/starter.yaml"))(b)
	commands := map[string][]string{
		"version":    {parley, "--version"},
		"help":       {parley, "--help"},
		"completion": {parley, "completion", "bash"},
		"complete":   {parley, "__complete", "persona", "li"},
		"lint":       {parley, "persona", "lint", persona},
	}
	if gh, err := exec.LookPath("gh"); err == nil {
		commands["gh-version"] = []string{gh, "--version"}
	}
	for name, words := range commands {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				assert.NoError(b, exec.Command(words[0], words[1:]...).Run())
			}
		})
	}
}
