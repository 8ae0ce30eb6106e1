package lint

import (
	"fmt"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/prove"
)

// largePersona returns a persona of about 30 KB of YAML, as authors write them:
// machines in a row, each with states that pass, redirect, reject and kick out.
func largePersona(b *testing.B) (*personas.Persona, []byte) {
	b.Helper()
	p := &personas.Persona{
		Name: "Ottoline", Description: "A night clerk.", IdentityPrompt: "You are {{mood}}. " + manyWords(60),
		Variables: []personas.Variable{{Key: "mood", Value: "calm", Description: "How she feels."}},
	}
	for i := range 4 {
		p.Machines = append(p.Machines, largeMachine(fmt.Sprint("m", i), 5))
		if i > 0 {
			p.Links = append(p.Links, personas.Link{Source: fmt.Sprint("m", i-1), Target: fmt.Sprint("m", i), Condition: personas.IfScoreGTE, Score: 4})
		}
	}
	src, err := personas.EncodeYAML(*p)
	assert.NoError(b, err)
	return p, src
}

func manyWords(n int) string {
	text := ""
	for i := range n {
		text += []string{"the guest ", "asks for ", "a key, ", "the dog ", "listens. "}[i%5]
	}
	return text
}

func largeMachine(key string, states int) personas.Machine {
	m := personas.Machine{Key: key, Name: "Machine " + key, Objective: manyWords(10), WinCondition: manyWords(8), ChatPrompt: manyWords(20)}
	for i := range states {
		s := personas.State{Key: fmt.Sprint("s", i), Label: fmt.Sprint("Scene ", i), PromptInstruction: manyWords(16) + "{{player_name}}", IsInitial: i == 0, IsTerminal: i == states-1}
		if i == states-1 {
			m.States = append(m.States, s)
			break
		}
		s.MaxRedirects = new(3)
		s.Criteria = personas.Criteria{Pass: manyWords(6), Redirect: manyWords(5), Reject: manyWords(7), KickOut: manyWords(8)}
		line := func(n int) string { return fmt.Sprint(n, i, " ", manyWords(5)) }
		s.Offline = &personas.Offline{
			Examples: personas.Examples{Pass: personas.NewExamples(line(1), line(2)), Reject: personas.NewExamples(line(3), line(4)), KickOut: personas.NewExamples(line(5))},
			Lines:    personas.Lines{Pass: []string{line(6), line(7)}, Redirect: []string{line(8)}, Reject: []string{line(9)}, KickOut: []string{line(10)}, Enter: []string{line(11)}},
		}
		m.States = append(m.States, s)
		from, to := s.Key, fmt.Sprint("s", i+1)
		m.Transitions = append(m.Transitions,
			personas.Transition{From: from, To: to, Decision: personas.DecidePass, ScoreDelta: 1 + i%2},
			personas.Transition{From: from, Decision: personas.DecideRedirect, ScoreDelta: -1, Priority: 1},
			personas.Transition{From: from, Decision: personas.DecideReject, ScoreDelta: -2, Priority: 1},
			personas.Transition{From: from, Decision: personas.DecideKickOut, ScoreDelta: -5, Priority: -1})
	}
	return m
}

func BenchmarkParse(b *testing.B) {
	_, src := largePersona(b)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		_, _, faults := personas.Parse("p.yaml", src)
		assert.Must(b, len(faults) == 0, faults)
	}
}

func BenchmarkAll(b *testing.B) {
	_, src := largePersona(b)
	p, _, _ := personas.Parse("p.yaml", src)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if found := All(&p, nil); len(found) > 0 {
			b.Fatal(found[0])
		}
	}
}

func BenchmarkRefusals(b *testing.B) {
	_, src := largePersona(b)
	p, _, _ := personas.Parse("p.yaml", src)
	b.ReportAllocs()
	for b.Loop() {
		Refusals(&p, nil)
	}
}

func BenchmarkProof(b *testing.B) {
	p, _ := largePersona(b)
	b.ReportAllocs()
	for b.Loop() {
		_, err := prove.Persona(p)
		assert.NoError(b, err)
	}
}
