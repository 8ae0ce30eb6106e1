package play

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

func randomPersona(r *rand.Rand) personas.Persona {
	doc := personas.Persona{Name: "Ava", Description: "keeps gates", IdentityPrompt: "You keep gates."}
	for m := range 1 + r.IntN(3) {
		doc.Machines = append(doc.Machines, randomMachine(r, fmt.Sprint("m", m)))
		if m > 0 {
			doc.Links = append(doc.Links, randomLink(r, m))
		}
	}
	return doc
}

func randomMachine(r *rand.Rand, key string) personas.Machine {
	m := personas.Machine{Key: key, OutputVariables: []personas.OutputVariable{{Key: "wish_" + key}}}
	if r.IntN(3) == 0 {
		m.PassThreshold = new(r.IntN(4))
	}
	if r.IntN(3) == 0 {
		m.EarlyFailBound = new(-1 - r.IntN(4))
	}
	states := 2 + r.IntN(3)
	for s := range states {
		state := personas.State{Key: fmt.Sprint("s", s), IsInitial: s == 0, IsTerminal: s == states-1}
		if r.IntN(2) == 0 {
			state.MaxRedirects = new(r.IntN(3))
		}
		m.States = append(m.States, state)
	}
	decisions := []personas.Decision{personas.DecidePass, personas.DecidePass, personas.DecideRedirect, personas.DecideReject, personas.DecideKickOut}
	for s := range states - 1 {
		for range 1 + r.IntN(3) {
			m.Transitions = append(m.Transitions, personas.Transition{
				From: fmt.Sprint("s", s), To: fmt.Sprint("s", r.IntN(states)),
				Decision: decisions[r.IntN(len(decisions))], ScoreDelta: r.IntN(5) - 2, Priority: r.IntN(3),
			})
		}
	}
	return m
}

func randomLink(r *rand.Rand, target int) personas.Link {
	conditions := []personas.Condition{personas.Always, personas.IfOutcome, personas.IfScoreGTE, personas.IfScoreLTE}
	return personas.Link{
		Source: fmt.Sprint("m", r.IntN(target)), Target: fmt.Sprint("m", target),
		Condition: conditions[r.IntN(len(conditions))], Outcome: personas.Reject, Score: r.IntN(3) - 1,
	}
}

// randomVerdict returns a possible answer of a model in a state.
func randomVerdict(r *rand.Rand, input llm.Input) llm.Evaluation {
	switch {
	case r.IntN(6) == 0:
		return llm.Evaluation{Aside: true}
	case r.IntN(6) == 0 && input.FollowUpAllowed:
		return llm.Evaluation{FollowUp: true}
	case r.IntN(5) == 0 || len(input.Outgoing) == 0:
		return llm.Evaluation{}
	}
	return llm.Evaluation{Matches: []llm.Match{{Transition: input.Outgoing[r.IntN(len(input.Outgoing))]}}}
}

type playerState struct {
	Progress wire.Progress
	Unlocked []string
	Vars     map[string]string
	Sessions []store.Session
	Messages [][]wire.HistoryMessage
	Traces   [][]wire.TurnTrace
}

func (st *serviceFixture) stateOf(r Ref) (s playerState) {
	st.t.Helper()
	ctx := context.Background()
	s.Progress = assert.Value(st.Progress(ctx, r))(st.t)
	kept := assert.Value(st.Store.LoadProgress(ctx, r.storePlayer()))(st.t)
	slices.Sort(kept.Unlocked)
	s.Unlocked, s.Vars = kept.Unlocked, kept.Vars
	for i := range kept.Sessions {
		n := kept.Sessions[i]
		n.ID, n.PlayerID, n.Revision = "", "", 0
		s.Sessions = append(s.Sessions, n)
		at := r
		at.Machine = n.MachineID
		h := assert.Value(st.readHistory(ctx, at))(st.t)
		s.Messages = append(s.Messages, h.Messages)
		at.UserID = "alice"
		trace := assert.Value(st.readTrace(ctx, at))(st.t)
		s.Traces = append(s.Traces, trace.Turns)
	}
	return s
}

// pastTurn is a moment of a play: after a number of turns of a machine.
type pastTurn struct {
	machine string
	turn    int64
	state   playerState
	// isLost means that a machine that had a session then was begun again since.
	isLost bool
}

