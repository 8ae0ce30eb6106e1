package play

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/assert"
)

// BenchmarkTurn measures one turn of a session with the given number of messages.
func BenchmarkTurn(b *testing.B) {
	for _, messages := range []int{10, 10_000} {
		b.Run(fmt.Sprintf("at message %d", messages), func(b *testing.B) {
			st := newServiceFixture(b, store.Normal)
			st.open("")
			st.say("", "please [[pass]]")
			for range messages / 2 {
				st.say("", "stay [[2]]")
			}
			for b.Loop() {
				st.stay(st.ref(""))
			}
		})
	}
}

// stay plays a turn that leaves the machine in its state. It restarts a session with the maximum
// number of turns.
func (st *serviceFixture) stay(ref Ref) {
	turn := TurnRequest{Ref: ref, Message: "stay [[2]]"}
	_, err := st.Turn(context.Background(), turn)
	if refusal, ok := errors.AsType[*Error](err); ok && refusal.Kind == Full {
		_, err = st.Reset(context.Background(), ref)
		assert.NoError(st.t, err)
		_, err = st.Turn(context.Background(), TurnRequest{Ref: ref, Message: "please [[pass]]"})
	}
	assert.NoError(st.t, err)
}

// BenchmarkDurableTurns is turns that survive a power cut: one player alone, and
// many sessions at once.
func BenchmarkDurableTurns(b *testing.B) {
	b.Run("alone", func(b *testing.B) {
		st := newServiceFixture(b, store.Full)
		st.open("")
		st.say("", "please [[pass]]")
		for b.Loop() {
			st.stay(st.ref(""))
		}
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "turns/s")
	})
	b.Run("at once", func(b *testing.B) {
		st := newServiceFixture(b, store.Full)
		var players atomic.Int64
		b.SetParallelism(8)
		b.RunParallel(func(pb *testing.PB) {
			ref := st.ref("gate")
			ref.UserSessionID = fmt.Sprint(players.Add(1))
			_, err := st.Open(context.Background(), OpenRequest{Ref: ref, PlayerName: "Kim"})
			assert.NoError(b, err)
			_, err = st.Turn(context.Background(), TurnRequest{Ref: ref, Message: "please [[pass]]"})
			assert.NoError(b, err)
			for pb.Next() {
				st.stay(ref)
			}
		})
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "turns/s")
	})
}
