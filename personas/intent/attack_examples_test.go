package intent

import (
	"fmt"
	"slices"
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

// TestTextsAreShared: what choices with few texts leave goes to those with more, and all that fits
// is compared.
func TestTextsAreShared(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ counts, want []int }{
		{[]int{3, 0, 400, 10}, []int{3, 0, 400, 10}},
		{[]int{10, 2000, 5, 2000}, []int{10, 492, 5, 493}},
		{[]int{2000, 2000}, []int{500, 500}},
		{[]int{1001}, []int{1000}},
	} {
		if got := shareTexts(c.counts); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.counts, got, c.want)
		}
	}
}

// TestEveryExampleIsItself: an example is what the author says it is, the 400th of a choice too,
// one without a word that says anything, and one that thanks.
func TestEveryExampleIsItself(t *testing.T) {
	t.Parallel()
	r := NewReader()
	persona := *corpusPersona(t, "sample-cafe")
	at := placeOf(t, &persona, "", "boisson")
	state := *at.State
	material := *state.Offline
	for i := range 400 {
		material.Examples.Redirect = append(slices.Clip(material.Examples.Redirect), personas.Example{Say: fmt.Sprintf("le plat numero %d du menu", i)})
	}
	material.Examples.Redirect = append(material.Examples.Redirect, personas.Example{Say: "le là"})
	state.Offline, at.State = &material, &state
	for said, want := range map[string]string{"Le plat numéro 399 du menu !": "redirect", "Le la.": "redirect"} {
		if v := r.Decide(at, said); v.Decision != want {
			t.Errorf("%q: %s", said, v.Why)
		}
	}
}
