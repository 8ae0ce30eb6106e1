package play

import (
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
)

// forkLatest forks a session after a number of turns into the persona's latest version.
func (st *serviceFixture) forkLatest(r Ref, at int64) (Branch, error) {
	return st.Fork(st.t.Context(), ForkRequest{Ref: r, At: at, Latest: true})
}

// TestForkLatest: a branch continues in the latest version if the messages have the same effects
// there. All of its past is unchanged.
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

// TestForkLatestRefuses: a fork is refused if a message has another effect, or a state or a machine
// does not exist any more.
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
	p, err := st.Progress(t.Context(), Ref{PersonaID: st.persona.ID, UserSessionID: b.UserSessionID})
	assert.NoError(t, err)
	same(t, "available", availableKeys(p), "gate", "cellar", "tower")
	edited.Machines[0].Transitions[2].ScoreDelta = 1
	st.save(edited)
	_, err = st.forkLatest(st.ref("gate"), 2)
	refuses(t, "an ending that comes with another score", err, AnotherPast)
}
