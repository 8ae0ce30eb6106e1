package playtest

import (
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// talkative is the persona doors with an answer to small talk and a patience of two.
var talkative = strings.Replace(doors, "        max_redirects: 1\n", "        max_redirects: 1\n        offline: {patience: 2, answers: [{intent: greeting, say: [Creak.]}]}\n", 1)

func TestAsidesAreExpected(t *testing.T) {
	service, subject, _ := newFakeService(t, talkative)
	f, _ := parsePlay(t, `persona: doors.yaml
steps:
  - say: hello [[aside]]
    expect: {aside: true, follow_up: true, decision: none, state: closed, score: 0, redirects: 0}
  - say: knock [[follow_up]]
    expect: {aside: false, follow_up: true}
  - say: hello [[aside]]
    expect: {aside: true}
  - say: nice door [[aside]]
    expect: {aside: true}
  - say: very nice [[aside]]
    expect: {aside: false, decision: redirect, redirects: 1, score: -1}
  - say: the key [[4]]
    expect: {outcome: REJECT}
`)
	r := subject.Run(t.Context(), service, "u", &f.Plays[0])
	failures := r.Failures()
	assert.True(t, len(failures) == 0 && r.Err == nil && len(r.Notes) == 0, "%+v, %v, %v", failures, r.Err, r.Notes)
	assert.Equal(t, r.Hits[Point{Kind: KindDecision, Machine: "outer", Name: personas.AsideName}], 3, "asides counted")
}

func TestAsidePoints(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      int
	}{{"nothing written", doors, 0}, {"answers of a state", talkative, 1}, {"answers of the persona", doors + "offline: {answers: [{intent: joke, say: [no]}]}\n", 2}} {
		t.Run(c.name, func(t *testing.T) {
			_, subject, _ := newFakeService(t, c.src)
			found := 0
			for _, p := range Points(subject.Doc) {
				if p.Kind == KindDecision && p.Name == personas.AsideName {
					found++
				}
			}
			assert.Equal(t, found, c.want, "points")
		})
	}
}

// TestAsidesAreRecorded: a recorded play with asides contains the mark that forces each aside.
func TestAsidesAreRecorded(t *testing.T) {
	_, subject, _ := newFakeService(t, talkative)
	said := func(text string) wire.HistoryMessage { return wire.HistoryMessage{Role: wire.RoleUser, Content: text} }
	heard := wire.HistoryMessage{Role: wire.RoleAssistant, StateKeyAtTime: "closed", FollowUpTriggered: true}
	aside := heard
	aside.Aside = true
	src, err := WriteRecording("a.yaml", subject.Doc, Player{Name: "Ann", Gender: "female"}, []Take{{Machine: "outer", Messages: []wire.HistoryMessage{
		{Role: wire.RoleAssistant}, said("hello"), aside, said("knock"), heard, said("nice"), aside,
	}}}, func(int) bool { return true })
	assert.NoError(t, err)
	for _, want := range []string{`"hello [[aside]]"`, `"knock [[follow_up]]"`, `"nice [[aside]]"`, "decision: none, state: \"closed\", score: 0, aside: true"} {
		assert.Contains(t, string(src), want)
	}
	_, _, faults := Parse("a.play.yaml", src)
	assert.Empty(t, faults, "%v in\n%s", faults, src)
}

// TestAsidesAreSimulated: the simulator plays asides only if their weight is set, and they do not change any ending.
func TestAsidesAreSimulated(t *testing.T) {
	_, subject, _ := newFakeService(t, doors)
	plain := assert.Value(Simulate(subject.Doc, SimulateOptions{Plays: 200, Seed: 3}))(t)
	talked, err := Simulate(subject.Doc, SimulateOptions{Plays: 200, Seed: 3, Weights: map[string]int{personas.AsideName: 4}})
	assert.NoError(t, err)
	assert.True(t, plain.Machines[0].Turns.Mean < talked.Machines[0].Turns.Mean, "no asides were played")
	assert.Equal(t, assert.Value(ParseWeights([]string{"aside=2"}))(t)[personas.AsideName], 2)
}
