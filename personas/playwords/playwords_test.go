package playwords

import (
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
)

// TestEndingsDiffer: each outcome has different texts, and an unknown outcome has texts too.
func TestEndingsDiffer(t *testing.T) {
	seen := map[string]bool{}
	for _, outcome := range []personas.Outcome{personas.Accept, personas.Reject, personas.KickOut, "DRAW"} {
		e := FindEnding(outcome)
		for _, words := range []string{e.Title, e.Short, e.When} {
			assert.True(t, words != "" && !seen[words], "%s: %q is empty or another outcome's", outcome, words)
			seen[words] = true
		}
	}
	assert.Equal(t, FindEnding(personas.Accept).Kind, Won, "a win and a loss are not told apart")
	assert.Equal(t, FindEnding(personas.KickOut).Kind, Lost, "a win and a loss are not told apart")
}

// TestTries: the tries agree with the engine: with two redirects the third miss counts.
func TestTries(t *testing.T) {
	for _, c := range []struct {
		used, most int
		want       string
	}{{0, 2, "3 tries left here"}, {1, 2, "2 tries left here"}, {2, 2, "last try here"}, {3, 2, "last try here"}, {0, 0, "last try here"}} {
		assert.Equal(t, Tries(CountTries(c.used, c.most)), c.want, "%d of %d used", c.used, c.most)
	}
}

// TestWordsOfTurns checks the sentences about a used try, a new step and opened parts.
func TestWordsOfTurns(t *testing.T) {
	for got, want := range map[string]string{
		TryUsed(2): "that used a try, 2 left here", TryUsed(1): "that used a try, the last one is left",
		NewStepTries(3): "new step: 3 tries of its own", NewStepTries(1): "new step: one try of its own",
		Opened(Won, []string{"A", "B", "C"}): "This opens A, B and C.", Opened(Lost, []string{"A"}): "The story goes on with A.", Opened(Won, nil): "",
		MissedTooLow("no", -1, 0, 3): "“no” missed and cost you 1: your score of 0 is too low, it takes 3.", MissedTooLow("", 0, 0, 3): "What you said last missed: your score of 0 is too low, it takes 3.",
	} {
		assert.Equal(t, got, want)
	}
}

func TestScore(t *testing.T) {
	for _, c := range []struct {
		score, enough int
		want          string
	}{{2, 3, "2 of 3"}, {3, 3, "3 of 3"}, {4, 3, "4: enough (it takes 3)"}, {-1, 3, "-1 (it takes 3)"}} {
		assert.Equal(t, Score(c.score, c.enough), c.want, "Score(%d, %d)", c.score, c.enough)
	}
	for by, want := range map[int]string{2: "+2", -1: "−1", 0: ""} {
		assert.Equal(t, Change(by), want, "Change(%d)", by)
	}
}
