package play

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

func TestStory(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	st.tick()
	ids := st.persona.MachineIDs
	o := st.open("")
	want := Opening{Opening: wire.Opening{
		Message: "Halt, Kim!", SessionID: o.SessionID, UserSessionID: "v", PersonaName: "Ava", PersonaDescription: new("keeps a gate"),
		PlayerName: "Kim", PlayerGender: "female", MachineID: ids["gate"],
	}}
	assert.True(t, reflect.DeepEqual(o, want) && o.SessionID != "", "opening %+v\nwant %+v", o, want)
	count := func(n int) *int { return &n }
	mode, in := string(personas.Scoring), o.SessionID
	for _, c := range []struct {
		say  string
		want wire.Reply
	}{
		{"I want gold [[follow_up]]", wire.Reply{Message: "Go on.", CurrentState: "hello", FollowUp: true, RedirectCount: count(0), SessionID: in, ScoringMode: mode}},
		{"hm [[redirect]]", wire.Reply{Message: "What?", CurrentState: "hello", Score: -1, Decision: new("redirect"), RedirectCount: count(1), SessionID: in, ScoringMode: mode}},
		{"please [[pass]]", wire.Reply{Message: "Well.\n\nSo?", CurrentState: "talk", Decision: new("pass"), RedirectCount: count(0), SessionID: in, ScoringMode: mode}},
		{"stay [[2]]", wire.Reply{Message: "Enter.", CurrentState: "talk", Decision: new("pass"), RedirectCount: count(0), SessionID: in, ScoringMode: mode}},
	} {
		got := st.say("", c.say)
		assert.True(t, reflect.DeepEqual(got.Web(), c.want) && !got.Replayed && len(got.Unlocked) == 0, "%s:\ngot  %+v\nwant %+v", c.say, got, c.want)
	}
	last := st.say("gate", "open [[pass]]")
	assert.Equal(t, textOf[personas.Outcome](last.Outcome), personas.Reject)
	assert.True(t, last.MachineCompleted, "a score under the threshold: %+v", last)
	assert.Equal(t, last.RedirectCount, nil)
	assert.Equal(t, last.Score, 2)
	assert.Empty(t, last.Unlocked)
	refused(st.Turn(t.Context(), TurnRequest{Ref: st.ref("gate"), Message: "hello?"}))(t, "a finished machine", Finished)

	again := st.open("gate")
	st.say("", "my wish is silver [[pass]]")
	won := st.say("", "open [[pass]]")
	unlocked := []wire.UnlockedMachine{
		{MachineID: ids["cellar"], MachineKey: "cellar", Name: "cellar", IsAutoAdvance: true},
		{MachineID: ids["tower"], MachineKey: "tower", Name: "tower"},
	}
	assert.Equal(t, textOf[personas.Outcome](won.Outcome), personas.Accept, "won: %+v", won)
	assert.DeepEqual(t, won.Unlocked, unlocked)
	assert.EqualSlices(t, won.Web().Unlocked, wire.UnlockedMachines{ids["cellar"], ids["tower"]})
	assert.True(t, again.SessionID != in, "won: %+v", won)
	assert.NotContains(t, st.open("cellar").Message, "{{", "the variable was not carried into")
	r := st.say("", "x [[pass]]")
	assert.True(t, len(r.Unlocked) == 1 && r.Unlocked[0].MachineKey == "attic", "the cellar unlocked %+v", r.Unlocked)
	st.open("tower")
	checkProgress(t, st)
}

