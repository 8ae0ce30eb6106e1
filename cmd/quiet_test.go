package cmd

import (
	"testing"

	"github.com/parley-npc/parley/cmd/cli"
)

// --quiet silences talk and no error.
func TestQuiet(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"profile", "use", "local"}, {"-q", "profile", "use", "local"}} {
		got := runHere(t.Context(), t, nil, args...)
		if got.code != cli.ExitDone || (got.talk == "") != (len(args) == 4) {
			t.Errorf("%v: %d, %q", args, got.code, got.talk)
		}
	}
	if got := runHere(t.Context(), t, nil, "--quiet", "profile", "use", "nosuch"); got.code != cli.ExitUsage || got.talk == "" {
		t.Errorf("%d, %q", got.code, got.talk)
	}
}
