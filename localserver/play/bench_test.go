package play

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/parley-npc/parley/localserver/store"
)

// BenchmarkTurn is one turn of a session that has so many messages already.
func BenchmarkTurn(b *testing.B) {
	for _, messages := range []int{10, 10_000} {
		b.Run(fmt.Sprintf("at message %d", messages), func(b *testing.B) {
			st := newStage(b, store.Normal)
			st.open("")
			st.say("", "please [[pass]]")
			for range messages / 2 {
				st.say("", "stay [[2]]")
			}
			for b.Loop() {
				st.say("", "stay [[2]]")
			}
		})
	}
}

// BenchmarkDurableTurns is turns that survive a power cut: one player alone, and
// many sessions at once.
func BenchmarkDurableTurns(b *testing.B) {
	b.Run("alone", func(b *testing.B) {
		st := newStage(b, store.Full)
		st.open("")
		st.say("", "please [[pass]]")
		for b.Loop() {
			st.say("", "stay [[2]]")
		}
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "turns/s")
	})
	b.Run("at once", func(b *testing.B) {
		st := newStage(b, store.Full)
		var players atomic.Int64
		b.SetParallelism(8)
		b.RunParallel(func(pb *testing.PB) {
			ref := st.ref("gate")
			ref.UserSessionID = fmt.Sprint(players.Add(1))
			_, err := st.Open(context.Background(), OpenRequest{Ref: ref, PlayerName: "Kim"})
			must(b, err)
			say := func(text string) {
				_, err := st.Turn(context.Background(), TurnRequest{Ref: ref, Message: text})
				must(b, err)
			}
			say("please [[pass]]")
			for pb.Next() {
				say("stay [[2]]")
			}
		})
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "turns/s")
	})
}
