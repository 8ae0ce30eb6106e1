package cli

import (
	"os"
	"path/filepath"
	"testing"
)

// TestProgramIsNamedAsItWasTyped: a typed path is shown again, unless a shell finds the same
// program by its name.
func TestProgramIsNamedAsItWasTyped(t *testing.T) {
	there, elsewhere := t.TempDir(), t.TempDir()
	for _, folder := range []string{there, elsewhere} {
		if err := os.WriteFile(filepath.Join(folder, "parley.exe"), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "parley"), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", there)
	dot := "." + string(filepath.Separator) + "parley"
	for typed, want := range map[string]string{
		"": "parley", "parley": "parley", "p17": "p17", dot: dot,
		filepath.Join(there, "parley"):     "parley",
		filepath.Join(elsewhere, "parley"): filepath.Join(elsewhere, "parley"),
	} {
		if got := (&Streams{Program: typed}).FindProgramWord(); got != want {
			t.Errorf("%q is called %q, want %q", typed, got, want)
		}
	}
}