// loseMoments drops the moments of a restarted machine.
func loseMoments(moments []pastTurn, machine, machineID string) []pastTurn {
	moments = slices.DeleteFunc(moments, func(m pastTurn) bool { return m.machine == machine })
	for i := range moments {
		if slices.ContainsFunc(moments[i].state.Sessions, func(n store.Session) bool { return n.MachineID == machineID }) {
			moments[i].isLost = true
		}
	}
	return moments
}

func (st *serviceFixture) playRandomly(r *rand.Rand, player Ref, steps, oneOf int) (moments []pastTurn) {
	st.t.Helper()
	note := func(machine string) {
		if r.IntN(oneOf) > 0 {
			return
		}
		s := st.stateOf(player)
		for i := range s.Sessions {
			if id := st.persona.MachineIDs[machine]; s.Sessions[i].MachineID == id {
				moments = append(moments, pastTurn{machine: machine, turn: s.Sessions[i].Turn, state: s})
			}
		}
	}
	running := map[string]bool{}
	for step := range steps {
		machine := fmt.Sprint("m", r.IntN(len(st.persona.Doc.Machines)))
		at := player
		at.Machine = machine
		switch {
		case running[machine] && r.IntN(12) == 0:
			assert.Value(st.Reset(st.t.Context(), at))(st.t)
			moments = loseMoments(moments, machine, st.persona.MachineIDs[machine])
		case running[machine]:
			text := fmt.Sprint("words ", step)
			reply := assert.Value(st.Turn(st.t.Context(), TurnRequest{Ref: at, Message: text}))(st.t)
			running[machine] = !reply.MachineCompleted
		default:
			_, err := st.Open(st.t.Context(), OpenRequest{Ref: at, PlayerName: "Kim", PlayerGender: "female"})
			if refusal, ok := errors.AsType[*Error](err); ok && refusal.Kind == Locked {
				continue
			}
			assert.NoError(st.t, err)
			running[machine] = true
			moments = loseMoments(moments, machine, st.persona.MachineIDs[machine])
		}
		note(machine)
	}
	return moments
}

// playsOfAStage is how many random plays are in one database.
const playsOfAStage = 250

// TestForkIsThePast plays random personas at random. A fork at any turn equals the player's state
// at that turn, in every member, or is refused because a machine was restarted since; and the
// original player does not change. LONG=1 plays 100,000 times and forks each play at some of its
// turns, which takes an hour or two: use -timeout 3h.
func TestForkIsThePast(t *testing.T) {
	plays, oneOf := 30, 1
	if os.Getenv("LONG") == "1" {
		plays, oneOf = 100_000, 12
	}
	exact := 0
	for first := 0; first < plays; first += playsOfAStage {
		t.Run(fmt.Sprint("from ", first), func(t *testing.T) {
			st := newServiceFixture(t, store.Volatile)
			st.tick()
			for seed := first; seed < min(first+playsOfAStage, plays); seed++ {
				exact += st.checkForks(uint64(seed), oneOf)
			}
		})
	}
	t.Logf("%d forks of %d plays are exact", exact, plays)
}

func (st *serviceFixture) checkForks(seed uint64, oneOf int) (exact int) {
	t, r := st.t, rand.New(rand.NewPCG(seed, 7))
	st.actor.evaluate = func(_ context.Context, input llm.Input) (llm.Evaluation, error) { return randomVerdict(r, input), nil }
	st.actor.extract = func(input llm.Input, _ []llm.Message) (llm.Extraction, error) {
		return llm.Extraction{Values: map[string]string{input.Machine.OutputVariables[0].Key: fmt.Sprint(r.IntN(9))}}, nil
	}
	st.persona = store.Persona{}
	st.save(randomPersona(r))
	assert.NoError(t, st.Store.PublishPersona(t.Context(), st.persona.ID, "alice"))
	player := Ref{PersonaID: st.persona.ID, UserSessionID: fmt.Sprint("p", seed)}
	moments := st.playRandomly(r, player, 25, oneOf)
	after := st.stateOf(player)
	for _, m := range moments {
		at := player
		at.Machine = m.machine
		fork, err := st.Fork(t.Context(), ForkRequest{Ref: at, At: m.turn})
		if m.isLost {
			refuses(t, fmt.Sprintf("seed %d, %s after turn %d", seed, m.machine, m.turn), err, PastGone)
			continue
		}
		assert.NoError(t, err)
		exact++
		forked := Ref{PersonaID: st.persona.ID, UserSessionID: fork.UserSessionID}
		if got := st.stateOf(forked); !reflect.DeepEqual(got, m.state) {
			t.Fatalf("seed %d, %s after turn %d:\n got %+v\nwant %+v", seed, m.machine, m.turn, got, m.state)
		}
		forked.Machine = m.machine
		again := assert.Value(st.Fork(t.Context(), ForkRequest{Ref: forked, At: m.turn}))(t)
		got := st.stateOf(Ref{PersonaID: st.persona.ID, UserSessionID: again.UserSessionID})
		assert.Must(t, reflect.DeepEqual(got, m.state), "seed %d: the fork of a fork is another one", seed)
	}
	assert.Must(t, reflect.DeepEqual(st.stateOf(player), after), "seed %d: the player who was forked changed", seed)
	return exact
}

