package playtest

import (
	"context"
	"math"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/intent"
	"github.com/parley-npc/parley/personas/wire"
)

// gate returns a persona with two states. With a second row a pass leads from the yard to the hall.
func gate(rows ...personas.Transition) *personas.Persona {
	return &personas.Persona{Name: "Gate", IdentityPrompt: "A guard.", Machines: []personas.Machine{{
		Key: "gate", Name: "Gate", Objective: "Get in.", ScoringMode: personas.PassFail,
		States: []personas.State{
			{Key: "yard", Label: "Yard", IsInitial: true, Criteria: personas.Criteria{Pass: "polite", Redirect: "rude", Reject: "gives up"}},
			{Key: "hall", Label: "Hall", Criteria: personas.Criteria{Pass: "polite", Redirect: "rude"}},
			{Key: "in", Label: "In", IsTerminal: true},
		},
		Transitions: append([]personas.Transition{{From: "hall", To: "in", Decision: personas.DecidePass}, {From: "yard", Decision: personas.DecideReject}}, rows...),
	}}}
}

func turn(message, decision, state, outcome string) Turn {
	return Turn{Message: message, Effect: Effect{Decision: decision, State: state, Outcome: outcome}}
}

func mustVersion(t *testing.T, doc *personas.Persona, ask Judge) *Version {
	t.Helper()
	return assert.Value(NewVersion(doc, ask))(t)
}

func TestPlayKept(t *testing.T) {
	toHall := personas.Transition{From: "yard", To: "hall", Decision: personas.DecidePass}
	toIn := personas.Transition{From: "yard", To: "in", Decision: personas.DecidePass}
	whole := Conversation{Machine: "gate", Opening: "yard", Turns: []Turn{
		turn("hm", "redirect", "yard", ""), turn("hello", "aside", "yard", ""), turn("please", "pass", "hall", ""), turn("thanks", "pass", "in", "ACCEPT"),
	}}
	given := Conversation{Machine: "gate", Opening: "yard", Turns: []Turn{turn("bye", "reject", "yard", "REJECT")}}
	short := Conversation{Machine: "gate", Opening: "yard", Turns: []Turn{turn("please", "pass", "hall", "")}}
	for _, c := range []struct {
		name  string
		doc   *personas.Persona
		talk  Conversation
		end   string
		steps int
	}{
		{"the same rules", gate(toHall), whole, "ACCEPT", 4},
		{"a pass ends it sooner", gate(toIn), whole, "ACCEPT", 3},
		{"no pass is left", gate(), whole, EndLeft, 2},
		{"given up", gate(toHall), given, "REJECT", 1},
		{"still open", gate(toHall), short, EndOpen, 1},
		{"another opening", gate(toHall), Conversation{Machine: "gate", Opening: "cellar", Turns: whole.Turns}, EndLeft, 0},
	} {
		track := assert.Value(mustVersion(t, c.doc, nil).Play(t.Context(), &c.talk))(t, c.name)
		assert.Equal(t, track.End, c.end, c.name)
		assert.Equal(t, len(track.Effects), c.steps, c.name)
	}
}

// TestKeptOutOfTries: a reject without a transition is kept: the tries were used up.
func TestKeptOutOfTries(t *testing.T) {
	doc := gate(personas.Transition{From: "yard", To: "hall", Decision: personas.DecidePass})
	doc.Machines[0].Transitions = doc.Machines[0].Transitions[2:]
	one := 1
	doc.Machines[0].States[0].MaxRedirects = &one
	v := mustVersion(t, doc, nil)
	c := Conversation{Machine: "gate", Opening: "yard"}
	session := v.rules.Machine("gate").Start()
	for !session.IsFinished() {
		r := assert.Value(v.rules.Machine("gate").Step(session, engine.None))(t)
		session = r.Session
		c.Turns = append(c.Turns, Turn{Message: "hm", Effect: effectOf(&r)})
	}
	track, err := v.Play(t.Context(), &c)
	assert.NoError(t, err)
	assert.Equal(t, track.End, "REJECT")
	assert.True(t, track.Same(&c) >= len(c.Turns), "%+v", track)
}