func checkProgress(t *testing.T, st *serviceFixture) {
	t.Helper()
	p := st.progress()
	assert.Equal(t, p.PersonaID, st.persona.ID, "progress %+v", p)
	assert.Equal(t, p.TotalScore, 7)
	assert.Equal(t, p.RelationshipLevel, 3+1+4+1)
	assert.True(t, p.HasLinks, "progress %+v", p)
	assert.True(t, textOf[string](p.CurrentMachineID) == st.persona.MachineIDs["tower"] && p.CrossMachineVars["player_wish"] != "" && len(p.CrossMachineVars) == 1,
		"current %s, vars %v", textOf[string](p.CurrentMachineID), p.CrossMachineVars)
	same(t, "available", availableKeys(p), "gate", "cellar", "tower", "attic")
	var route []string
	for i, e := range p.RoutePath {
		route = append(route, e.MachineKey)
		assert.True(t, i <= 0 || e.EnteredAt.After(p.RoutePath[i-1].EnteredAt.Time), "route goes back in time: %+v", p.RoutePath)
	}
	same(t, "route", route, "gate", "gate", "cellar", "tower")
	gate := wire.CompletedMachine{MachineID: st.persona.MachineIDs["gate"], MachineKey: "gate", Name: "The gate", Outcome: string(personas.Accept), Score: 3}
	assert.Must(t, len(p.CompletedMachines) == 2, "completed %+v", p.CompletedMachines)
	assert.Equal(t, p.CompletedMachines[1].MachineKey, "cellar")
	assert.True(t, !p.CompletedMachines[0].CompletedAt.IsZero(), "completed %+v", p.CompletedMachines)
	gate.CompletedAt = p.CompletedMachines[0].CompletedAt
	assert.Equal(t, p.CompletedMachines[0], gate, "completed")
	wantGate := wire.AvailableMachine{
		MachineID: gate.MachineID, MachineKey: "gate", Name: "The gate", Description: "Get in.", HasSession: true,
		SessionOutcome: new(string(personas.Accept)),
	}
	wantAttic := wire.AvailableMachine{MachineID: st.persona.MachineIDs["attic"], MachineKey: "attic", Name: "attic", IsLinked: true}
	assert.True(t, reflect.DeepEqual(p.AvailableMachines[0], wantGate) && reflect.DeepEqual(p.AvailableMachines[3], wantAttic),
		"available %+v", p.AvailableMachines)
	list := assert.Value(st.Available(t.Context(), st.ref("")))(t)
	assert.DeepEqual(t, list, p.AvailableMachines, "Available")
}

// TestEndingsHaveNames: the reply that ends a machine has the name of the ending, also when it is
// repeated, and so has the history. Two ways between the same states are told apart.
func TestEndingsHaveNames(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	doc := document(t)
	gate := &doc.Machines[0]
	gate.States[2].EndingName = "By the door"
	bribe := gate.Transitions[2]
	bribe.EndingName, bribe.Priority = "The bribe", 7
	gate.Transitions[4].EndingName = "Out"
	gate.Transitions = append(gate.Transitions, bribe)
	st.save(doc)
	for _, k := range []struct{ mark, want string }{{"[[1]]", "By the door"}, {"[[3]]", "The bribe"}, {"[[kick_out]]", "Out"}} {
		st.open("gate")
		r := st.say("gate", "please [[pass]]")
		assert.True(t, r.Ending == "" && st.history("gate").Ending == "", "an ending %q while the machine goes on", r.Ending)
		turn := TurnRequest{Ref: st.ref("gate"), Message: "now " + k.mark, Idempotency: Idempotency{Key: k.mark, BodyHash: "h"}}
		for range 2 {
			r, err := st.Turn(t.Context(), turn)
			assert.True(t, err == nil && r.Ending == k.want, "%s ends with %q, want %q (%v)", k.mark, r.Ending, k.want, err)
		}
		assert.Equal(t, st.history("gate").Ending, k.want, "the history of %s ends", k.mark)
	}
}

func TestHistory(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	st.tick()
	o := st.open("")
	st.say("", "gold [[follow_up]]")
	st.say("", "please [[pass]]")
	h := st.history("")
	assert.Equal(t, h.SessionID, o.SessionID, "history %+v", h)
	assert.Equal(t, h.PersonaID, st.persona.ID)
	assert.Equal(t, h.CurrentState, "talk")
	assert.Equal(t, h.Score, 1)
	assert.Equal(t, h.PlayerName, "Kim")
	assert.Equal(t, h.PlayerGender, "female")
	assert.True(t, h.LastMessageAt.Equal(h.Messages[4].CreatedAt.Time), "history %+v", h)
	assert.True(t, h.StartedAt.Before(h.LastMessageAt.Time), "history %+v", h)
	var got []string
	for _, m := range h.Messages {
		got = append(got, fmt.Sprint(m.Role, "|", m.Content, "|", m.StateKeyAtTime, "|", m.ScoreAtTime, "|", textOf[string](m.Decision), "|", m.FollowUpTriggered))
		assert.True(t, m.ID != "" && !m.CreatedAt.IsZero(), "message %+v", m)
	}
	same(t, "messages", got,
		"assistant|Halt, Kim!|hello|0||false",
		"user|gold [[follow_up]]|hello|0||false", "assistant|Go on.|hello|0||true",
		"user|please [[pass]]|hello|0||false", "assistant|Well.\n\nSo?|talk|1|pass|false")
}