func (st *serviceFixture) fork(r Ref, at int64) Ref {
	st.t.Helper()
	b := assert.Value(st.Fork(context.Background(), ForkRequest{Ref: r, At: at}))(st.t)
	return Ref{PersonaID: r.PersonaID, UserID: r.UserID, UserSessionID: b.UserSessionID, Machine: b.MachineKey}
}

// TestSameAfterRandomForks: the same words after a fork of a random persona have the same effect.
func TestSameAfterRandomForks(t *testing.T) {
	plays := 40
	if os.Getenv("LONG") == "1" {
		plays = 5_000
	}
	for first := 0; first < plays; first += playsOfAStage {
		t.Run(fmt.Sprint("from ", first), func(t *testing.T) {
			st := newServiceFixture(t, store.Volatile)
			for seed := first; seed < min(first+playsOfAStage, plays); seed++ {
				st.checkSameAfterFork(uint64(seed))
			}
		})
	}
}

func (st *serviceFixture) checkSameAfterFork(seed uint64) {
	t, r := st.t, rand.New(rand.NewPCG(seed, 11))
	st.persona = store.Persona{}
	st.save(randomPersona(r))
	assert.NoError(t, st.Store.PublishPersona(t.Context(), st.persona.ID, "alice"))
	player := Ref{PersonaID: st.persona.ID, UserSessionID: fmt.Sprint("p", seed), Machine: "m0"}
	assert.Value(st.Open(t.Context(), OpenRequest{Ref: player, PlayerName: "Kim", PlayerGender: "female"}))(t)
	marks := []string{"pass", "pass", "redirect", "reject", "kick_out", "aside", "follow_up"}
	var words []string
	for i := range 12 {
		text := fmt.Sprintf("words %d [[%s]]", i, marks[r.IntN(len(marks))])
		reply := assert.Value(st.Turn(t.Context(), TurnRequest{Ref: player, Message: text}))(t)
		if words = append(words, text); reply.MachineCompleted {
			break
		}
	}
	at := r.IntN(len(words))
	branch := st.fork(player, int64(at))
	for _, text := range words[at:] {
		assert.Value(st.Turn(t.Context(), TurnRequest{Ref: branch, Message: text}))(t)
	}
	got, want := st.effectsOf(branch), st.effectsOf(player)
	assert.DeepEqual(t, got, want, "seed %d, forked at %d of %d", seed, at, len(words))
}

func (st *serviceFixture) effectsOf(r Ref) playerState {
	r.Machine = ""
	s := st.stateOf(r)
	for i := range s.Sessions {
		s.Sessions[i].StartedAt, s.Sessions[i].LastMessageAt = time.Time{}, time.Time{}
	}
	for _, list := range s.Messages {
		for i := range list {
			list[i].ID, list[i].CreatedAt = "", wire.Time{}
		}
	}
	for i := range s.Progress.CompletedMachines {
		s.Progress.CompletedMachines[i].CompletedAt = wire.Time{}
	}
	s.Progress.RoutePath, s.Traces = nil, nil
	return s
}

// TestForkOverAnUnlock takes back the ending of a machine, and the machines that it unlocked.
func TestForkOverAnUnlock(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	st.finish()
	before := st.fork(st.ref("gate"), 1)
	p := assert.Value(st.Progress(t.Context(), before))(t)
	same(t, "available before the ending", availableKeys(p), "gate")
	refused(st.Open(t.Context(), OpenRequest{Ref: Ref{
		PersonaID: before.PersonaID, UserSessionID: before.UserSessionID, Machine: "cellar",
	}, PlayerName: "Kim", PlayerGender: "female"}))(t, "the cellar before the ending", Locked)
	ended := st.fork(st.ref("gate"), 2)
	refused(st.Turn(t.Context(), TurnRequest{Ref: ended, Message: "more"}))(t, "a message to a fork of an ending", Finished)
	p = assert.Value(st.Progress(t.Context(), ended))(t)
	same(t, "available at the ending", availableKeys(p), "gate", "cellar", "tower")
	tree := assert.Value(st.Branches(t.Context(), ended))(t)
	assert.Must(t, len(tree.Branches) == 3, "tree %+v", tree)
	assert.Equal(t, tree.Branches[0].Parent, nil)
	assert.Equal(t, textOf[string](tree.Branches[2].Parent), "v")
	assert.Equal(t, *tree.Branches[1].ForkedAt, 1)
	assert.Equal(t, textOf[string](tree.Branches[2].Outcome), "ACCEPT")
	assert.Value(st.ResetProgress(t.Context(), st.ref("")))(t)
	tree, err := st.Branches(t.Context(), ended)
	assert.True(t, err == nil && len(tree.Branches) == 2 && tree.Branches[1].Parent == nil, "tree without its root %+v, %v", tree, err)
}

