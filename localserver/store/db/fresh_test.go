package db

import (
	"os/exec"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// TestGeneratedIsFresh compares the generated files with the generator's output for its queries and
// migrations, if the generator is installed (see sqlc.yaml).
func TestGeneratedIsFresh(t *testing.T) {
	generator, err := exec.LookPath("sqlc")
	if err != nil {
		t.Skip("sqlc is not installed")
	}
	out, err := exec.CommandContext(t.Context(), generator, "diff").CombinedOutput()
	assert.NoError(t, err, "the queries are stale, run sqlc generate in localserver/store/db %s", out)
}
