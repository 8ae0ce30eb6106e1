package play

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/scripted"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// gateHouse: the gate leads to the cellar by an outcome and to the tower by a score.
const gateHouse = `{
  "name": "Ava", "description": "keeps a gate", "persona_identity_prompt": "You keep a gate.",
  "variables": [{"key": "secret", "value": "unknown"}],
  "machines": [
    {"machine_key": "gate", "name": "The gate", "description": "Get in.", "is_entry_machine": true, "pass_threshold": 3,
     "output_variables": [{"key": "player_wish", "extraction_prompt": "What does the player wish?"}],
     "states": [
       {"state_key": "hello", "is_initial_state": true, "max_redirects": 1,
        "offline": {"opening": ["Halt, {{player_name}}!"], "lines": {"pass": ["Well."], "redirect": ["What?"], "follow_up": ["Go on."]}}},
       {"state_key": "talk", "offline": {"lines": {"pass": ["Enter."], "enter": ["So?"], "reject": ["No."], "kick_out": ["Out!"]}}},
       {"state_key": "in", "is_terminal_state": true, "offline": {"lines": {"enter": ["You are in."]}}}],
     "transitions": [
       {"from_state_key": "hello", "to_state_key": "talk", "decision_type": "pass", "score_delta": 1},
       {"from_state_key": "hello", "decision_type": "redirect", "score_delta": -1},
       {"from_state_key": "talk", "to_state_key": "in", "decision_type": "pass", "score_delta": 2},
       {"from_state_key": "talk", "to_state_key": "talk", "decision_type": "pass", "score_delta": 0, "priority": 5},
       {"from_state_key": "talk", "decision_type": "kick_out", "score_delta": -1, "priority": 9}]},
    {"machine_key": "cellar", "states": [
       {"state_key": "dark", "is_initial_state": true, "offline": {"opening": ["It is dark. You wish for {{player_wish}}."]}},
       {"state_key": "lit", "is_terminal_state": true}],
     "transitions": [{"from_state_key": "dark", "to_state_key": "lit", "decision_type": "pass", "score_delta": 4}]},
    {"machine_key": "tower", "states": [
       {"state_key": "low", "is_initial_state": true}, {"state_key": "high", "is_terminal_state": true}],
     "transitions": [{"from_state_key": "low", "to_state_key": "high", "decision_type": "pass", "score_delta": 3}]},
    {"machine_key": "attic", "states": [
       {"state_key": "dusty", "is_initial_state": true}, {"state_key": "clean", "is_terminal_state": true}],
     "transitions": [{"from_state_key": "dusty", "to_state_key": "clean", "decision_type": "pass", "score_delta": 3}]}],
  "machine_links": [
    {"source_machine_key": "gate", "target_machine_key": "cellar", "condition_type": "outcome", "condition_value": "ACCEPT", "is_auto_advance": true},
    {"source_machine_key": "gate", "target_machine_key": "tower", "condition_type": "score_gte", "condition_value": 3},
    {"source_machine_key": "cellar", "target_machine_key": "attic", "condition_type": "always"}]
}`

func document(t testing.TB) (doc personas.Persona) {
	t.Helper()
	assert.NoError(t, json.Unmarshal([]byte(gateHouse), &doc))
	return doc
}

// actor is the offline model with hooks.
type actor struct {
	llm.Model
	evaluate  func(context.Context, llm.Input) (llm.Evaluation, error)
	reply     func(ctx context.Context, input llm.Input, emit func(string) error) (llm.GeneratedText, error)
	summarize func(input llm.Input, messages []llm.Message) (llm.GeneratedText, error)
	extract   func(input llm.Input, conversation []llm.Message) (llm.Extraction, error)
	open      func() error
	// opening speaks the line in place of the offline model.
	opening func(ctx context.Context, emit func(string) error) (llm.GeneratedText, error)
	calls   atomic.Int32
}

func (a *actor) Open(ctx context.Context, input llm.Input, emit func(string) error) (llm.GeneratedText, error) {
	a.calls.Add(1)
	if a.open != nil {
		if err := a.open(); err != nil {
			return llm.GeneratedText{}, err
		}
	}
	if a.opening != nil {
		return a.opening(ctx, emit)
	}
	return a.Model.Open(ctx, input, emit)
}

func (a *actor) Evaluate(ctx context.Context, input llm.Input) (llm.Evaluation, error) {
	a.calls.Add(1)
	if a.evaluate != nil {
		return a.evaluate(ctx, input)
	}
	return a.Model.Evaluate(ctx, input)
}

func (a *actor) Reply(ctx context.Context, input llm.Input, result llm.StepResult, emit func(string) error) (llm.GeneratedText, error) {
	if a.reply != nil {
		return a.reply(ctx, input, emit)
	}
	return a.Model.Reply(ctx, input, result, emit)
}