// TestForkKeepsItsVersion: a branch continues in its version, and is deleted with the persona.
func TestForkKeepsItsVersion(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	st.open("")
	st.say("", "please [[pass]]")
	doc := document(t)
	doc.Machines[0].States[1].Key = "speak"
	for i := range doc.Machines[0].Transitions {
		row := &doc.Machines[0].Transitions[i]
		row.From, row.To = renamed(row.From), renamed(row.To)
	}
	st.save(doc)
	branch := st.fork(st.ref(""), 1)
	st.open("") // The version is now played by the branch alone.
	reply := assert.Value(st.Turn(t.Context(), TurnRequest{Ref: branch, Message: "stay [[2]]"}))(t)
	assert.Equal(t, reply.CurrentState, "talk")
	assert.NoError(t, st.Store.DeletePersona(t.Context(), st.persona.ID, "alice"))
	refused(st.Fork(t.Context(), ForkRequest{Ref: branch}))(t, "of a persona that is gone", NotFound)
}

func renamed(state string) string {
	if state == "talk" {
		return "speak"
	}
	return state
}

// TestForkBelongsToItsPlayer: a branch belongs to the original player's user only.
func TestForkBelongsToItsPlayer(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	st.open("")
	st.say("", "please [[pass]]")
	open := st.fork(st.ref(""), 0)
	assert.Value(st.Migrate(t.Context(), "bob", "v"))(t)
	refused(st.Fork(t.Context(), ForkRequest{Ref: st.ref("")}))(t, "bob's by nobody", NotFound)
	bobs := st.ref("")
	bobs.UserID = "bob"
	own := st.fork(bobs, 1)
	own.UserID = ""
	refused(st.Turn(t.Context(), TurnRequest{Ref: own, Message: "x"}))(t, "bob's branch by nobody", NotFound)
	own.UserID = "alice"
	refused(st.Branches(t.Context(), own))(t, "bob's branches by alice", NotFound)
	if tree, err := st.Branches(t.Context(), bobs); err != nil || len(tree.Branches) != 3 {
		t.Errorf("bob's tree %+v, %v", tree, err)
	}
	if tree, err := st.Branches(t.Context(), open); err != nil || len(tree.Branches) != 1 || tree.Branches[0].Parent != nil {
		t.Errorf("the tree of a branch that stayed nobody's: %+v, %v", tree, err)
	}
}

func TestForkRefusals(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	refused(st.Fork(t.Context(), ForkRequest{Ref: st.ref("")}))(t, "without a session", NotFound)
	st.open("")
	for _, at := range []int64{-1, 1, 1 << 40} {
		refused(st.Fork(t.Context(), ForkRequest{Ref: st.ref(""), At: at}))(t, fmt.Sprint("at ", at), NoTurn)
	}
	refused(st.Fork(t.Context(), ForkRequest{Ref: st.ref("nowhere")}))(t, "an unknown machine", NotFound)
	call := ForkRequest{Ref: st.ref(""), Label: "first", Idempotency: Idempotency{Key: "k", BodyHash: "h"}}
	first := assert.Value(st.Fork(t.Context(), call))(t)
	again, err := st.Fork(t.Context(), call)
	if first.Replayed = true; err != nil || !reflect.DeepEqual(again, first) {
		t.Errorf("forked again: %+v, %v, want %+v", again, err, first)
	}
	call.Idempotency.BodyHash = "i"
	refused(st.Fork(t.Context(), call))(t, "another body", KeyReused)
	tree, err := st.Branches(t.Context(), st.ref(""))
	assert.True(t, err == nil && len(tree.Branches) == 2 && tree.Branches[1].Label == "first", "tree %+v, %v", tree, err)
}

