//go:build !windows

package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

// TestPagerInheritsNoKeys: the pager's environment holds no secret.
func TestPagerInheritsNoKeys(t *testing.T) {
	t.Parallel()
	seen := filepath.Join(t.TempDir(), "seen")
	env := append(cmdtest.Secrets(), "PARLEY_PAGER=env > '"+seen+"'; cat > /dev/null")
	text, code := onScreen(t, 10, 120, env, "persona", "lint", "--explain")
	assert.Must(t, code == 0, "%d\n%s", code, text)
	if out, err := os.ReadFile(seen); err != nil || !strings.Contains(string(out), "PATH=") || strings.Contains(string(out), cmdtest.Swordfish) {
		t.Errorf("%v, the pager has\n%s", err, out)
	}
}
