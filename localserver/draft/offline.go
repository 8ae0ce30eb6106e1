package draft

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas"
)

//go:embed offline.txt
var offlineInstructions string

// buildSchema selects members of offlineSchema, and replaces the words that begin with $.
//
//go:embed offline.schema.json
var offlineSchema []byte

const (
	maxAdditions  = 120
	maxSaid       = 400 // characters
	maxPatience   = 50
	maxStepTokens = 2000 // low, because small models may repeat themselves endlessly
)

// OfflinePart is a kind of material for play without a model.
type OfflinePart string

// Values of OfflinePart.
const (
	OfflineExamples OfflinePart = "examples"
	OfflineLines    OfflinePart = "lines"
	OfflineAnswers  OfflinePart = "answers"
)

// OfflineParts lists the parts of a state in drafting order.
var OfflineParts = []OfflinePart{OfflineExamples, OfflineLines, OfflineAnswers}

//go:embed offline_*.txt
var offlineTasks embed.FS

// OfflineBrief identifies the state and the part to draft.
type OfflineBrief struct {
	Persona        *personas.Persona
	Machine, State int // by index
	Part           OfflinePart
	// Direction describes the author's wishes. It may be empty.
	Direction string
}

// Addition is a draft of one value for a document.
type Addition struct {
	// Path is the path of the list or number to change.
	Path string
	// Value is the JSON to append to the list, or to set.
	Value string
	// Kind describes the addition, such as "example of pass". Text is the content.
	Kind, Text string
}

// IsItem reports whether Value is appended to a list.
func (a *Addition) IsItem() bool { return !strings.HasSuffix(a.Path, ".patience") }

// OfflineDraft is a draft of one part for a state. Additions may be empty.
type OfflineDraft struct {
	Additions []Addition
	// Dropped is the number of unusable texts.
	Dropped int
	// Rounds is the number of requests to the model, 1 or 2.
	Rounds int
	Usage  llm.Usage
}

// ListOfflineStates lists the nonterminal states as pairs of machine index and state index.
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

// DraftOffline drafts one part for a state, without material that already exists or does not fit.
// The error is *InvalidBrief, ErrDeclined, *UnusableRewrite or *provider.Error. Rounds and Usage
// are valid even after an error.
func (d *Drafter) DraftOffline(ctx context.Context, b OfflineBrief) (OfflineDraft, error) {
	if n := len([]rune(b.Direction)); n > maxDirection {
		return OfflineDraft{}, tooLong("wish", n, maxDirection)
	}
	drafted, rounds, usage, err := askWithRetry(ctx, d, b.buildRequest(), maxAnswer, b.readAnswer)
	drafted.Rounds, drafted.Usage = rounds, usage
	if err != nil {
		err = fmt.Errorf("draft for state %q: %w", b.state().Title(), err)
	}
	return drafted, err
}

func (b *OfflineBrief) machine() *personas.Machine { return &b.Persona.Machines[b.Machine] }

func (b *OfflineBrief) state() *personas.State { return &b.machine().States[b.State] }

func (b *OfflineBrief) buildRequest() provider.Request {
	var out strings.Builder
	m, s := b.machine(), b.state()
	writeSection(&out, "The character", b.Persona.Name+". "+b.Persona.Description)
	writeSection(&out, "Who it is", b.Persona.IdentityPrompt)
	writeSection(&out, "The machine", m.Title()+". "+m.Description)
	writeSection(&out, "What the player has to achieve", m.Objective)
	writeSection(&out, "The state", s.Title()+". "+s.PromptInstruction)
	writeSection(&out, "What leads to which decision", b.listDecisions())
	var placeholders []string
	for i := range b.Persona.Variables {
		placeholders = append(placeholders, "{{"+b.Persona.Variables[i].Key+"}}")
	}
	writeSection(&out, "Placeholders beside {{player_name}} and {{persona_name}}", strings.Join(placeholders, " "))
	writeSection(&out, "What the state has already", b.listMaterial())
	writeSection(&out, "What is wished", b.Direction)
	task, _ := offlineTasks.ReadFile("offline_" + string(b.Part) + ".txt") // Every part has a file.
	writeSection(&out, "What to write now", string(task))
	return provider.Request{
		Step: step, System: offlineInstructions,
		Messages:  []llm.Message{{Role: "user", Text: strings.TrimSpace(out.String())}},
		Schema:    &provider.Schema{Name: "offline_" + string(b.Part), JSON: b.buildSchema()},
		MaxTokens: maxStepTokens, NoThinking: true,
	}
}