// TestTurnsAreBounded: a session with the maximum of turns must be restarted.
func TestTurnsAreBounded(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	st.open("")
	l := assert.Value(st.Store.LoadSession(t.Context(), st.ref("").storePlayer(), "", 0))(t)
	l.Session.Turn = MaxTurns - 1
	assert.Value(st.Store.SaveTurn(t.Context(), store.Turn{
		PersonaID: st.persona.ID, Session: l.Session, Said: store.Message{ID: "said"},
		Reply: store.Message{ID: "reply"},
	}))(t)
	request := TurnRequest{Ref: st.ref(""), Message: "hm [[redirect]]", Idempotency: Idempotency{Key: "k", BodyHash: "h"}}
	assert.Value(st.Turn(t.Context(), request))(t)
	asked := st.actor.calls.Load()
	_, err := st.Turn(t.Context(), TurnRequest{Ref: st.ref(""), Message: "hm [[redirect]]"})
	refuses(t, "one past the limit", err, Full)
	assert.ErrorContains(t, err, "10000 turns")
	assert.ErrorContains(t, err, "reset")
	assert.Equal(t, st.actor.calls.Load(), asked)
	r, err := st.Turn(t.Context(), request)
	assert.True(t, err == nil && r.Replayed, "the last turn sent again: %+v, %v", r, err)
	assert.Value(st.Reset(t.Context(), st.ref("")))(t)
	st.say("", "hm [[redirect]]")
}

func TestStream(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	st.open("")
	var begun []Reply
	var text strings.Builder
	request := TurnRequest{
		Ref: st.ref(""), Message: "please [[pass]]", Idempotency: Idempotency{Key: "k", BodyHash: "h"},
		Begin: func(r Reply) error {
			assert.True(t, text.Len() == 0, "text came before the beginning")
			begun = append(begun, r)
			return nil
		},
		Emit: func(delta string) error { text.WriteString(delta); return nil },
	}
	for range 2 { // the second is the stored answer
		begun = nil
		text.Reset()
		r := assert.Value(st.Turn(t.Context(), request))(t)
		r.Replayed = begun[0].Replayed
		assert.True(t, text.String() == r.Message && r.Message != "", "emitted %q, reply %q", text.String(), r.Message)
		r.Message = ""
		assert.True(t, len(begun) == 1 && reflect.DeepEqual(begun[0], r), "began with %+v, want %+v", begun, r)
	}
}

func checkUnchanged(t *testing.T, st *serviceFixture, what string, call func() error) error {
	t.Helper()
	history, progress := st.history(""), st.progress()
	err := call()
	assert.True(t, err != nil, "%s: no error", what)
	assert.DeepEqual(t, st.history(""), history, "%s: history changed", what)
	assert.DeepEqual(t, st.progress(), progress, "%s: progress changed", what)
	return err
}

type timeout struct{ error }

func (timeout) Timeout() bool { return true }

