package lines

import (
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// TestLinesTakeBack: line mode takes messages back, restores them, and sends them again.
func TestLinesTakeBack(t *testing.T) {
	p := newLinePlay()
	in := "pass, a friend\nredi, no\n/undo\n/redo\n/undo 2\npass, again\n/retry\n/fork two words\n/branches\n/compare\n/compare x\n/undo 9\n/undo x\n"
	assert.NoError(t, p.play(t.Context(), strings.NewReader(in), nil))
	said := p.out.String() + p.err.String()
	for _, want := range []string{
		`Taken back. You had said: "redi, no".`, "Restored as it was.", `Taken back. You had said: "pass, a friend".`,
		"Saved as a branch", `"two words"`, "Now branch ", `"x" is not the number of another branch`, "You have said only 1 message here", "is not a number of messages",
	} {
		assert.Contains(t, said, want)
	}
	assert.Equal(t, len(p.service.Messages["m-gate"]), 3, "messages")
}

// TestLinesTakeAnEndingBack: an ending names /undo, and a number takes the last words back, won or lost.
func TestLinesTakeAnEndingBack(t *testing.T) {
	for said, number := range map[string]string{"reject": "2", "pass": "3"} {
		p := newLinePlay()
		in := []string{said, number, "/quit"}
		if said == "pass" {
			in = append([]string{"pass"}, in...)
		}
		got := p.person(t, strings.Join(in, "|"), never, nil)
		assert.InOrder(t, got, "/undo takes your last words back.", number+". Take back “"+said+"”.", `Taken back. You had said: "`+said+`".`)
	}
}
