package llm

import (
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/double"
)

// However many or long examples a state has, a message is compared with a bounded
// text of them, of which each list has its part; of few examples all count.
func TestExamplesAreBounded(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"examples", "examples of shared words", "one example", "examples of transitions", "parallel transitions with words", "equal examples", "examples of one letter"} {
		s := double.Find(name)
		p, _, faults := personas.Parse(s.File(), []byte(s.Text(1<<20, 1)))
		if len(faults) > 0 {
			t.Fatal(faults[0])
		}
		input := Input{Persona: &p, Machine: &p.Machines[0], Message: "may I come in"}
		for i := range p.Machines[0].States {
			if st := &p.Machines[0].States[i]; st.Key == "a" {
				input.State = st
			}
		}
		for i := range p.Machines[0].Transitions {
			input.Outgoing = append(input.Outgoing, i)
		}
		found, _ := findCandidates(input)
		bytes := 0
		for _, c := range found {
			bytes += len(c.text)
		}
		if bytes > maxMatched || len(found) == 0 {
			t.Errorf("%s: %d texts of %d bytes", name, len(found), bytes)
		}
	}
	long := strings.Repeat("word ", maxMatched)
	found := boundCandidates([]candidate{{text: long, kind: 0}, {text: long, kind: 0}, {text: "no", kind: 1}})
	if len(found) != 2 || found[1].text != "no" || len(found[0].text) != maxMatched/2 {
		t.Errorf("%d lists are left", len(found))
	}
}