// TestModelFails lets each model call of a completing turn fail in each way.
func TestModelFails(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	st.open("")
	st.say("", "please [[pass]]")
	down := errors.New("connection refused")
	breaks := map[string]func(error){
		"evaluate": func(err error) {
			st.actor.evaluate = func(context.Context, llm.Input) (llm.Evaluation, error) { return llm.Evaluation{}, err }
		},
		"reply": func(err error) {
			st.actor.reply = func(_ context.Context, _ llm.Input, emit func(string) error) (llm.GeneratedText, error) {
				return llm.GeneratedText{}, errors.Join(emit("Half a"), err)
			}
		},
		"extract": func(err error) {
			st.actor.extract = func(llm.Input, []llm.Message) (llm.Extraction, error) { return llm.Extraction{}, err }
		},
	}
	turn := func() error {
		_, err := st.Turn(t.Context(), TurnRequest{Ref: st.ref(""), Message: "open [[pass]]", Idempotency: Idempotency{Key: "k", BodyHash: "h"}})
		return err
	}
	for name, broken := range breaks {
		for err, want := range map[error]Kind{down: ModelDown, context.DeadlineExceeded: ModelLate, (timeout{down}): ModelLate} {
			broken(err)
			got := checkUnchanged(t, st, name, turn)
			refuses(t, name, got, want)
			assert.ErrorIs(t, got, err, "%s: the cause is lost", name)
			*st.actor = actor{Model: st.actor.Model}
		}
	}
	st.actor.open = func() error { return down }
	refuses(t, "open", checkUnchanged(t, st, "open", func() error {
		_, err := st.Open(t.Context(), OpenRequest{Ref: st.ref("")})
		return err
	}), ModelDown)
	assert.NoError(t, turn()) // and after all that it can be sent again
}

func TestCallerGoesAway(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	st.open("")
	hung := errors.New("broken pipe")
	for _, c := range []struct {
		what    string
		request TurnRequest
	}{
		{"at the beginning", TurnRequest{Begin: func(Reply) error { return hung }}},
		{"in the text", TurnRequest{Emit: func(string) error { return hung }}},
	} {
		t.Run(c.what, func(t *testing.T) {
			c.request.Ref, c.request.Message = st.ref(""), "please [[pass]]"
			err := checkUnchanged(t, st, c.what, func() error {
				_, err := st.Turn(t.Context(), c.request)
				return err
			})
			assert.ErrorIs(t, err, hung, c.what)
		})
	}
	for name, hook := range map[string]func(cancel func()){
		"while the model evaluates": func(cancel func()) {
			st.actor.evaluate = func(ctx context.Context, s llm.Input) (llm.Evaluation, error) {
				cancel()
				return llm.Evaluation{}, ctx.Err()
			}
		},
		"after the reply": func(cancel func()) {
			st.actor.reply = func(context.Context, llm.Input, func(string) error) (llm.GeneratedText, error) {
				cancel()
				return llm.GeneratedText{Text: "Too late."}, nil
			}
		},
	} {
		err := checkUnchanged(t, st, name, func() error {
			ctx, cancel := context.WithCancel(t.Context())
			hook(cancel)
			_, err := st.Turn(ctx, TurnRequest{Ref: st.ref(""), Message: "please [[pass]]"})
			return err
		})
		_, refusal := errors.AsType[*Error](err)
		assert.True(t, !refusal && errors.Is(err, context.Canceled), "%s: %v", name, err)
		*st.actor = actor{Model: st.actor.Model}
	}
}

func TestEvaluationIsChecked(t *testing.T) {
	holds := func(transitions ...int) llm.Evaluation {
		var e llm.Evaluation
		for _, i := range transitions {
			e.Matches = append(e.Matches, llm.Match{Transition: i})
		}
		return e
	}
	followUp := llm.Evaluation{FollowUp: true}
	for _, c := range []struct {
		what    string
		answers []llm.Evaluation
		want    personas.Decision
		asked   int32
	}{
		{"a choice", []llm.Evaluation{holds(0)}, "pass", 1},
		{"two, the first one tried wins", []llm.Evaluation{holds(1, 0)}, "pass", 1},
		{"none", []llm.Evaluation{holds()}, "redirect", 1},
		{"another state's, then a choice", []llm.Evaluation{holds(2), holds(0)}, "pass", 2},
		{"a follow-up", []llm.Evaluation{followUp}, "", 1},
		{"both", []llm.Evaluation{{FollowUp: true, Matches: holds(0).Matches}, holds(0)}, "pass", 2},
	} {
		t.Run(c.what, func(t *testing.T) {
			st := newServiceFixture(t, store.Normal)
			st.open("")
			st.actor.calls.Store(0)
			answers := c.answers
			st.actor.evaluate = func(context.Context, llm.Input) (llm.Evaluation, error) {
				e := answers[0]
				answers = answers[1:]
				return e, nil
			}
			r := st.say("", "x")
			assert.True(t, textOf[personas.Decision](r.Decision) == c.want && r.FollowUp == (c.want == "") && st.actor.calls.Load() == c.asked,
				"%s: %q after %d questions, want %q after %d", c.what, textOf[string](r.Decision), st.actor.calls.Load(), c.want, c.asked)
		})
	}
}

