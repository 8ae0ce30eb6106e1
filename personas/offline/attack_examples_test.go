package offline

import (
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/double"
)

// However many or long examples a state has, a message is compared with a bounded
// number of them and a bounded text of each, of which every choice has its part.
func TestExamplesAreBounded(t *testing.T) {
	t.Parallel()
	r := NewReader()
	for _, name := range []string{
		"examples", "examples of shared words", "one example", "examples of transitions", "parallel transitions with words",
		"equal examples", "examples of one letter",
	} {
		t.Run(name, func(t *testing.T) {
			s := double.Find(name)
			p, _, faults := personas.Parse(s.File(), []byte(s.Text(200<<10, 1)))
			if len(faults) > 0 {
				t.Fatal(faults[0])
			}
			at := placeOf(t, &p, "", "a")
			ready := r.prepareState(&at, "")
			for _, g := range [...]*textGroup{&ready.examples, &ready.criteria} {
				if len(g.texts) > maxTexts+len(ready.choices) {
					t.Errorf("%d texts", len(g.texts))
				}
				for _, text := range g.texts {
					if len(text) > maxTextSize {
						t.Errorf("a text of %d bytes", len(text))
					}
				}
			}
			if len(ready.choices) > maxChoices+kindNamesCount {
				t.Errorf("%d choices", len(ready.choices))
			}
			if v := r.Decide(at, "may I come in"); v.Decision == "" {
				t.Error("no verdict")
			}
		})
	}
}

const kindNamesCount = int(kindCount)
