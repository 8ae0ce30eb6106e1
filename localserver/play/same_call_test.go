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

// replyNeverTwice installs a model that answers differently each time, counts its calls, and only
// continues on a signal.
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

// shownTurn is what one caller of a stream has seen.
type shownTurn struct {
	text  strings.Builder
	reply Reply
	err   error
	ended chan struct{}
}

// streamTurn sends a message as a stream, always under the same key. It signals waits each time the
// call waits for a model.
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

// TestSameCallAtOnceIsShownOnce: of two streams under one key, one is played and the
// other gets that answer throughout; the model is asked once.
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
	_, err := st.Turn(t.Context(), TurnRequest{Ref: st.ref(""), Message: "x", Idempotency: Idempotency{Key: "k", BodyHash: "other"}})
	refuses(t, "another request under a key that is being answered", err, KeyReused)
	goOn <- nil
	<-first.ended
	<-second.ended
	for name, shown := range map[string]*shownTurn{"first": first, "second": second} {
		assert.NoError(t, shown.err, "the %s", name)
		assert.Equal(t, shown.text.String(), "take 1", "the %s", name)
		assert.Equal(t, shown.reply.Message, "take 1", "the %s", name)
	}
	if *asked != 1 || first.reply.Replayed || !second.reply.Replayed {
		t.Errorf("the model was asked %d times; stored answers: %v, %v", *asked, first.reply.Replayed, second.reply.Replayed)
	}
}

// TestSameCallGoesOn: if the first of two identical calls fails or is canceled, the waiting one is
// answered separately, without having shown any of the first answer.
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
			if first.err == nil || second.err != nil || second.text.String() != "take 2" || second.reply.Message != "take 2" || second.reply.Replayed {
				t.Errorf("first %v; second shown %q, given %+v, %v", first.err, second.text.String(), second.reply, second.err)
			}
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
	assert.True(t, errors.Is(second.err, context.Canceled) && second.text.Len() <= 0,
		"%v, shown %q", second.err, second.text.String())
	goOn <- nil
	if <-first.ended; first.err != nil {
		t.Error(first.err)
	}
	assert.Equal(t, len(st.underWay.calls), 0, "calls are still noted")
}

// TestSameOpeningAtOnce: two init-sessions under one key are one opening.
func TestSameOpeningAtOnce(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	entered, goOn := make(chan struct{}, 2), make(chan struct{})
	st.actor.open = func() error {
		entered <- struct{}{}
		<-goOn
		return nil
	}
	openings := make(chan Opening, 2)
	for range 2 {
		go func() {
			o, err := st.Open(t.Context(), OpenRequest{Ref: st.ref(""), PlayerName: "Kim", Idempotency: Idempotency{Key: "k", BodyHash: "h"}})
			assert.True(t, err == nil, err)
			openings <- o
		}()
	}
	<-entered
	close(goOn)
	one, two := <-openings, <-openings
	if one.SessionID != two.SessionID || one.Replayed == two.Replayed || st.actor.calls.Load() != 1 {
		t.Errorf("%+v\n%+v\nasked %d times", one, two, st.actor.calls.Load())
	}
}