// TestWrongChoicesKeepNothing: a verdict that is not a choice of the state is retried once. A
// second one ends the turn: nothing is stored and no try is used, however often it happens.
func TestWrongChoicesKeepNothing(t *testing.T) {
	wrong := map[string]llm.Evaluation{
		"another state's":   {Matches: []llm.Match{{Transition: 2}}},
		"out of range":      {Matches: []llm.Match{{Transition: 99}}},
		"one of them wrong": {Matches: []llm.Match{{Transition: 0}, {Transition: 99}}},
		"not alone":         {FollowUp: true, Matches: []llm.Match{{Transition: 0}}},
	}
	for what, e := range wrong {
		t.Run(what, func(t *testing.T) {
			st := newServiceFixture(t, store.Normal)
			st.open("")
			before := st.history("")
			st.actor.evaluate = func(context.Context, llm.Input) (llm.Evaluation, error) { return e, nil }
			for range 5 {
				st.actor.calls.Store(0)
				_, err := st.Turn(t.Context(), TurnRequest{Ref: st.ref(""), Message: "x"})
				refusal, ok := errors.AsType[*Error](err)
				assert.Must(t, ok, "%v after %d questions", err, st.actor.calls.Load())
				assert.Equal(t, refusal.Kind, ModelDown)
				assert.Equal(t, refusal.Message, Unusable)
				assert.Equal(t, st.actor.calls.Load(), 2)
			}
			after := st.history("")
			assert.Equal(t, len(after.Messages), len(before.Messages))
			assert.Equal(t, after.Score, before.Score)
			assert.Equal(t, after.CurrentState, before.CurrentState)
		})
	}
}

// TestSecondFollowUp: a second follow-up in a row is retried once, and then refused.
func TestSecondFollowUp(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	st.open("")
	st.actor.evaluate = func(context.Context, llm.Input) (llm.Evaluation, error) { return llm.Evaluation{FollowUp: true}, nil }
	r := st.say("", "x")
	assert.True(t, r.FollowUp, "%+v", r)
	_, err := st.Turn(t.Context(), TurnRequest{Ref: st.ref(""), Message: "x"})
	refusal, ok := errors.AsType[*Error](err)
	assert.True(t, ok && refusal.Message == Unusable, "%v", err)
}

// TestMemory: a prompt has at most 20 messages, and the summary covers all before them.
func TestMemory(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	st.open("")
	st.say("", "please [[pass]]")
	told := 0 // messages that the summary tells of
	var at []int
	st.actor.summarize = func(input llm.Input, messages []llm.Message) (llm.GeneratedText, error) {
		assert.Equal(t, input.Summary, summaryOf(told), "the previous summary")
		told += len(messages)
		at = append(at, told)
		return llm.GeneratedText{Text: summaryOf(told)}, nil
	}
	st.actor.extract = func(input llm.Input, conversation []llm.Message) (llm.Extraction, error) {
		assert.Equal(t, len(conversation), 3+2*50)
		assert.Equal(t, input.Summary, summaryOf(told))
		judged := input.Judged
		last := len(conversation) - 2
		assert.Must(t, len(judged) == last+1, "the messages were judged as %v", judged)
		assert.Equal(t, judged[1].As, "pass")
		assert.Equal(t, judged[last].As, "pass")
		assert.Equal(t, judged[0].As, "")
		assert.True(t, judged[1].State != "", "the messages were judged as %v", judged)
		assert.True(t, judged[1].State != judged[last].State, "the messages were judged as %v", judged)
		return llm.Extraction{Values: map[string]string{"player_wish": "gold", "invented": "x"}}, nil
	}
	for turn := range 50 {
		said := 3 + 2*turn
		st.actor.evaluate = func(ctx context.Context, input llm.Input) (llm.Evaluation, error) {
			assert.True(t, len(input.Recent) == min(said, window) && said-len(input.Recent) <= told && input.Summary == summaryOf(told),
				"after %d messages: %d recent, summary %q", said, len(input.Recent), input.Summary)
			return st.actor.Model.Evaluate(ctx, input)
		}
		text := "stay [[2]]"
		if turn == 49 {
			text = "open [[1]]"
		}
		st.say("", text)
	}
	same(t, "summarized at", at, 21, 41, 61, 81, 101, 103)
	assert.DeepEqual(t, st.progress().CrossMachineVars, map[string]string{"player_wish": "gold"})
}

