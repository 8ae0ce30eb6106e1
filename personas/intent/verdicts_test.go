package intent

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
)

// TestVerdictsAreRememberedAsTheyAre asks each message again, of every state and both right
// after a follow-up and not: what is remembered is what is decided.
func TestVerdictsAreRememberedAsTheyAre(t *testing.T) {
	r := NewReader()
	messages := []string{"", "hello", "no", "I pay ten coins", "tell me a story please", strings.Repeat("long ", 60)}
	eachState(t, func(name string, at *Place) {
		for _, at.FollowUpAllowed = range []bool{true, false} {
			for _, message := range messages {
				want := r.decide(*at, r.prepare(at), message)
				for range 2 {
					if got := r.Decide(*at, message); !reflect.DeepEqual(got, want) {
						t.Errorf("%s, %q: %+v, want %+v", name, message, got, want)
					}
				}
			}
		}
	})
}

// TestVerdictsBelongToTheirPlace: other transitions of the same state have another verdict.
func TestVerdictsBelongToTheirPlace(t *testing.T) {
	r, at := NewReader(), hugePlace(3, func(i int) string { return fmt.Sprint("I bring barrel ", i) })
	both := r.Decide(at, "I bring barrel 1")
	if _, ok := r.prepare(&at).verdicts.findVerdict(at.verdictKey("I bring barrel 1"), at.Outgoing); !ok || both.Decision != "pass" {
		t.Fatalf("%+v is remembered: %v", both, ok)
	}
	other := at
	other.Outgoing = []int{1}
	if _, ok := r.prepare(&other).verdicts.findVerdict(other.verdictKey("I bring barrel 1"), other.Outgoing); ok {
		t.Error("the verdict of other transitions is given")
	}
}

// TestVerdictsAreBounded: a message of the greatest length is remembered and one that is
// longer is not, and no more than so many are.
func TestVerdictsAreBounded(t *testing.T) {
	m := newVerdictMemory()
	for over := range 2 {
		message := strings.Repeat("x", maxVerdictBytes+over)
		m.keepVerdict(verdictKey{message: message}, nil, Verdict{})
		if _, ok := m.findVerdict(verdictKey{message: message}, nil); ok != (over == 0) {
			t.Errorf("%d over the bound: remembered %v", over, ok)
		}
	}
	for i := range 3 * maxVerdicts {
		m.keepVerdict(verdictKey{message: fmt.Sprint(i)}, nil, Verdict{})
		if n, _ := m.Size(); n > maxVerdicts {
			t.Fatalf("%d verdicts are remembered", n)
		}
	}
}

// TestVerdictsAtOnce is for the race detector.
func TestVerdictsAtOnce(t *testing.T) {
	r, at := NewReader(), hugePlace(3, func(i int) string { return fmt.Sprint("I bring barrel ", i) })
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for j := range 20 {
				r.Decide(at, fmt.Sprint("I bring barrel ", (i+j)%5))
			}
		})
	}
	group.Wait()
}

// BenchmarkVerdict is a message that was said before in the state, and one that was not.
func BenchmarkVerdict(b *testing.B) {
	r, at := NewReader(), hugePlace(16, func(i int) string { return fmt.Sprint("I bring barrel ", i) })
	b.Run("again", func(b *testing.B) {
		for b.Loop() {
			r.Decide(at, "tell me a story please")
		}
	})
	b.Run("new", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			r.Decide(at, fmt.Sprint("tell me a story please of ships ", i))
		}
	})
}