func (a *actor) Summarize(ctx context.Context, input llm.Input, messages []llm.Message) (llm.GeneratedText, error) {
	if a.summarize != nil {
		return a.summarize(input, messages)
	}
	return a.Model.Summarize(ctx, input, messages)
}

func (a *actor) Extract(ctx context.Context, input llm.Input, conversation []llm.Message) (llm.Extraction, error) {
	if a.extract != nil {
		return a.extract(input, conversation)
	}
	return a.Model.Extract(ctx, input, conversation)
}

type serviceFixture struct {
	*Service
	t       testing.TB
	actor   *actor
	persona store.Persona
}

func newServiceFixture(t testing.TB, d store.Durability) *serviceFixture {
	t.Helper()
	ctx := context.Background()
	kept := assert.Value(store.Open(ctx, store.Options{Path: filepath.Join(t.TempDir(), "parley.db"), Durability: d}))(t)
	t.Cleanup(func() { assert.NoError(t, kept.Close()) })
	for _, id := range []string{"alice", "bob"} {
		assert.NoError(t, kept.UpsertUser(ctx, store.User{ID: id}))
	}
	a := &actor{Model: scripted.New()}
	st := &serviceFixture{Service: New(kept, a), t: t, actor: a}
	st.MayDirect = func(context.Context) bool { return true }
	st.save(document(t))
	assert.NoError(t, kept.PublishPersona(ctx, st.persona.ID, "alice"))
	return st
}

func (st *serviceFixture) save(doc personas.Persona) {
	st.t.Helper()
	p, _, err := st.Store.SavePersona(context.Background(), store.PersonaSave{PersonaID: st.persona.ID, OwnerID: "alice", Doc: doc})
	assert.NoError(st.t, err)
	st.persona = p
}

func (st *serviceFixture) ref(machine string) Ref {
	return Ref{PersonaID: st.persona.ID, UserSessionID: "v", Machine: machine}
}

func (st *serviceFixture) open(machine string) Opening {
	st.t.Helper()
	return assert.Value(st.Open(context.Background(), OpenRequest{Ref: st.ref(machine), PlayerName: "Kim", PlayerGender: "female"}))(st.t)
}

func (st *serviceFixture) say(machine, text string) Reply {
	st.t.Helper()
	return assert.Value(st.Turn(context.Background(), TurnRequest{Ref: st.ref(machine), Message: text}))(st.t)
}

func (st *serviceFixture) history(machine string) wire.History {
	st.t.Helper()
	return assert.Value(st.readHistory(context.Background(), st.ref(machine)))(st.t)
}

func (st *serviceFixture) readHistory(ctx context.Context, r Ref) (wire.History, error) {
	p, err := st.History(ctx, r, HistoryPart{})
	if err != nil {
		return wire.History{}, err
	}
	h := p.Head
	h.Messages, err = readPages(ctx, p)
	return h, err
}

func (st *serviceFixture) readTrace(ctx context.Context, r Ref) (wire.Trace, error) {
	p, err := st.Trace(ctx, r, HistoryPart{})
	if err != nil {
		return wire.Trace{}, err
	}
	tr := p.Head
	tr.Turns, err = readPages(ctx, p)
	return tr, err
}

func readPages[Head, Item any](ctx context.Context, p *Pages[Head, Item]) (all []Item, err error) {
	for !p.IsAtEnd() {
		page, err := p.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
	}
	return all, nil
}

func (st *serviceFixture) progress() wire.Progress {
	st.t.Helper()
	return assert.Value(st.Progress(context.Background(), st.ref("")))(st.t)
}

func availableKeys(p wire.Progress) []string {
	var keys []string
	for _, a := range p.AvailableMachines {
		keys = append(keys, a.MachineKey)
	}
	return keys
}

func same[E comparable](t testing.TB, what string, got []E, want ...E) {
	t.Helper()
	assert.EqualSlices(t, got, want, what)
}

func refuses(t testing.TB, what string, err error, want Kind) {
	t.Helper()
	e, ok := errors.AsType[*Error](err)
	assert.True(t, ok && e.Kind == want && e.Message != "", "%s: got %v, want %s", what, err, want)
}

// refused returns a function that checks as refuses does: refused(f())(t, what, want).
func refused[T any](_ T, err error) func(t testing.TB, what string, want Kind) {
	return func(t testing.TB, what string, want Kind) {
		t.Helper()
		refuses(t, what, err, want)
	}
}

func textOf[T ~string](text *string) T {
	if text == nil {
		return ""
	}
	return T(*text)
}

// tick makes every look at the clock a second later than the one before.
func (st *serviceFixture) tick() {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	st.Now = func() time.Time { at = at.Add(time.Second); return at }
}
