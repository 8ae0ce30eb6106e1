package playwords

import (
	"testing"

	"github.com/parley-npc/parley/personas"
)

// Each outcome has words of its own, and one that nobody knows has some too.
func TestEndingsDiffer(t *testing.T) {
	seen := map[string]bool{}
	for _, outcome := range []personas.Outcome{personas.Accept, personas.Reject, personas.KickOut, "DRAW"} {
		e := FindEnding(outcome)
		for _, words := range []string{e.Title, e.Short, e.When} {
			if words == "" || seen[words] {
				t.Errorf("%s: %q is empty or another outcome's", outcome, words)
			}
			seen[words] = true
		}
	}
	if FindEnding(personas.Accept).Kind != Won || FindEnding(personas.KickOut).Kind != Lost {
		t.Error("a win and a loss are not told apart")
	}
}

// The tries are those that the engine allows: with two redirects the third miss counts.
func TestTries(t *testing.T) {
	for _, c := range []struct {
		used, most int
		want       string
	}{{0, 2, "3 tries left here"}, {1, 2, "2 tries left here"}, {2, 2, "last try here"}, {3, 2, "last try here"}, {0, 0, "last try here"}} {
		if got := Tries(CountTries(c.used, c.most)); got != c.want {
			t.Errorf("%d of %d used: %q, want %q", c.used, c.most, got, c.want)
		}
	}
}

func TestScore(t *testing.T) {
	for _, c := range []struct {
		score, enough int
		want          string
	}{{2, 3, "2 of 3"}, {3, 3, "3 of 3"}, {4, 3, "4: enough (it takes 3)"}, {-1, 3, "-1 (it takes 3)"}} {
		if got := Score(c.score, c.enough); got != c.want {
			t.Errorf("Score(%d, %d) = %q, want %q", c.score, c.enough, got, c.want)
		}
	}
	for by, want := range map[int]string{2: "+2", -1: "−1", 0: ""} {
		if got := Change(by); got != want {
			t.Errorf("Change(%d) = %q, want %q", by, got, want)
		}
	}
}
