package play

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/assert"
)

func TestIdempotency(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	open := OpenRequest{Ref: st.ref(""), PlayerName: "Kim", Idempotency: Idempotency{Key: "k", BodyHash: "h"}}
	first := assert.Value(st.Open(t.Context(), open))(t)
	again, err := st.Open(t.Context(), open)
	first.Replayed = true
	assert.NoError(t, err)
	assert.DeepEqual(t, again, first)
	turn := TurnRequest{Ref: st.ref(""), Message: "please [[pass]]", Idempotency: Idempotency{Key: "k", BodyHash: "h"}} // the verb is in the scope
	reply := assert.Value(st.Turn(t.Context(), turn))(t)
	assert.True(t, !reply.Replayed, "the first answer counts as a repeated one")
	reply.Replayed = true
	calls := st.actor.calls.Load()
	repeat, err := st.Turn(t.Context(), turn)
	assert.NoError(t, err)
	assert.DeepEqual(t, repeat, reply)
	assert.Equal(t, st.actor.calls.Load(), calls)
	assert.Equal(t, len(st.history("").Messages), 3, "messages")
	other := turn
	other.Idempotency.BodyHash = "i"
	_, err = st.Turn(t.Context(), other)
	refuses(t, "another body", err, KeyReused)
	other = turn
	other.Machine = "gate"
	_, err = st.Turn(t.Context(), other)
	refuses(t, "another machine", err, KeyReused)
	open.Idempotency.BodyHash = "i"
	_, err = st.Open(t.Context(), open)
	refuses(t, "open with another body", err, KeyReused)
}

// TestIdempotencyAtOnce sends the same turn from many goroutines: all get the one
// answer, also those that come to a machine which that turn has finished.
func TestIdempotencyAtOnce(t *testing.T) {
	for range 10 {
		st := newServiceFixture(t, store.Normal)
		st.open("")
		st.say("", "please [[pass]]")
		replies := make([]Reply, 16)
		var wg sync.WaitGroup
		for i := range replies {
			wg.Go(func() {
				var text strings.Builder
				emit := func(delta string) error { text.WriteString(delta); return nil }
				r, err := st.Turn(t.Context(), TurnRequest{
					Ref: st.ref(""), Message: "open [[pass]]", Idempotency: Idempotency{Key: "k", BodyHash: "h"}, Emit: emit,
				})
				assert.True(t, err == nil && text.String() == r.Message, "said %q, %+v, %v", text.String(), r, err)
				r.Replayed = false
				replies[i] = r
			})
		}
		wg.Wait()
		for _, r := range replies {
			if !r.MachineCompleted || !reflect.DeepEqual(r, replies[0]) {
				t.Errorf("answers differ: %+v, %+v", r, replies[0])
			}
		}
		assert.Equal(t, len(st.history("").Messages), 5, "messages")
	}
}

// TestOneWinner sends 16 different messages of one session at the same time: in each round exactly
// one is stored completely, and the others are refused.
func TestOneWinner(t *testing.T) {
	const rounds, racers = 8, 16
	st := newServiceFixture(t, store.Normal)
	st.open("")
	st.say("", "please [[pass]]")
	for round := range rounds {
		var start, done sync.WaitGroup
		start.Add(racers)
		st.actor.evaluate = func(ctx context.Context, input llm.Input) (llm.Evaluation, error) {
			start.Done()
			start.Wait() // all have loaded the same turn
			return st.actor.Model.Evaluate(ctx, input)
		}
		won := make([]bool, racers)
		for i := range racers {
			done.Go(func() {
				_, err := st.Turn(t.Context(), TurnRequest{Ref: st.ref(""), Message: fmt.Sprintf("%d-%d [[2]]", round, i)})
				if won[i] = err == nil; !won[i] {
					refuses(t, "a turn that lost", err, Conflict)
				}
			})
		}
		done.Wait()
		winner := slices.Index(won, true)
		assert.Must(t, winner >= 0 && !slices.Contains(won[winner+1:], true), "round %d: winners %v", round, won)
		h := st.history("")
		said := h.Messages[len(h.Messages)-2]
		if len(h.Messages) != 5+2*round || said.Content != fmt.Sprintf("%d-%d [[2]]", round, winner) || said.Role != rolePlayer {
			t.Fatalf("round %d: %d messages, said %q, won by %d", round, len(h.Messages), said.Content, winner)
		}
	}
}
