package playtest_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/personatest"
	"github.com/parley-npc/parley/personas/playtest"
)

// TestLongSimulationsAreRefused: too many open machines are an error that names the limit and a remedy.
func TestLongSimulationsAreRefused(t *testing.T) {
	t.Parallel()
	for _, shape := range []string{"machines", "unknown members of machines"} {
		p := personatest.Parse(t, shape, 1<<19)
		_, err := playtest.Simulate(p, playtest.SimulateOptions{Plays: 2000})
		assert.True(t, errors.Is(err, playtest.ErrLongPlays) && strings.Contains(err.Error(), "--max-machines"), "%s: %v", shape, err)
		assert.Value(playtest.Simulate(p, playtest.SimulateOptions{Plays: 1000, MaxMachines: 2}))(t, "%s with two machines", shape)
	}
}
