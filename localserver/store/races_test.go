package store

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
)

// TestManyAtOnce writes and reads from many goroutines, and from a second
// process's point of view; nobody may see a locked database.
func TestManyAtOnce(t *testing.T) { onEachDatabase(t, checkManyAtOnce) }

func checkManyAtOnce(t *testing.T, open opener) {
	s := withUsers(t, open(t, Options{Durability: Normal}))
	second := open(t, Options{Path: addressOf(s), Durability: Normal})
	p := publishPersona(t, s, "gate")
	var wg sync.WaitGroup
	for i := range 32 {
		wg.Go(func() {
			at := []*Store{s, second}[i%2]
			o := enterMachine(t, at, p, "gate", fmt.Sprint("v", i))
			for range 10 {
				sayLine(t, at, o.PlayerRef, "", "hello", false)
			}
		})
	}
	wg.Wait()
	if n := countRows(t, s, "messages"); n != 32*21 {
		t.Errorf("%d messages, want %d", n, 32*21)
	}
}

// TestOneWinner lets 16 turns of one session race, round by round.
func TestOneWinner(t *testing.T) { onEachDatabase(t, checkOneWinner) }

func checkOneWinner(t *testing.T, open opener) {
	s := withUsers(t, open(t, Options{Durability: Normal}))
	o := enterMachine(t, s, publishPersona(t, s, "gate"), "gate", "v")
	for round := range 10 {
		l := mustLoad(t, s, o.PlayerRef, "gate")
		var won atomic.Int32
		var wg sync.WaitGroup
		for i := range 16 {
			wg.Go(func() {
				_, err := s.SaveTurn(t.Context(), nextTurn(l, fmt.Sprint(round, "-", i), false))
				switch {
				case err == nil:
					won.Add(1)
				case !errors.Is(err, ErrChanged):
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if n := won.Load(); n != 1 {
			t.Fatalf("round %d: %d winners", round, n)
		}
	}
	if n := countRows(t, s, "messages"); n != 21 {
		t.Errorf("%d messages, want 21", n)
	}
}