func TestReplay(t *testing.T) {
	doc := gate(personas.Transition{From: "yard", To: "in", Decision: personas.DecidePass})
	kept := mustVersion(t, doc, nil)
	// The judge decides pass for every message; this is the edit.
	asked := mustVersion(t, doc, func(context.Context, intent.Place, string) (string, []int, error) { return "pass", []int{2}, nil })
	lost := Conversation{Source: "a.json", Machine: "gate", Opening: "yard", Turns: []Turn{turn("open the door please", "redirect", "yard", ""), turn("bye", "reject", "yard", "REJECT")}}
	won := Conversation{Source: "b.json", Machine: "gate", Opening: "yard", Turns: []Turn{turn("good evening", "pass", "in", "ACCEPT")}}
	marked := Conversation{Source: "c.json", Machine: "gate", Opening: "yard", Turns: []Turn{turn("bye [[reject]]", "reject", "yard", "REJECT")}}
	all := []Conversation{lost, lost, won, marked, {Machine: "cellar", Turns: won.Turns}, {Machine: "gate"}}
	done := 0
	r := assert.Value(Replay(t.Context(), asked, kept, all, intent.NewReader().Lexicon(), func() { done++ }))(t)
	assert.Equal(t, r.Conversations, 4, "conversations")
	assert.Equal(t, r.Messages, 6, "messages")
	assert.Equal(t, r.LeftOut, 2, "left out")
	assert.Equal(t, r.Same, 2, "same")
	assert.Equal(t, r.LeftTrack, 0, "left track")
	assert.Equal(t, *r.Noise, 0, "noise")
	assert.Equal(t, done, len(all), "done")
	assert.Must(t, len(r.Differences) == 1, "differences: %+v", r.Differences)
	difference := r.Differences[0]
	assert.Equal(t, difference.Count, 2, "count of the difference")
	assert.Equal(t, difference.Before, "redirect to yard")
	assert.Equal(t, difference.After, "pass to ACCEPT")
	assert.Equal(t, len(difference.Messages), 1, "messages of the difference")
	accepted := r.Endings[0]
	assert.Equal(t, accepted.Ending, "ACCEPT")
	assert.Equal(t, accepted.Before, 1, "before")
	assert.Equal(t, *accepted.Baseline, 1, "baseline")
	assert.Equal(t, accepted.After, 3, "after")
	assert.True(t, math.Abs(accepted.Share-0.75) <= 1e-9, "share %v", accepted.Share)
	assert.True(t, accepted.Low >= 0.30 && accepted.High <= 0.96, "%v to %v", accepted.Low, accepted.High)
	assert.Equal(t, r.Flows[0], Flow{"REJECT", "ACCEPT", 2}, "flows: %+v", r.Flows)
}

// TestJudgedOtherwise lists all messages with another decision, also those after the first.
func TestJudgedOtherwise(t *testing.T) {
	doc := gate(personas.Transition{From: "yard", To: "in", Decision: personas.DecidePass})
	asides := mustVersion(t, doc, func(context.Context, intent.Place, string) (string, []int, error) {
		return personas.AsideName, nil, nil
	})
	talk := Conversation{Machine: "gate", Opening: "yard", Turns: []Turn{
		turn("tell me a story", "redirect", "yard", ""), turn("hello", "aside", "yard", ""), turn("what a nice hat", "redirect", "yard", ""),
	}}
	r, err := Replay(t.Context(), asides, nil, []Conversation{talk, talk}, intent.NewReader().Lexicon(), func() {})
	assert.NoError(t, err)
	assert.Must(t, len(r.Differences) == 1 && len(r.JudgedOtherwise) == 2, "%+v", r)
	assert.Equal(t, r.Differences[0].Count, 2, "differences")
	assert.Equal(t, r.JudgedOtherwise[1].Count, 2, "judged otherwise")
}

func TestFromHistory(t *testing.T) {
	pass := "pass"
	c := FromHistory("a.json", "gate", "ACCEPT", []wire.HistoryMessage{
		{Role: wire.RoleAssistant, StateKeyAtTime: "yard"},
		{Role: wire.RoleUser, Content: "hello"}, {Role: wire.RoleAssistant, StateKeyAtTime: "yard", Aside: true},
		{Role: wire.RoleUser, Content: "why"}, {Role: wire.RoleAssistant, StateKeyAtTime: "yard", FollowUpTriggered: true},
		{Role: wire.RoleUser, Content: "hm"}, {Role: wire.RoleAssistant, StateKeyAtTime: "yard"},
		{Role: wire.RoleUser, Content: "please"}, {Role: wire.RoleAssistant, StateKeyAtTime: "in", ScoreAtTime: 2, Decision: &pass, Content: "Come in."},
		{Role: wire.RoleUser, Content: "not answered"},
	})
	want := []Turn{turn("hello", "aside", "yard", ""), turn("why", "follow_up", "yard", ""), turn("hm", "redirect", "yard", ""), {"please", Effect{"pass", "in", 2, "ACCEPT"}, "Come in."}}
	assert.Must(t, c.Opening == "yard" && len(c.Turns) == len(want), "%+v", c)
	for i := range want {
		assert.Equal(t, c.Turns[i], want[i], "turn %d", i)
	}
}

