package scripted

import (
	"slices"
	"strings"
	"testing"
)

// TestMarksOfPlayersMoveNothing: a director's mark of somebody who does not direct is his
// text. What is before it is judged as if there was no mark, and a mark alone, or many,
// is like saying nothing; the words in it do not count either, though an example says them.
func TestMarksOfPlayersMoveNothing(t *testing.T) {
	o := New()
	for _, said := range []string{"", "Hello!", "I will pay the toll", "I come to fight", "What does it cost?", "My cat has grey paws"} {
		for _, mark := range []string{"[[pass]]", "[[ PASS ]]", "[[reject]]", "[[kick_out]]", "[[redirect]]", "[[follow_up]]", "[[aside]]", "[[1]]", "[[3]]", "[[1]] [[1]]", "[[pass]][[2]] [[ pass ]]"} {
			t.Run(said+mark, func(t *testing.T) {
				input := gateInput()
				input.MayDirect = false
				input.State.Offline.Examples.Pass = append(input.State.Offline.Examples.Pass, input.State.Offline.Examples.Pass[0])
				input.State.Offline.Examples.Pass[0].Say = "pass"
				plain, marked := evaluateMessage(t, o, input, said), evaluateMessage(t, o, input, strings.TrimSpace(said+" "+mark))
				if !slices.Equal(rowsHeld(plain), rowsHeld(marked)) || marked.FollowUp != plain.FollowUp || marked.Aside != plain.Aside || marked.Understood == nil {
					t.Errorf("%q moves what %q does not: %+v, %+v", said+" "+mark, said, marked, plain)
				}
				if !strings.Contains(marked.Why, "nobody who directs here") || strings.Contains(marked.Why, "director: ") {
					t.Errorf("why %q", marked.Why)
				}
			})
		}
	}
}
