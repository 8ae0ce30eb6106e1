package lint

import (
	"math/rand/v2"
	"testing"
)

// hasRun skips over bytes, so it is held against one that looks at each of them, over
// random texts of few letters.
func TestRunsAreFoundAsWhenEachByteIsLookedAt(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 20000 {
		text := make([]byte, random.IntN(40))
		for i := range text {
			text[i] = "abc-_9 .\xff"[random.IntN(9)]
		}
		n := 1 + random.IntN(6)
		want := longestRunOf(text) >= n
		if want {
			found++
		}
		if got := hasRun(string(text), n); got != want {
			t.Fatalf("%d in %q: %v, want %v", n, text, got, want)
		}
	}
	if found < 1000 {
		t.Fatalf("only %d texts had a run: the test tells nothing", found)
	}
}

func longestRunOf(text []byte) int {
	longest, run := 0, 0
	for _, c := range text {
		if run++; !isKeyByte(c) {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}
