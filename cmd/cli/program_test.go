package cli

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
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

// TestFailuresHideUserInfo: an error that repeats an address does not repeat who signs in there.
func TestFailuresHideUserInfo(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`--public-url "https://ann:hush@a.example/x": no`:   `--public-url "https://a.example/x": no`,
		"ask http://ann@b: nothing answers":                 "ask http://b: nothing answers",
		"mail ann@b.example about http://a.example/@ann:no": "mail ann@b.example about http://a.example/@ann:no",
	} {
		var said bytes.Buffer
		s, _ := onlyOut(false)
		s.Err = &said
		s.Style = s.NewStyle()
		s.ReportFailure(nil, &Failure{Code: ExitNo, Err: errors.New(text), Hint: text})
		got := said.String()
		assert.True(t, got == "parley: "+want+"\n  "+want+"\n" && !strings.Contains(got, "hush"), "%q: %q", text, got)
	}
}