func TestWilson(t *testing.T) {
	for _, c := range []struct {
		k, n      int
		low, high float64
	}{{0, 0, 0, 0}, {0, 10, 0, 0.278}, {10, 10, 0.722, 1}, {5, 10, 0.237, 0.763}, {200, 500, 0.358, 0.444}} {
		_, low, high := wilson(c.k, c.n)
		assert.True(t, math.Abs(low-c.low) <= 0.001 && math.Abs(high-c.high) <= 0.001, "%d of %d: %.3f to %.3f", c.k, c.n, low, high)
	}
}

func withExamples(doc *personas.Persona, pass, redirect []string) *personas.Persona {
	doc.Machines[0].States[0].Offline = &personas.Offline{Examples: personas.Examples{Pass: personas.NewExamples(pass...), Redirect: personas.NewExamples(redirect...)}}
	return doc
}

func TestFindDifference(t *testing.T) {
	toHall := personas.Transition{From: "yard", To: "hall", Decision: personas.DecidePass}
	toIn := personas.Transition{From: "yard", To: "in", Decision: personas.DecidePass}
	made := func() *personas.Persona {
		return withExamples(gate(toHall), []string{"My lap is warm", "please"}, []string{"let me in"})
	}
	talk := Conversation{Machine: "gate", Opening: "yard", Turns: []Turn{
		turn("let me in", "redirect", "yard", ""), turn("my lap is warm", "pass", "hall", ""),
	}}
	judged := BuiltInJudge()
	renamed := made()
	renamed.Machines[0].States[1].Key, renamed.Machines[0].Transitions[0].From = "court", "court"
	renamed.Machines[0].Transitions[2].To = "court"
	moved := made()
	moved.Machines[0].States[0].Key = "lawn"
	for i := range moved.Machines[0].Transitions {
		if row := &moved.Machines[0].Transitions[i]; row.From == "yard" {
			row.From = "lawn"
		}
	}
	scored := made()
	scored.Machines[0].ScoringMode = personas.Scoring
	scored.Machines[0].Transitions[2].ScoreDelta = 2
	other := made()
	other.Machines[0].Key = "door"
	for _, c := range []struct {
		name string
		doc  *personas.Persona
		ask  Judge
		same int
		want string
	}{
		{"nothing", made(), judged, 2, ""},
		{"kept", withExamples(gate(toHall), nil, nil), nil, 2, ""},
		{"an example less", withExamples(gate(toHall), []string{"please"}, []string{"let me in", "hello"}), judged, 1, `turn 2 "my lap is warm": pass to hall became aside to yard (its example is gone)`},
		{"an example moved", withExamples(gate(toHall), []string{"please"}, []string{"let me in", "My lap is warm"}), judged, 1, `turn 2 "my lap is warm": pass to hall became redirect to yard (its example is gone)`},
		{"an example more", withExamples(gate(toHall), []string{"please", "My lap is warm", "Let me in"}, nil), judged, 0, `turn 1 "let me in": redirect to yard became pass to hall (its example is gone)`},
		{"another way", withExamples(gate(toIn), []string{"My lap is warm", "please"}, []string{"let me in"}), judged, 1, `turn 2 "my lap is warm": pass to hall became pass to ACCEPT`},
		{"a state is gone", renamed, judged, 1, `turn 2 "my lap is warm": pass to hall became pass to court`},
		{"the first state is gone", moved, judged, 0, `turn 1 "let me in": redirect to yard became impossible`},
		{"no pass is left", withExamples(gate(), []string{"My lap is warm"}, []string{"let me in"}), nil, 1, `turn 2 "my lap is warm": pass to hall became impossible`},
		{"another score", scored, nil, 1, `turn 2 "my lap is warm": pass to hall with score 0 became score 2`},
		{"the machine is gone", other, judged, 0, "the machine gate is gone"},
	} {
		d := assert.Value(mustVersion(t, c.doc, c.ask).FindDifference(t.Context(), made(), &talk))(t, c.name)
		assert.Equal(t, d.Same, c.same, c.name)
		assert.Equal(t, d.Turns, 2, c.name)
		assert.Equal(t, d.Change, c.want, c.name)
		assert.Equal(t, d.Gone, c.doc == other, c.name)
	}
}

// BenchmarkReplay plays 500 conversations of 8 turns.
func BenchmarkReplay(b *testing.B) {
	v := assert.Value(NewVersion(gate(personas.Transition{From: "yard", To: "hall", Decision: personas.DecidePass}), nil))(b)
	talk := Conversation{Machine: "gate", Opening: "yard"}
	for range 7 {
		talk.Turns = append(talk.Turns, turn("hm", "redirect", "yard", ""))
	}
	talk.Turns = append(talk.Turns, turn("please", "pass", "hall", ""))
	all := make([]Conversation, 500)
	for i := range all {
		all[i] = talk
	}
	for b.Loop() {
		assert.Value(Replay(b.Context(), v, nil, all, intent.NewReader().Lexicon(), func() {}))(b)
	}
}
