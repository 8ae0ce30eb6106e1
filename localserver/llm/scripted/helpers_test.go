package scripted

import (
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas"
)

// eachLabel calls each for the "label: text" lines of a block.
func eachLabel(t *testing.T, block string, each func(label, text string)) {
	t.Helper()
	for l := range strings.Lines(strings.TrimSpace(block)) {
		label, text, ok := strings.Cut(strings.TrimSpace(l), ": ")
		if !ok {
			t.Fatalf("no label in %q", l)
		}
		each(label, text)
	}
}

// inputOf returns an input in a state with the examples of a block and a
// transition for each decision.
func inputOf(t *testing.T, block string) llm.Input {
	t.Helper()
	off := &personas.Offline{}
	lists := map[string]*[]personas.Example{
		"pass": &off.Examples.Pass, "redirect": &off.Examples.Redirect, "reject": &off.Examples.Reject,
		"kick_out": &off.Examples.KickOut, "follow_up": &off.Examples.FollowUp,
	}
	eachLabel(t, block, func(label, text string) { *lists[label] = append(*lists[label], personas.Example{Say: text}) })
	m := &personas.Machine{Key: "m", States: []personas.State{{Key: "here", IsInitial: true, Offline: off}, {Key: "there", IsTerminal: true}}}
	for _, d := range []personas.Decision{personas.DecidePass, personas.DecideRedirect, personas.DecideReject, personas.DecideKickOut} {
		m.Transitions = append(m.Transitions, personas.Transition{From: "here", To: "there", Decision: d})
	}
	return llm.Input{
		Persona: &personas.Persona{Name: "Mara"}, Machine: m, State: &m.States[0],
		Outgoing: []int{0, 1, 2, 3}, FollowUpAllowed: true,
	}
}

// filled are sentences of a language's file with the names of an input.
func filled(input llm.Input, lines []string) []string {
	return New().sceneOf(input).fill(lines, input.State)
}

// textsOf returns the texts of a language.
func textsOf(code string) *texts { return New().texts.ofLanguage(code) }

// spokenLanguages returns the languages that characters speak.
func spokenLanguages() []string { return []string{"de", "en", "es", "fr", "it", "pt"} }

// decisionOf names what an evaluation decides: a decision, follow_up, aside or redirect,
// which needs no transition.
func decisionOf(input llm.Input, e llm.Evaluation) string {
	switch {
	case e.FollowUp:
		return personas.FollowUpName
	case e.Aside:
		return personas.AsideName
	case len(e.Holds) == 0:
		return string(personas.DecideRedirect)
	}
	return string(input.Machine.Transitions[e.Holds[0].Transition].Decision)
}

func evaluateMessage(t *testing.T, o *Model, input llm.Input, message string) llm.Evaluation {
	t.Helper()
	input.Message = message
	e, err := o.Evaluate(t.Context(), input)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
