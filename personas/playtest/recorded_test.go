package playtest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/examples"
	"github.com/parley-npc/parley/personas/personatest"
	"github.com/parley-npc/parley/personas/playtest"
	"github.com/parley-npc/parley/personas/wire"
)

// playConversation plays verdicts on the engine and returns what a service would store.
func playConversation(t *testing.T, doc *personas.Machine, verdicts []engine.Verdict) playtest.Take {
	t.Helper()
	m := assert.Value(engine.Compile(doc))(t)
	s := m.Start()
	take := playtest.Take{Machine: doc.Key, Messages: []wire.HistoryMessage{{Role: wire.RoleAssistant, Content: "Well?", StateKeyAtTime: s.State}}}
	for _, v := range verdicts {
		step, err := m.Step(s, v)
		if err != nil {
			break
		}
		s = step.Session
		reply := wire.HistoryMessage{Role: wire.RoleAssistant, Content: "I see.", StateKeyAtTime: s.State, ScoreAtTime: s.Score, FollowUpTriggered: step.FollowUp}
		if step.Decision != "" {
			reply.Decision = (*string)(&step.Decision)
		}
		take.Messages = append(take.Messages, wire.HistoryMessage{Role: wire.RoleUser, Content: "I said \"it\": <so> \\ \u009b\n# twice"}, reply)
	}
	take.Outcome = string(s.Outcome)
	return take
}

// TestRecordedReadsBack: the record of any play reads back with each message, and marks if requested.
func TestRecordedReadsBack(t *testing.T) {
	for _, name := range examples.Names() {
		doc := personatest.Sample(t, name)
		for i := range doc.Machines {
			m := &doc.Machines[i]
			rules, _ := engine.Compile(m)
			first := rules.Outgoing(rules.Start().State)[0]
			take := playConversation(t, m, []engine.Verdict{engine.FollowUp, engine.None, engine.Fire(first)})
			text := assert.Value(playtest.WriteRecording(name, doc, playtest.Player{Name: "A \"b\"", Gender: "male"}, []playtest.Take{take}, func(step int) bool { return step == 2 }))(t)
			f, _, faults := playtest.Parse("a.play.yaml", text)
			if len(faults) > 0 {
				t.Fatalf("%s: %v\n%s", name, faults[0], text)
			}
			play := f.Plays[0]
			assert.Equal(t, play.Player.Name, "A \"b\"", name)
			assert.Equal(t, len(play.Steps), len(take.Messages)/2+1, "%s: steps of\n%s", name, text)
			assert.True(t, play.Steps[0].Start, "%s: no start in\n%s", name, text)
			for at, step := range play.Steps[1:] {
				said := take.Messages[1+2*at].Content
				words, _, marked := strings.Cut(step.Say, " [[")
				assert.True(t, words == said && marked == (at == 1), "%s: step %d says %q", name, at+1, step.Say)
			}
		}
	}
}

// TestRecordedByOtherRules: a conversation that the persona does not allow is rejected.
func TestRecordedByOtherRules(t *testing.T) {
	doc := personatest.Sample(t, "starter")
	m := &doc.Machines[0]
	change := map[string]func(*playtest.Take){
		"state":    func(k *playtest.Take) { k.Messages[2].StateKeyAtTime = "nowhere" },
		"score":    func(k *playtest.Take) { k.Messages[2].ScoreAtTime += 100 },
		"decision": func(k *playtest.Take) { k.Messages[2].Decision = new("pass") },
		"outcome":  func(k *playtest.Take) { k.Outcome = "ACCEPT" },
		"machine":  func(k *playtest.Take) { k.Machine = "nowhere" },
	}
	for what, by := range change {
		t.Run(what, func(t *testing.T) {
			take := playConversation(t, m, []engine.Verdict{engine.None})
			take.Messages = slices.Clone(take.Messages)
			by(&take)
			_, err := playtest.WriteRecording("x.yaml", doc, playtest.Player{Name: "A", Gender: "male"}, []playtest.Take{take}, func(int) bool { return false })
			assert.ErrorIs(t, err, playtest.ErrOtherRules, "another %s", what)
		})
	}
}
