package diff

import (
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/personatest"
)

// TestComparisonsAreBounded: the edits tried for all texts together, and the memory, are bounded.
func TestComparisonsAreBounded(t *testing.T) {
	for _, name := range []string{"prompts of words", "parallel transitions", "parallel transitions with words", "redirects in parallel", "states with new keys", "wrong kinds", "examples", "answers"} {
		s := personatest.Find(name)
		var versions [2]personas.Persona
		for i := range versions {
			versions[i], _, _ = personas.Parse(s.File(), []byte(s.Text(1<<19, i+1)))
		}
		bytes := assert.Allocated(func() { Compare(&versions[0], &versions[1]) })
		assert.True(t, bytes <= 1<<30, "%s: %d bytes", name, bytes)
	}
	left := 1000
	for range 20 {
		findWords("a b c d e f g h i j k l m n o p q r s t u v w x y z", "z y x w v u t s r q p o n m l k j i h g f e d c b a", &left)
	}
	assert.True(t, left <= 0 && left >= -maxEdits, "%d of 1000 edits are left", left)
}

// TestLongTextsAreJoinedInOnePass: any number of words between two changes is joined in one pass.
func TestLongTextsAreJoinedInOnePass(t *testing.T) {
	words := strings.Repeat("word ", 1<<17)
	var pieces []Piece
	bytes := assert.Allocated(func() { pieces = Words("a "+words+"a", "b "+words+"b") })
	assert.EqualSlices(t, pieces, []Piece{{Delete, "a"}, {Insert, "b"}, {Keep, " " + words}, {Delete, "a"}, {Insert, "b"}}, "%d pieces", len(pieces))
	assert.True(t, bytes <= 1<<28, "%d bytes", bytes)
}

// Words calls findWords with the whole budget of edits of one comparison.
func Words(before, after string) []Piece {
	edits := maxAllEdits
	return findWords(before, after, &edits)
}