func summaryOf(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint("of ", n)
}

func TestExtractReadsOnlySoMuch(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	st.open("")
	st.say("", "please [[pass]]")
	for range maxExtracted/2 + 5 {
		st.say("", "stay [[2]]")
	}
	read := 0
	st.actor.extract = func(_ llm.Input, conversation []llm.Message) (llm.Extraction, error) {
		read = len(conversation)
		return llm.Extraction{}, nil
	}
	st.say("", "open [[1]]")
	assert.Equal(t, read, maxExtracted, "messages were read")
}

// newPatientFixture is the gatehouse with a first state that has a patience of two.
func newPatientFixture(t *testing.T) *serviceFixture {
	t.Helper()
	st := newServiceFixture(t, store.Normal)
	doc := document(t)
	hello := doc.Machines[0].States[0].Offline
	hello.Patience, hello.Lines.Unknown = new(2), []string{"Pardon, {{player_name}}?"}
	st.save(doc)
	st.open("")
	return st
}

// TestAside follows asides on the wire, in the history and in the trace.
func TestAside(t *testing.T) {
	st := newPatientFixture(t)
	in := st.history("").SessionID
	for _, c := range []struct {
		say  string
		want wire.Reply
	}{
		{"nice weather [[aside]]", wire.Reply{Message: "Pardon, Kim?", CurrentState: "hello", FollowUp: true, Aside: true, RedirectCount: new(0)}},
		{"I want gold [[follow_up]]", wire.Reply{Message: "Go on.", CurrentState: "hello", FollowUp: true, RedirectCount: new(0)}},
		{"one [[aside]]", wire.Reply{Message: "Pardon, Kim?", CurrentState: "hello", FollowUp: true, Aside: true, RedirectCount: new(0)}},
		{"two [[ASIDE]]", wire.Reply{Message: "Pardon, Kim?\n\n(Still to do: Get in.)", CurrentState: "hello", FollowUp: true, Aside: true, RedirectCount: new(0)}},
		{"three [[aside]]", wire.Reply{Message: "What?", CurrentState: "hello", Score: -1, Decision: new("redirect"), RedirectCount: new(1)}},
	} {
		c.want.SessionID, c.want.ScoringMode = in, string(personas.Scoring)
		assert.DeepEqual(t, st.say("", c.say).Reply, c.want, c.say)
	}
	checkKeptAsides(t, st)
}

func checkKeptAsides(t *testing.T, st *serviceFixture) {
	t.Helper()
	var asides, judged []bool
	for _, m := range st.history("").Messages[1:] {
		if m.Role == wire.RoleAssistant {
			asides = append(asides, m.Aside && m.FollowUpTriggered && m.Decision == nil)
		}
	}
	for _, turn := range st.trace("alice").Turns[1:] {
		judged = append(judged, turn.Aside && strings.Contains(turn.Evaluation, "aside"))
	}
	assert.EqualSlices(t, asides, []bool{true, false, true, true, false})
	assert.EqualSlices(t, judged, []bool{true, false, true, true, true})
}

// TestAsideWithoutLines answers plainly, as a stage direction or in the character's words, and
// retries a model that makes two decisions at once.
func TestAsideWithoutLines(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	st.open("")
	r := st.say("", "lovely gate [[aside]]")
	assert.True(t, r.Aside && !strings.ContainsAny(r.Message, "*“”"), "%+v", r)
	_, ok := (&turn{}).verdictOf(llm.Evaluation{Aside: true, FollowUp: true})
	assert.True(t, !ok, "an aside and a follow-up at once are taken")
}

