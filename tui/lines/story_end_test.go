package lines

import (
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// Line mode prints once that the story is over, and offers to begin it again.
func TestPlainStoryEnds(t *testing.T) {
	got := newLinePlay().person(t, "pass|pass|1|pass|1|pass|3|/quit", never, nil)
	assert.InOrder(t, got, "The gate is over. What now?", "1. Go on to The cellar.")
	assert.InOrder(t, got, "That was the last part.", "The tower is over. What now?", "1. Play The tower again.", "3. Begin the whole story again.")
	assert.Equal(t, strings.Count(got, "last part"), 1, "times %s", got)
	assert.InOrder(t, newLinePlay().person(t, "reject|/quit", never, nil), "The story ends here this time.", "The gate is over. What now?")
}

// TestPlainWrongNumberIsSaid: an invalid choice at an ending is reported, before the ways on are printed again.
func TestPlainWrongNumberIsSaid(t *testing.T) {
	for _, said := range []string{"7", "0", "2 gold coins", "hello"} {
		got := newLinePlay().person(t, "reject|"+said+"|/quit", never, nil)
		assert.InOrder(t, got, "\""+said+"\" is not one of the numbers: this part is over. Write a number from 1 to 3", "The gate is over. What now?")
	}
}
