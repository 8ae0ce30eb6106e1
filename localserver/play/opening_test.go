package play

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/assert"
)

type heardOpening struct {
	begun  []Opening
	pieces []string
	waited int
}

func (h *heardOpening) listenTo(st *serviceFixture) OpenRequest {
	return OpenRequest{
		Ref: st.ref(""), PlayerName: "Kim", PlayerGender: "female", Wait: func() { h.waited++ },
		Begin: func(o Opening) error { h.begun = append(h.begun, o); return nil },
		Emit:  func(delta string) error { h.pieces = append(h.pieces, delta); return nil },
	}
}

func (st *serviceFixture) speakInPieces(after func(ctx context.Context) error, pieces ...string) {
	st.actor.opening = func(ctx context.Context, emit func(string) error) (llm.GeneratedText, error) {
		for _, piece := range pieces {
			if err := emit(piece); err != nil {
				return llm.GeneratedText{}, err
			}
		}
		return llm.GeneratedText{Text: strings.Join(pieces, "")}, after(ctx)
	}
}

func doNothing(context.Context) error { return nil }

// TestOpeningInPieces: Begin is called once and first, with everything but the message; the pieces
// form the stored message; a stored answer comes as one piece.
func TestOpeningInPieces(t *testing.T) {
	for name, model := range map[string]func(*serviceFixture){
		"in pieces": func(st *serviceFixture) { st.speakInPieces(doNothing, "Halt, ", "Kim", "!") },
		"offline":   func(*serviceFixture) {},
		"says nothing on the way": func(st *serviceFixture) {
			st.actor.opening = func(context.Context, func(string) error) (llm.GeneratedText, error) {
				return llm.GeneratedText{Text: "Halt, Kim!"}, nil
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			st := newServiceFixture(t, store.Normal)
			model(st)
			for round := range 2 {
				heard := &heardOpening{}
				request := heard.listenTo(st)
				request.Idempotency = Idempotency{Key: "k", BodyHash: "h"}
				o := assert.Value(st.Open(t.Context(), request))(t)
				assert.Must(t, strings.Join(heard.pieces, "") == "Halt, Kim!" && o.Message == "Halt, Kim!" && len(heard.begun) == 1,
					"heard %q after %+v, answered %+v", heard.pieces, heard.begun, o)
				begun := heard.begun[0]
				begun.Message, begun.PersonaDescription = o.Message, o.PersonaDescription
				assert.Equal(t, begun, o, "began with %+v, ended with %+v", heard.begun[0], o)
				assert.Equal(t, heard.begun[0].Message, "")
				assert.Equal(t, *heard.begun[0].PersonaDescription, *o.PersonaDescription)
				if o.Replayed != (round == 1) || round == 1 && len(heard.pieces) != 1 || round == 0 && heard.waited != 1 {
					t.Errorf("round %d: %+v, %d pieces, waited %d times", round, o, len(heard.pieces), heard.waited)
				}
			}
			h := st.history("")
			assert.True(t, len(h.Messages) == 1 && h.Messages[0].Content == "Halt, Kim!", "kept %+v", h.Messages)
		})
	}
}

// TestOpeningBreaksOff: an interrupted opening leaves an earlier session unchanged.
func TestOpeningBreaksOff(t *testing.T) {
	hung := errors.New("broken pipe")
	for name, request := range map[string]func(*serviceFixture) OpenRequest{
		"the caller has gone at the beginning": func(st *serviceFixture) OpenRequest {
			r := (&heardOpening{}).listenTo(st)
			r.Begin = func(Opening) error { return hung }
			return r
		},
		"the caller has gone in the text": func(st *serviceFixture) OpenRequest {
			r := (&heardOpening{}).listenTo(st)
			r.Emit = func(string) error { return hung }
			return r
		},
		"the model fails": func(st *serviceFixture) OpenRequest {
			st.speakInPieces(func(context.Context) error { return errors.New("down") }, "Halt, ")
			return (&heardOpening{}).listenTo(st)
		},
		"the persona is saved": func(st *serviceFixture) OpenRequest {
			st.speakInPieces(func(context.Context) error { st.save(document(st.t)); return nil }, "Halt, ")
			return (&heardOpening{}).listenTo(st)
		},
	} {
		t.Run(name, func(t *testing.T) {
			st := newServiceFixture(t, store.Normal)
			open := func() error { _, err := st.Open(t.Context(), request(st)); return err }
			assert.True(t, open() != nil, "no error")
			refused(st.readHistory(t.Context(), st.ref("")))(t, "a session after an opening that broke off", NotFound)
			st.actor.opening = nil
			st.open("")
			st.say("", "please [[pass]]")
			err := checkUnchanged(t, st, name, open)
			assert.True(t, !strings.Contains(name, "gone") || errors.Is(err, hung), err)
		})
	}
}

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

// TestPrepareEnds: a message and Close abort a preparation, and at most one runs at a time.
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
