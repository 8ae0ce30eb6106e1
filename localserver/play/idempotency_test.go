package play

import (
	"context"
	"errors"
	"fmt"
	"strings"
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
	calls := st.actor.calls.Load()
	repeat := assert.Value(st.Turn(t.Context(), turn))(t)
	assert.True(t, repeat.Replayed, "the stored answer counts as a new one")
	assert.DeepEqual(t, repeat.Web(), reply.Web())
	assert.Equal(t, st.actor.calls.Load(), calls)
	assert.Equal(t, len(st.history("").Messages), 3, "messages")
	other := turn
	other.Idempotency.BodyHash = "i"
	refused(st.Turn(t.Context(), other))(t, "another body", KeyReused)
	other = turn
	other.Machine = "gate"
	refused(st.Turn(t.Context(), other))(t, "another machine", KeyReused)
	open.Idempotency.BodyHash = "i"
	refused(st.Open(t.Context(), open))(t, "open with another body", KeyReused)
}

func replyNeverTwice(st *serviceFixture, entered chan<- struct{}, goOn <-chan error) *int {
	asked := 0
	st.actor.reply = func(ctx context.Context, _ llm.Input, emit func(string) error) (llm.GeneratedText, error) {
		asked++
		text := fmt.Sprint("take ", asked)
		if err := emit(text); err != nil {
			return llm.GeneratedText{}, err
		}
		entered <- struct{}{}
		select {
		case err := <-goOn:
			return llm.GeneratedText{Text: text}, err
		case <-ctx.Done():
			return llm.GeneratedText{}, ctx.Err()
		}
	}
	return &asked
}

type shownTurn struct {
	text  strings.Builder
	reply Reply
	err   error
	ended chan struct{}
}

func streamTurn(ctx context.Context, st *serviceFixture, bodyHash string, waits chan<- struct{}) *shownTurn {
	shown := &shownTurn{ended: make(chan struct{})}
	go func() {
		defer close(shown.ended)
		shown.reply, shown.err = st.Turn(ctx, TurnRequest{
			Ref: st.ref(""), Message: "hm [[redirect]]", Idempotency: Idempotency{Key: "k", BodyHash: bodyHash},
			Wait: func() { waits <- struct{}{} },
			Emit: func(delta string) error { shown.text.WriteString(delta); return nil },
		})
	}()
	return shown
}

// TestSameCallAtOnceIsShownOnce: of two streams under one key, one asks the model.
func TestSameCallAtOnceIsShownOnce(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	st.open("")
	entered, goOn, waits := make(chan struct{}, 2), make(chan error, 2), make(chan struct{}, 4)
	asked := replyNeverTwice(st, entered, goOn)
	first := streamTurn(t.Context(), st, "h", waits)
	<-waits
	<-entered
	second := streamTurn(t.Context(), st, "h", waits)
	<-waits // It waits for the first.
	refused(st.Turn(t.Context(), TurnRequest{
		Ref: st.ref(""), Message: "x", Idempotency: Idempotency{Key: "k", BodyHash: "other"},
	}))(t, "another request under a key that is being answered", KeyReused)
	goOn <- nil
	<-first.ended
	<-second.ended
	for name, shown := range map[string]*shownTurn{"first": first, "second": second} {
		assert.NoError(t, shown.err, "the %s", name)
		assert.Equal(t, shown.text.String(), "take 1", "the %s", name)
		assert.Equal(t, shown.reply.Message, "take 1", "the %s", name)
	}
	assert.Equal(t, *asked, 1, "questions to the model")
	assert.True(t, !first.reply.Replayed, "the first call got a stored answer")
	assert.True(t, second.reply.Replayed, "the second call got a new answer")
}

// TestSameCallGoesOn: if the first of two equal calls fails, the second is answered separately.
func TestSameCallGoesOn(t *testing.T) {
	for _, fails := range []string{"the model fails", "the caller goes"} {
		t.Run(fails, func(t *testing.T) {
			st := newServiceFixture(t, store.Normal)
			st.open("")
			entered, goOn, waits := make(chan struct{}, 2), make(chan error, 2), make(chan struct{}, 4)
			replyNeverTwice(st, entered, goOn)
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			first := streamTurn(ctx, st, "h", waits)
			<-waits
			<-entered
			second := streamTurn(t.Context(), st, "h", waits)
			<-waits
			if fails == "the caller goes" {
				leave()
			} else {
				goOn <- errors.New("down")
			}
			<-first.ended
			<-entered
			goOn <- nil
			<-second.ended
			assert.Must(t, first.err != nil,
				"first %v; second shown %q, given %+v, %v", first.err, second.text.String(), second.reply, second.err)
			assert.NoError(t, second.err)
			assert.Equal(t, second.text.String(), "take 2")
			assert.Equal(t, second.reply.Message, "take 2")
			assert.True(t, !second.reply.Replayed,
				"first %v; second shown %q, given %+v, %v", first.err, second.text.String(), second.reply, second.err)
		})
	}
}

// TestSameCallIsLeft: who waits for the same call and goes away waits no longer.
func TestSameCallIsLeft(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	st.open("")
	entered, goOn, waits := make(chan struct{}, 1), make(chan error, 1), make(chan struct{}, 4)
	replyNeverTwice(st, entered, goOn)
	first := streamTurn(t.Context(), st, "h", waits)
	<-waits
	<-entered
	ctx, leave := context.WithCancel(t.Context())
	second := streamTurn(ctx, st, "h", waits)
	<-waits
	leave()
	<-second.ended
	assert.True(t, errors.Is(second.err, context.Canceled) && second.text.Len() == 0,
		"%v, shown %q", second.err, second.text.String())
	goOn <- nil
	if <-first.ended; first.err != nil {
		t.Error(first.err)
	}
	assert.Equal(t, len(st.underWay.calls), 0, "calls are still noted")
}