func (b *OfflineBrief) buildSchema() json.RawMessage {
	var schema struct{ Properties map[string]json.RawMessage }
	var compact bytes.Buffer
	_ = json.Compact(&compact, offlineSchema)
	_ = json.Unmarshal(compact.Bytes(), &schema)
	names := []string{string(b.Part)}
	if b.Part == OfflineAnswers {
		names = append(names, "patience")
	}
	var members []string
	for _, name := range names {
		members = append(members, fmt.Sprintf("%q:%s", name, schema.Properties[name]))
	}
	text := fmt.Sprintf(`{"type":"object","additionalProperties":false,"required":%s,"properties":{%s}}`,
		encodeList(names), strings.Join(members, ","))
	decisions := slices.DeleteFunc(slices.Clone(decisionNames), func(name string) bool { return !b.canDecide(name) })
	purposes := slices.DeleteFunc(slices.Clone(linePurposes), func(name string) bool { return !b.canSay(name) })
	intents := []string{noKey}
	for _, i := range personas.Intents {
		intents = append(intents, string(i))
	}
	return json.RawMessage(strings.NewReplacer(
		`["$decisions"]`, encodeList(decisions),
		`["$purposes"]`, encodeList(purposes),
		`["$targets"]`, encodeList(b.passTargets()),
		`["$intents"]`, encodeList(intents),
	).Replace(text))
}

var linePurposes = append([]string{"opening", "enter", "unknown"}, decisionNames...)

func encodeList(names []string) string {
	text, _ := json.Marshal(names)
	return string(text)
}

// noKey represents an empty key, because some servers reject empty values.
const noKey = "none"

func (b *OfflineBrief) passTargets() []string {
	targets := []string{noKey}
	if rows := b.rowsFor(string(personas.DecidePass)); len(rows) > 1 {
		for _, row := range rows {
			if to := b.machine().Transitions[row].To; !slices.Contains(targets, to) {
				targets = append(targets, to)
			}
		}
	}
	return targets
}

var decisionNames = []string{
	string(personas.DecidePass), string(personas.DecideRedirect), string(personas.DecideReject),
	string(personas.DecideKickOut), personas.FollowUpName,
}

func (b *OfflineBrief) canDecide(decision string) bool {
	return decision == string(personas.DecideRedirect) || decision == personas.FollowUpName || len(b.rowsFor(decision)) > 0
}

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

func (b *OfflineBrief) listMaterial() string {
	var lines []string
	b.walkMaterial(func(_, kind, text string) {
		if kind != "" {
			lines = append(lines, fmt.Sprintf("- %s: %s", kind, text))
		}
	})
	return strings.Join(lines, "\n")
}

// walkMaterial visits each text of the state. Texts of one group must differ. kind is empty for
// texts that the model need not see.
func (b *OfflineBrief) walkMaterial(visit func(group, kind, text string)) {
	all := func(group, kind string, texts []string) {
		for _, text := range texts {
			visit(group, kind, text)
		}
	}
	for i := range b.machine().Transitions {
		if t := &b.machine().Transitions[i]; t.From == b.state().Key && t.Offline != nil {
			all("example", "", personas.ListSays(t.Offline.Examples))
		}
	}
	off := b.state().Offline
	if off == nil {
		return
	}
	all("line", "opening", off.Opening)
	for _, decision := range decisionNames {
		all("example", "example of "+decision, personas.ListSays(off.Examples.Of(decision)))
		all("line", "line for "+decision, off.Lines.Of(decision))
	}
	all("line", "line for enter", off.Lines.Enter)
	all("line", "line for unknown", off.Lines.Unknown)
	for i := range off.Answers {
		a := &off.Answers[i]
		all("ask", "", a.Ask)
		visit("intent", "", string(a.Intent))
		all("line", "answer to "+strings.Join(append(slices.Clone(a.Ask), string(a.Intent)), " / "), a.Say)
	}
	if off.Patience != nil {
		visit("patience", "patience", fmt.Sprint(*off.Patience))
	}
}
