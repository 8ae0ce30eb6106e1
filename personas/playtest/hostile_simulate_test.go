package playtest_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/personatest"
	"github.com/parley-npc/parley/personas/playtest"
)

// TestLongSimulationsAreRefused: thousands of machines that are all open to every player are not
// simulated thousands of times. The error names the limit and a remedy.
func TestLongSimulationsAreRefused(t *testing.T) {
	t.Parallel()
	for _, shape := range []string{"machines", "unknown members of machines"} {
		s := personatest.Find(shape)
		p, _, faults := personas.Parse(s.File(), []byte(s.Text(1<<19, 1)))
		if len(faults) > 0 {
			t.Fatal(faults[0])
		}
		_, err := playtest.Simulate(&p, playtest.SimulateOptions{Plays: 2000})
		if !errors.Is(err, playtest.ErrLongPlays) || !strings.Contains(err.Error(), "--max-machines") {
			t.Errorf("%s: %v", shape, err)
		}
		if _, err := playtest.Simulate(&p, playtest.SimulateOptions{Plays: 1000, MaxMachines: 2}); err != nil {
			t.Errorf("%s with two machines: %v", shape, err)
		}
	}
}
