package prompt_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/prompt"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
)

// TestGolden compares whole requests as readable text. After a change of the prompts: go test
// ./localserver/llm/prompt -run TestGolden -update
func TestGolden(t *testing.T) {
	book := prompt.New()
	rich, plain := inputOf(t, full), inputOf(t, bare)
	first := rich
	first.Recent, first.Message = newConversation(0), "I am here for a wedding."
	later := rich
	later.Recent, later.Message = newConversation(12)[5:], "Is that a dog?"
	later.Summary = "Mira arrived late.\nShe asked about \"the lift\"."
	later.Vars = map[string]string{"purpose": "a wedding", "unknown": "not of this persona"}
	noMore := later
	noMore.FollowUpAllowed = false
	heard := first
	heard.Heard = "A wedding! \"Whose\"?"
	simple := plain
	simple.Recent, simple.Message = newConversation(1), "  "

	reply := func(input llm.Input, result llm.StepResult) func() (provider.Request, error) {
		return func() (provider.Request, error) { return book.BuildReply(input, result) }
	}
	evaluation := func(input llm.Input) func() (provider.Request, error) {
		return func() (provider.Request, error) { return questionOf(t, input).BuildJSON() }
	}
	for name, ask := range map[string]func() (provider.Request, error){
		"open":              func() (provider.Request, error) { return book.BuildOpening(rich) },
		"open-bare":         func() (provider.Request, error) { return book.BuildOpening(plain) },
		"evaluation-first":  evaluation(first),
		"evaluation-letter": func() (provider.Request, error) { return questionOf(t, later).BuildLetter(), nil },
		"evaluation-long":   evaluation(later),
		"evaluation-no-fup": evaluation(noMore),
		"evaluation-bare":   evaluation(simple),
		"evaluation-again": func() (provider.Request, error) {
			r, err := evaluation(simple)()
			if err != nil {
				return r, err
			}
			return book.BuildRetry(r, prompt.UnknownChoice)
		},
		"reply-pass":      reply(first, llm.StepResult{Decision: personas.DecidePass, Entered: stateOf(rich, "rules")}),
		"reply-heard":     reply(heard, llm.StepResult{Decision: personas.DecideRedirect}),
		"reply-redirect":  reply(later, llm.StepResult{Decision: personas.DecideRedirect}),
		"reply-follow-up": reply(first, llm.StepResult{FollowUp: true}),
		"reply-kick-out":  reply(first, llm.StepResult{Decision: personas.DecideKickOut, Outcome: personas.KickOut}),
		"reply-ending":    reply(first, llm.StepResult{Decision: personas.DecideReject, Entered: stateOf(rich, "sofa"), Outcome: personas.Reject}),
		"reply-accept":    reply(first, llm.StepResult{Decision: personas.DecidePass, Entered: stateOf(rich, "sofa"), Outcome: personas.Accept}),
		"reply-bare":      reply(simple, llm.StepResult{Decision: personas.DecideReject}),
		"summary":         func() (provider.Request, error) { return book.BuildSummary(later, newConversation(2)) },
		"summary-bare":    func() (provider.Request, error) { return book.BuildSummary(plain, newConversation(1)) },
		"extraction":      func() (provider.Request, error) { return book.BuildExtraction(later, newConversation(2)) },
	} {
		t.Run(name, func(t *testing.T) {
			r := assert.Value(ask())(t)
			assert.Golden(t, filepath.Join("testdata", name+".txt"), requestText(t, r.SpellMeanings()))
		})
	}
}

// requestText returns a request as text.
func requestText(t *testing.T, r provider.Request) string {
	t.Helper()
	var out bytes.Buffer
	fmt.Fprintf(&out, "step %s, at most %d tokens", r.Step, r.MaxTokens)
	if r.Temperature != nil {
		fmt.Fprintf(&out, ", temperature %g", *r.Temperature)
	}
	fmt.Fprintf(&out, "\n\n===== system\n%s\n", r.System)
	for _, m := range r.Messages {
		fmt.Fprintf(&out, "\n===== %s\n%s\n", m.Role, m.Text)
	}
	if r.Schema != nil {
		fmt.Fprintf(&out, "\n===== schema %s\n", r.Schema.Name)
		assert.NoError(t, json.Indent(&out, r.Schema.JSON, "", " "))
		out.WriteString("\n")
	}
	return out.String()
}

