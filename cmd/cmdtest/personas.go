package cmdtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// EndlessPersona is a persona with a machine that never ends, so that a test can send any number of
// messages.
const EndlessPersona = `
name: Echo
description: Answers for ever.
persona_identity_prompt: You answer for ever.
machines:
  - machine_key: hall
    scoring_mode: pass_fail
    states:
      - {state_key: hall, is_initial_state: true}
      - {state_key: end, is_terminal_state: true}
    transitions:
      - {from_state_key: hall, to_state_key: end, decision_type: pass, condition: leaves}
`

const AnyID = "01936f6e-8c8b-7cc0-b36f-6a4b2d0b4d11"

// WritePersonaFile creates a directory with a persona file and returns both paths.
func WritePersonaFile(t *testing.T) (folder, file string) {
	t.Helper()
	folder = t.TempDir()
	file = filepath.Join(folder, "echo.yaml")
	if err := os.WriteFile(file, []byte(EndlessPersona), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder, file
}

// CountLocked returns the number of entries in a directory's parley.lock.
func CountLocked(t testing.TB, folder string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "parley.lock"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Count(string(text), "- file: ")
}
