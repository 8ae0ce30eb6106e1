package play

import (
	"context"
	"testing"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/assert"
)

// preparingActor is an actor that reports the inputs of Prepare.
type preparingActor struct {
	*actor
	prepare func(context.Context, llm.Input)
}

func (a *preparingActor) Prepare(ctx context.Context, input llm.Input) { a.prepare(ctx, input) }

// TestPrepare: the model is prepared for the message after an opening and after a change of the
// state, but neither while the state stays nor after an ending.
func TestPrepare(t *testing.T) {
	st := newServiceFixture(t, store.Full)
	prepared := make(chan llm.Input, 1)
	st.Model = &preparingActor{st.actor, func(_ context.Context, input llm.Input) { prepared <- input }}
	expect := func(after, state string, recent int) {
		t.Helper()
		st.preparing.ended.Wait()
		select {
		case input := <-prepared:
			assert.Equal(t, state, input.State.Key, "after %s", after)
			assert.Equal(t, len(input.Recent), recent, "after %s", after)
			assert.Equal(t, input.Message, "", "after %s", after)
		default:
			assert.Equal(t, state, "", "after %s: nothing was prepared, want state", after)
		}
	}
	st.open("gate")
	expect("the opening", "hello", 1)
	st.say("gate", "Hm. [[redirect]]")
	expect("a redirect", "", 0)
	st.say("gate", "Hello. [[pass]]")
	expect("a pass", "talk", 5)
	st.say("gate", "Let me in. [[pass]]")
	expect("the ending", "", 0)
}

// TestPrepareEnds: a message and Close abort a preparation, at most one runs at a time, and after
// Close there is none.
func TestPrepareEnds(t *testing.T) {
	st := newServiceFixture(t, store.Full)
	began, aborted := make(chan bool, 10), make(chan bool, 10)
	st.Model = &preparingActor{st.actor, func(ctx context.Context, _ llm.Input) {
		began <- true
		<-ctx.Done()
		aborted <- true
	}}
	st.open("gate")
	st.open("gate") // The first preparation is still running.
	<-began
	st.say("gate", "Hm. [[redirect]]")
	<-aborted
	st.preparing.ended.Wait()
	st.say("gate", "Hello. [[pass]]")
	<-began
	assert.NoError(t, st.Close())
	assert.Equal(t, len(began), 0)
	assert.Equal(t, len(aborted), 1)
	st.open("gate")
	assert.NoError(t, st.Close())
	assert.Empty(t, began, "a preparation began after Close")
}

// TestPreparePanics: a panic in a preparation neither ends the program nor blocks the next one.
func TestPreparePanics(t *testing.T) {
	st := newServiceFixture(t, store.Full)
	calls := 0
	st.Model = &preparingActor{st.actor, func(context.Context, llm.Input) {
		calls++
		panic("a fault")
	}}
	for range 2 {
		st.open("gate")
		st.preparing.ended.Wait()
	}
	assert.Equal(t, calls, 2, "preparations")
}