// full is a persona with all texts set.
const full = `
name: Ottoline Frost
description: Night clerk of the Hotel Meridian.
persona_identity_prompt: |
  You are Ottoline Frost, night clerk since before the lift. The porter is a basset
  hound called {{porter}}. You call {{player_name}} by name, mind that the guest is
  {{player_gender}}, and remember that the guest is here for {{purpose}}.
  {{persona_name}} never says {{number}}.
variables:
  - {key: porter, value: Admiral}
  - {key: purpose, value: private}
machines:
  - machine_key: check-in
    name: Check-in
    creator_objective: Get a key from {{persona_name}}.
    creator_win_condition: The key changes hands.
    creator_lose_condition: The guest sleeps on the sofa.
    chat_system_prompt: Answer from behind the desk, in at most three sentences. The guest dreamt of {{tale}}.
    system_evaluation_prompt: Be lenient with the tired.
    system_summarization_prompt: Keep every room number.
    states:
      - state_key: desk
        label: At the desk
        is_initial_state: true
        prompt_instruction: Ask {{player_name}} for the reason of the stay.
        evaluation_criteria:
          pass: The guest gives a reason.
          redirect: The guest asks about the hotel or {{porter}}.
          kick_out: The guest climbs over the desk.
          follow_up: The guest just asks for a room.
        offline: {opening: [SECRET OFFLINE LINE]}
      - {state_key: rules, label: House rules, prompt_instruction: Read out the rules.}
      - {state_key: sofa, label: The lobby sofa, prompt_instruction: Offer the sofa., is_terminal_state: true}
    transitions:
      - {from_state_key: desk, to_state_key: rules, decision_type: pass, condition: "The guest says {{purpose}} or another reason."}
      - {from_state_key: desk, to_state_key: rules, decision_type: pass}
      - {from_state_key: desk, to_state_key: sofa, decision_type: reject}
      - {from_state_key: desk, to_state_key: desk, decision_type: redirect}
      - {from_state_key: desk, decision_type: kick_out}
    output_variables:
      - {key: purpose, extraction_prompt: The reason for the stay.}
      - {key: tale, extraction_prompt: "What {{player_name}} dreamt."}
`

// bare is a persona with only the required texts.
const bare = `
name: Bo
description: ""
persona_identity_prompt: ""
machines:
  - machine_key: talk
    states:
      - {state_key: a, is_initial_state: true}
      - {state_key: b, is_terminal_state: true}
    transitions:
      - {from_state_key: a, to_state_key: b, decision_type: pass}
      - {from_state_key: a, to_state_key: b, decision_type: reject}
      - {from_state_key: a, decision_type: redirect}
      - {from_state_key: a, decision_type: kick_out}
`

func inputOf(t testing.TB, document string) llm.Input {
	t.Helper()
	doc, _, faults := personas.Parse("persona.yaml", []byte(document))
	assert.Empty(t, faults)
	m := &doc.Machines[0]
	input := llm.Input{
		Persona: &doc, Machine: m, State: &m.States[0], Player: llm.Player{Name: "Mira", Gender: "female"},
		Vars: map[string]string{}, FollowUpAllowed: true,
	}
	for i := range m.Transitions {
		if m.Transitions[i].From == input.State.Key {
			input.Outgoing = append(input.Outgoing, i)
		}
	}
	return input
}

// newConversation returns a conversation of that many turns after an opening line.
func newConversation(turns int) []llm.Message {
	list := []llm.Message{{Role: "assistant", Text: "Good evening. The reason for your stay?"}}
	for i := range turns {
		list = append(list,
			llm.Message{Role: "user", Text: fmt.Sprintf("How old is the lift? (%d)", i+1)},
			llm.Message{Role: "assistant", Text: fmt.Sprintf("Older than the street. (%d)", i+1)})
	}
	return list
}

func stateOf(input llm.Input, key string) *personas.State {
	for i := range input.Machine.States {
		if input.Machine.States[i].Key == key {
			return &input.Machine.States[i]
		}
	}
	return nil
}