func (st *serviceFixture) forkLatest(r Ref, at int64) (Branch, error) {
	return st.Fork(st.t.Context(), ForkRequest{Ref: r, At: at, Latest: true})
}

// TestForkLatest: a branch continues in the latest version with the same effects.
func TestForkLatest(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	st.open("")
	for _, words := range []string{"well [[redirect]]", "please [[pass]]", "stay [[2]]", "why [[aside]]"} {
		st.say("gate", words)
	}
	old := st.fork(st.ref("gate"), 4)
	edited := document(t)
	edited.Machines[0].States[1].Offline.Lines.Enter = []string{"New words."}
	edited.Machines[0].Transitions[2].To, edited.Machines[0].Transitions[2].ScoreDelta = "hello", 5
	st.save(edited)
	b := assert.Value(st.forkLatest(st.ref("gate"), 4))(t)
	branch := st.ref("gate")
	branch.UserSessionID = b.UserSessionID
	got, want := st.stateOf(branch), st.stateOf(old)
	assert.Equal(t, got.Sessions[0].Version, want.Sessions[0].Version+1)
	got.Sessions[0].Version, want.Sessions[0].Version = 0, 0
	assert.Equal(t, got.Sessions[0].Engine, want.Sessions[0].Engine)
	assert.Equal(t, len(got.Messages[0]), len(want.Messages[0]))
	reply := assert.Value(st.Turn(t.Context(), TurnRequest{Ref: branch, Message: "open [[pass]]"}))(t)
	assert.Equal(t, reply.CurrentState, "hello")
	assert.Equal(t, reply.Score, b.Score+5)
}

// TestForkLatestRefuses: a fork is refused if an effect, a state or a machine has changed.
func TestForkLatestRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(*personas.Persona)
		at   int64
		want string // "" for a branch
	}{
		{"another score", func(d *personas.Persona) { d.Machines[0].Transitions[0].ScoreDelta = 2 }, 2, "message 2 has another effect in the latest version of the persona: fork at 1 or earlier"},
		{"before that", func(d *personas.Persona) { d.Machines[0].Transitions[0].ScoreDelta = 2 }, 1, ""},
		{"a state is gone", func(d *personas.Persona) { renameState(d, "talk", "speak") }, 2, "message 2 has another effect"},
		{"a state is gone, before it", func(d *personas.Persona) { renameState(d, "talk", "speak") }, 1, ""},
		{"the first state is gone", func(d *personas.Persona) { renameState(d, "hello", "hi") }, 0, "starts in another state"},
		{"the machine is gone", func(d *personas.Persona) { d.Machines, d.Links = d.Machines[1:], d.Links[2:] }, 0, "does not contain the machine gate"},
	} {
		st := newServiceFixture(t, store.Volatile)
		st.open("")
		st.say("gate", "well [[redirect]]")
		st.say("gate", "please [[pass]]")
		edited := document(t)
		c.edit(&edited)
		st.save(edited)
		b, err := st.forkLatest(st.ref("gate"), c.at)
		if c.want == "" {
			assert.NoError(t, err, c.name)
			assert.Equal(t, b.Turn, int(c.at), c.name)
			continue
		}
		if refuses(t, c.name, err, AnotherPast); err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func renameState(d *personas.Persona, from, to string) {
	m := &d.Machines[0]
	for i := range m.States {
		if m.States[i].Key == from {
			m.States[i].Key = to
		}
	}
	for i := range m.Transitions {
		row := &m.Transitions[i]
		for _, key := range []*string{&row.From, &row.To} {
			if *key == from {
				*key = to
			}
		}
	}
}

// TestForkLatestOfAnEnding: the fork keeps the ending and the machines that it unlocked.
func TestForkLatestOfAnEnding(t *testing.T) {
	st := newServiceFixture(t, store.Normal)
	st.finish()
	edited := document(t)
	edited.Description = "keeps two gates"
	st.save(edited)
	b := assert.Value(st.forkLatest(st.ref("gate"), 2))(t)
	assert.Equal(t, textOf[string](b.Outcome), "ACCEPT", "the branch is %+v", b)
	p := assert.Value(st.Progress(t.Context(), Ref{PersonaID: st.persona.ID, UserSessionID: b.UserSessionID}))(t)
	same(t, "available", availableKeys(p), "gate", "cellar", "tower")
	edited.Machines[0].Transitions[2].ScoreDelta = 1
	st.save(edited)
	refused(st.forkLatest(st.ref("gate"), 2))(t, "an ending that comes with another score", AnotherPast)
}
