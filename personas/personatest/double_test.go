package personatest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/personatest"
)

// TestShapesFillTheirSize: a shape has about its size, and is complete JSON unless its name says otherwise.
func TestShapesFillTheirSize(t *testing.T) {
	t.Parallel()
	const size = 300_000
	broken := map[string]bool{"no quote": true, "nothing but spaces": true, "nothing but text": true, "too deep": true}
	seen := map[string]bool{}
	for _, s := range append(personatest.Shapes(), personatest.PlayShapes("p.yaml")...) {
		text := s.Text(size, 1)
		if len(text) > size || len(text) < size/3 && !strings.Contains(s.Name, "aliases") && !strings.Contains(s.Name, "played") { // bounded by the steps of a file
			t.Errorf("%s: %d bytes of %d", s.Name, len(text), size)
		}
		if s.Ends == ".json" && !broken[s.Name] && !json.Valid([]byte(text)) {
			t.Errorf("%s is not JSON: %.300s", s.Name, text)
		}
		if seen[s.File()] {
			t.Errorf("%s occurs twice", s.File())
		}
		seen[s.File()] = true
	}
}