// TestLastTryIsNotGuessed: a doubtful miss with the last try is asked about once, in the
// author's words for what was not understood; a clear answer then wins, and another miss ends it.
func TestLastTryIsNotGuessed(t *testing.T) {
	for answer, want := range map[string]string{"The rind I guess": "open", "I look at everything": "ditch"} {
		st := newServiceFixture(t, store.Full)
		st.save(findSample(t, "Hobb"))
		st.open("")
		st.say("", "I have a letter for the mayor")
		r := st.say("", "I look at everything")
		assert.Must(t, r.Decision != nil && *r.Decision == "redirect", "a miss with three tries left: %+v", r)
		st.say("", "I am very good at my job")
		if r := st.say("", "the bit at the end of it"); !r.FollowUp || r.CurrentState != "papers" || !strings.Contains(r.Message, "cheese") {
			t.Errorf("a doubtful miss with the last try: %+v", r)
		}
		assert.Equal(t, st.say("", answer).CurrentState, want, "%q leads to", answer)
	}
}

// TestLossIsAskedAbout: the character asks with a warning before a message ends the game, and a
// second such message ends it.
func TestLossIsAskedAbout(t *testing.T) {
	st := newServiceFixture(t, store.Full)
	st.save(findSample(t, "Marit"))
	st.open("")
	st.say("", "I like the quiet at night")
	r := st.say("", "I dont make mistakes")
	assert.True(t, r.FollowUp && !r.MachineCompleted && strings.Contains(r.Message, "that is the end of it"), "a reject that is no example: %+v", r)
	r = st.say("", "as I said, I never make mistakes")
	assert.True(t, r.MachineCompleted && r.Decision != nil && *r.Decision == "reject", "the second reject: %+v", r)
}

// TestSummaryFails: turns are stored without summaries, and a later summary reads each message once.
func TestSummaryFails(t *testing.T) {
	for _, failing := range []int{1, 5, 19, 20, 21, 60} {
		t.Run(fmt.Sprint(failing, " times"), func(t *testing.T) { summaryFails(t, failing) })
	}
}

func summaryFails(t *testing.T, failing int) {
	st := newServiceFixture(t, store.Normal)
	st.open("")
	st.say("", "please [[pass]]")
	told, failed := 0, 0
	st.actor.summarize = func(input llm.Input, messages []llm.Message) (llm.GeneratedText, error) {
		assert.True(t, len(messages) <= maxUnread && input.Summary == summaryOf(told),
			"%d messages to summarize, behind the summary %q, want %q", len(messages), input.Summary, summaryOf(told))
		if failed < failing {
			failed++
			return llm.GeneratedText{}, errors.New("the provider is down")
		}
		all := st.history("").Messages
		all = all[:min(told+len(messages), len(all))] // This turn's two are not kept yet.
		for i := told; i < len(all); i++ {
			assert.Must(t, all[i].Content == messages[i-told].Text, "message %d is summarized as %q, want %q", i, messages[i-told].Text, all[i].Content)
		}
		told += len(messages)
		return llm.GeneratedText{Text: summaryOf(told)}, nil
	}
	for turn := range failing + 30 {
		said := 3 + 2*turn
		st.actor.evaluate = func(ctx context.Context, input llm.Input) (llm.Evaluation, error) {
			reachesBack(t, input, said, told)
			return st.actor.Model.Evaluate(ctx, input)
		}
		st.say("", fmt.Sprintf("word%d [[2]]", turn))
	}
	n := len(st.history("").Messages)
	assert.True(t, failed == failing && n == 3+2*(failing+30) && n-told <= window,
		"failed %d times, %d messages kept, the summary tells of %d", failed, n, told)
}

// reachesBack checks that no message is missing between the summary and the prompt's messages:
// messages in neither are quoted after the summary.
func reachesBack(t *testing.T, input llm.Input, said, told int) {
	t.Helper()
	assert.Must(t, len(input.Recent) <= maxUnread && len(input.Recent) >= min(said, window),
		"after %d messages a prompt has %d of them", said, len(input.Recent))
	assert.Must(t, strings.HasPrefix(input.Summary, summaryOf(told)),
		"after %d messages, %d of them told, the summary is %q", said, told, input.Summary)
	gap := said - len(input.Recent) - told
	last := said - len(input.Recent) - 1 // the last message that the prompt does not have
	word := fmt.Sprintf("word%d", (last-3)/2)
	assert.Must(t, gap <= 0 || last < 3 || strings.Contains(input.Summary, word),
		"after %d messages %d are nowhere, %q among them: %q", said, gap, word, input.Summary)
	assert.Must(t, gap > 0 || input.Summary == summaryOf(told), "the summary is %q", input.Summary)
}

