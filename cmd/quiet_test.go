package cmd

import (
	"testing"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/personas/assert"
)

func TestQuiet(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"profile", "use", "local"}, {"-q", "profile", "use", "local"}} {
		got := runHere(t.Context(), t, nil, args...)
		assert.Equal(t, got.code, cli.ExitDone, "%v %q", args, got.talk)
		assert.Equal(t, got.talk == "", len(args) == 4, "%v %q", args, got.talk)
	}
	got := runHere(t.Context(), t, nil, "--quiet", "profile", "use", "nosuch")
	assert.Equal(t, got.code, cli.ExitUsage, "%d, %q", got.code, got.talk)
	assert.True(t, got.talk != "", "%d, %q", got.code, got.talk)
}
