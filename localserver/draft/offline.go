package draft

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
)

// offlineText are the instructions for material of play without a model.
//
//go:embed offline.txt
var offlineText string

// offlineSchema is the shape of such material.
//
//go:embed offline.schema.json
var offlineSchema []byte

const (
	// maxAdditions is how many additions of one answer are taken, and maxSaid the
	// longest text of one, in characters.
	maxAdditions = 120
	maxSaid      = 400
	// maxPatience is the greatest patience that is taken.
	maxPatience = 50
)

// OfflineBrief names a state for which material of play without a model is drafted.
type OfflineBrief struct {
	Persona        *personas.Persona
	Machine, State int // by index
	// Direction is the author's wish, in the author's words; optional.
	Direction string
}

// Addition is one thing that can be added to a document.
type Addition struct {
	// Path is the list to append to or, for a number, the member to set.
	Path string
	// Value is the addition, as JSON.
	Value string
	// Kind describes the addition ("example of pass"), Text is its content.
	Kind, Text string
}

// IsItem reports whether the addition is one of a list.
func (a *Addition) IsItem() bool { return !strings.HasSuffix(a.Path, ".patience") }

// OfflineDraft is a model's draft for a state.
type OfflineDraft struct {
	Additions []Addition
	// Dropped is how many of its texts could not be used.
	Dropped int
	// Rounds is the number of requests to the model, 1 or 2.
	Rounds int
	Usage  llm.Usage
}

// ListOfflineStates lists the states that material can be drafted for, by machine and state: those
// with a question to the player.
func ListOfflineStates(p *personas.Persona) [][2]int {
	var out [][2]int
	for i := range p.Machines {
		for j := range p.Machines[i].States {
			if s := &p.Machines[i].States[j]; !s.IsTerminal {
				out = append(out, [2]int{i, j})
			}
		}
	}
	return out
}

// DraftOffline makes the model write examples, lines and answers for a state. It leaves out
// existing material, material that the state cannot use, and texts with unknown placeholders. An
// error is *InvalidBrief, ErrDeclined, *UnusableRewrite, or *provider.Error; then only Rounds and
// Usage are set.
func (d *Drafter) DraftOffline(ctx context.Context, b OfflineBrief) (OfflineDraft, error) {
	if n := len([]rune(b.Direction)); n > maxDirection {
		return OfflineDraft{}, tooLong("wish", n, maxDirection)
	}
	var usage llm.Usage
	request := b.buildRequest()
	for round := 1; ; round++ {
		answer, err := d.askOnce(ctx, request, maxAnswer)
		usage = usage.Plus(answer.Usage)
		if err != nil {
			return OfflineDraft{Rounds: round, Usage: usage}, fmt.Errorf("draft for state %q: %w", b.state().Title(), err)
		}
		drafted, unfit := b.readAnswer(answer)
		drafted.Rounds, drafted.Usage = round, usage
		if unfit == "" {
			return drafted, nil
		}
		if round == 2 {
			return OfflineDraft{Rounds: round, Usage: usage}, fmt.Errorf("draft for state %q: %w", b.state().Title(), &UnusableRewrite{unfit})
		}
		request = Field{}.retryRequest(request, answer, unfit)
	}
}

func (b *OfflineBrief) machine() *personas.Machine { return &b.Persona.Machines[b.Machine] }

func (b *OfflineBrief) state() *personas.State { return &b.machine().States[b.State] }

// buildRequest shows the state with its decisions and its material.
func (b *OfflineBrief) buildRequest() provider.Request {
	var out strings.Builder
	part := func(head, text string) {
		if text = strings.TrimSpace(text); text != "" {
			fmt.Fprintf(&out, "%s:\n%s\n\n", head, plaintext.ClipAfter(text, maxShown, plaintext.Ellipsis))
		}
	}
	m, s := b.machine(), b.state()
	part("The character", b.Persona.Name+". "+b.Persona.Description)
	part("Who it is", b.Persona.IdentityPrompt)
	part("The machine", m.Title()+". "+m.Description)
	part("What the player has to achieve", m.Objective)
	part("The state", s.Title()+". "+s.PromptInstruction)
	part("What leads to which decision", b.listDecisions())
	part("Placeholders beside {{player_name}} and {{persona_name}}", b.listPlaceholders())
	part("What the state has already", b.listMaterial())
	part("What is wished", b.Direction)
	return provider.Request{
		Step: step, System: offlineText,
		Messages:  []llm.Message{{Role: "user", Text: strings.TrimSpace(out.String())}},
		Schema:    &provider.Schema{Name: "offline_material", JSON: json.RawMessage(offlineSchema)},
		MaxTokens: maxTokens,
	}
}

// decisionNames are the decisions that a state may make.
var decisionNames = []string{
	string(personas.DecidePass), string(personas.DecideRedirect), string(personas.DecideReject), string(personas.DecideKickOut), personas.FollowUpName,
}

// canDecide reports whether a decision is possible in the state: a redirect and a follow-up need no
// transition.
func (b *OfflineBrief) canDecide(decision string) bool {
	return decision == string(personas.DecideRedirect) || decision == personas.FollowUpName || len(b.rowsFor(decision)) > 0
}

// rowsFor are the state's transitions of a decision.
func (b *OfflineBrief) rowsFor(decision string) (rows []int) {
	for i := range b.machine().Transitions {
		if t := &b.machine().Transitions[i]; t.From == b.state().Key && string(t.Decision) == decision {
			rows = append(rows, i)
		}
	}
	return rows
}

func (b *OfflineBrief) listDecisions() string {
	var lines []string
	for _, decision := range decisionNames {
		if b.canDecide(decision) {
			lines = append(lines, strings.TrimRight(fmt.Sprintf("- %s: %s", decision, b.state().Criteria.Of(decision)), ": "))
		}
		for _, row := range b.rowsFor(decision) {
			if t := &b.machine().Transitions[row]; t.Condition != "" || decision == string(personas.DecidePass) {
				lines = append(lines, strings.TrimRight(fmt.Sprintf("  - to %q: %s", t.To, t.Condition), ": "))
			}
		}
	}
	return strings.Join(lines, "\n")
}

func (b *OfflineBrief) listPlaceholders() string {
	var names []string
	for i := range b.Persona.Variables {
		names = append(names, "{{"+b.Persona.Variables[i].Key+"}}")
	}
	return strings.Join(names, " ")
}

// listMaterial lists what the state has, in the order of the document.
func (b *OfflineBrief) listMaterial() string {
	off := b.state().Offline
	if off == nil {
		return ""
	}
	var lines []string
	add := func(kind string, texts []string) {
		for _, text := range texts {
			lines = append(lines, fmt.Sprintf("- %s: %s", kind, text))
		}
	}
	add("opening", off.Opening)
	for _, decision := range decisionNames {
		add("example of "+decision, personas.ListSays(off.Examples.Of(decision)))
		add("line for "+decision, off.Lines.Of(decision))
	}
	add("line for enter", off.Lines.Enter)
	add("line for unknown", off.Lines.Unknown)
	for i := range off.Answers {
		add("answer to "+strings.Join(append(slices.Clone(off.Answers[i].Ask), string(off.Answers[i].Intent)), " / "), off.Answers[i].Say)
	}
	if off.Patience != nil {
		add("patience", []string{fmt.Sprint(*off.Patience)})
	}
	return strings.Join(lines, "\n")
}