// TestSummaryFailsAtTheEnd: a machine ends and its variables are read without the summary.
func TestSummaryFailsAtTheEnd(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	st.open("")
	st.say("", "I wish for gold [[pass]]")
	st.actor.summarize = func(llm.Input, []llm.Message) (llm.GeneratedText, error) {
		return llm.GeneratedText{Usage: llm.Usage{Model: "a/b", In: 3}}, errors.New("the provider is down")
	}
	r := st.say("", "open [[pass]]")
	assert.True(t, r.MachineCompleted && r.Tokens == (wire.Tokens{In: 3}) && st.progress().CrossMachineVars["player_wish"] != "",
		"%+v, %v", r, st.progress().CrossMachineVars)
	messages := st.trace("alice").Turns
	last := messages[len(messages)-1]
	assert.True(t, strings.Contains(last.Summary, "the provider is down") && last.Usage[stepSummarization].In == 3, "the trace says %+v", last)
}

// TestTurnLimit: a late reply refuses the turn; a late summary does not.
func TestTurnLimit(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	st.open("")
	st.say("", "please [[pass]]")
	st.TurnLimit = time.Nanosecond
	until := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	st.actor.evaluate = func(ctx context.Context, _ llm.Input) (llm.Evaluation, error) { return llm.Evaluation{}, until(ctx) }
	refuses(t, "a late evaluation", checkUnchanged(t, st, "late", func() error {
		_, err := st.Turn(t.Context(), TurnRequest{Ref: st.ref(""), Message: "open [[pass]]"})
		return err
	}), ModelLate)
	st.TurnLimit = time.Hour
	var limited context.Context
	st.actor.evaluate = func(ctx context.Context, input llm.Input) (llm.Evaluation, error) {
		limited = ctx
		return st.actor.Model.Evaluate(ctx, input)
	}
	st.actor.summarize = func(llm.Input, []llm.Message) (llm.GeneratedText, error) {
		return llm.GeneratedText{}, context.DeadlineExceeded
	}
	r := st.say("", "open [[pass]]")
	assert.True(t, r.MachineCompleted, "%+v", r)
	_, ok := limited.Deadline()
	assert.True(t, ok && limited.Err() != nil, "the models' time is not bounded, or not given back")
}

// TestWithdrawnThoughtsAreNotKept: the model's final text is stored without a streamed thought.
func TestWithdrawnThoughtsAreNotKept(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	st.open("")
	st.actor.reply = func(_ context.Context, _ llm.Input, emit func(string) error) (llm.GeneratedText, error) {
		assert.NoError(t, emit("He lies. "))
		assert.NoError(t, emit("Hm."))
		return llm.GeneratedText{Text: "Hm.", Withdrawn: true}, nil
	}
	r := st.say("", "hm [[redirect]]")
	messages := st.history("").Messages
	kept := messages[len(messages)-1].Content
	assert.True(t, r.Message == "Hm." && kept == "Hm.", "answered %q, kept %q", r.Message, kept)
}

// TestPiecesAreTheMessage: the streamed text is stored, even if the final text differs.
func TestPiecesAreTheMessage(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	st.open("")
	pieces := []string{" Hal", "lo, 🐈", "\n\n", "…", "and out. "}
	st.actor.reply = func(_ context.Context, _ llm.Input, emit func(string) error) (llm.GeneratedText, error) {
		for _, p := range pieces {
			assert.NoError(t, emit(p))
		}
		return llm.GeneratedText{Text: "Something else."}, nil
	}
	var shown strings.Builder
	r := assert.Value(st.Turn(t.Context(), TurnRequest{Ref: st.ref(""), Message: "hm [[redirect]]", Emit: func(p string) error {
		shown.WriteString(p)
		return nil
	}}))(t)
	messages := st.history("").Messages
	kept := messages[len(messages)-1].Content
	want := strings.Join(pieces, "")
	assert.True(t, shown.String() == want && r.Message == want && kept == want, "shown %q, answered %q, kept %q", shown.String(), r.Message, kept)
}
