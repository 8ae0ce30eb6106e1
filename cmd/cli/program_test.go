package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// TestProgramIsNamedAsItWasTyped: a typed path is shown again, unless a shell finds the same program by its name.
func TestProgramIsNamedAsItWasTyped(t *testing.T) {
	there, elsewhere := t.TempDir(), t.TempDir()
	for _, folder := range []string{there, elsewhere} {
		assert.NoError(t, os.WriteFile(filepath.Join(folder, "parley.exe"), []byte("#!/bin/sh\n"), 0o755))
		assert.NoError(t, os.WriteFile(filepath.Join(folder, "parley"), []byte("#!/bin/sh\n"), 0o755))
	}
	t.Setenv("PATH", there)
	dot := "." + string(filepath.Separator) + "parley"
	for typed, want := range map[string]string{
		"": "parley", "parley": "parley", "p17": "p17", dot: dot,
		filepath.Join(there, "parley"):     "parley",
		filepath.Join(elsewhere, "parley"): filepath.Join(elsewhere, "parley"),
	} {
		assert.Equal(t, (&Streams{Program: typed}).FindProgramWord(), want, "%q is called", typed)
	}
}
