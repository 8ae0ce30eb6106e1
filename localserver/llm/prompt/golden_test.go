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
