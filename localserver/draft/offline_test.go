package draft

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/examples"
)

const herring = `{"examples": [{"decision": "pass", "to": "", "say": "Here is a herring", "answer": "(Sniff.)"}, {"decision": "pass", "to": "", "say": "WHAT A GOOD KITTY", "answer": ""}],
	"lines": [{"for": "enter", "say": "Mm, {{player_name}}."}, {"for": "reject", "say": "\u001b[31mNo."}, {"for": "win", "say": "Yes."}], "answers": [{"ask": [], "intent": "where", "say": ["On the book."]}, {"ask": [], "intent": "help", "say": ["Fish."]}], "patience": 4}`

func listAdditions(d OfflineDraft) []string {
	var out []string
	for _, a := range d.Additions {
		out = append(out, a.Path+" "+a.Value)
	}
	return out
}

// TestDraftOffline: new and suitable material is returned with its place, other is left out.
func TestDraftOffline(t *testing.T) {
	model := answerWith(herring)
	got := assert.Value(New(model).DraftOffline(context.Background(), OfflineBrief{Persona: starterPersona(t), Part: OfflineExamples, Direction: "more fish"}))(t)
	want := []string{
		`machines[0].states[0].offline.examples.pass {"say":"Here is a herring","answer":"(Sniff.)"}`, `machines[0].states[0].offline.lines.enter "Mm, {{player_name}}."`,
		`machines[0].states[0].offline.answers {"intent":"where","say":["On the book."]}`, `machines[0].states[0].offline.patience 4`,
	}
	assert.EqualSlices(t, listAdditions(got), want)
	assert.Equal(t, got.Dropped, 4)
	assert.Equal(t, got.Rounds, 1)
	assert.Equal(t, got.Usage.In, 100)
	assert.Golden(t, "testdata/offline.golden", showRequest(model.seen[0]))
}

// TestDraftedPassesGoWhereTheyLead: an example goes to the pass with the target that it names.
func TestDraftedPassesGoWhereTheyLead(t *testing.T) {
	source := assert.Value(examples.Read("gate"))(t)
	p, _, _ := personas.Parse("gate.yaml", source)
	got, err := New(answerWith(`{"examples": [{"decision": "pass", "to": "company", "say": "I baked you a raisin bun", "answer": ""}, {"decision": "pass", "to": "", "say": "Open sesame", "answer": ""}],
		"lines": [], "answers": [], "patience": 0}`)).DraftOffline(context.Background(), OfflineBrief{Persona: &p, Part: OfflineExamples})
	assert.Must(t, err == nil && len(got.Additions) == 1, "%v: %+v", err, got)
	row := slices.IndexFunc(p.Machines[0].Transitions, func(t personas.Transition) bool { return t.From == "bar" && t.To == "company" })
	changed, err := personas.AddItem(source, got.Additions[0].Path, got.Additions[0].Value)
	again, _, faults := personas.Parse("gate.yaml", changed)
	if err != nil || len(faults) > 0 || row < 0 {
		t.Fatal(err, faults, row)
	}
	says := personas.ListSays(again.Machines[0].Transitions[row].Offline.Examples)
	assert.Equal(t, says[len(says)-1], "I baked you a raisin bun", "%q", says)
}

func TestDraftOfflineRefusals(t *testing.T) {
	brief := OfflineBrief{Persona: starterPersona(t), Part: OfflineLines}
	model := answerWith("Sure!", herring)
	if got, err := New(model).DraftOffline(context.Background(), brief); err != nil || got.Rounds != 2 || got.Usage.In != 200 ||
		!strings.Contains(model.seen[1].Messages[2].Text, "no JSON object") {
		t.Errorf("%v: %+v", err, got)
	}
	for _, useless := range []string{
		"[]",
		`{"examples": [{"decision": "pass", "to": "", "say": "` + strings.Repeat("x", maxSaid+1) + `", "answer": ""}]}`,
		`{"lines": [{"for": "win", "say": "Yes."}]}`,
	} {
		got, err := New(answerWith(useless)).DraftOffline(context.Background(), brief)
		_, unfit := errors.AsType[*UnusableRewrite](err)
		assert.Must(t, unfit, "%.60s: %v, %+v", useless, err, got)
		assert.Equal(t, got.Rounds, 2)
		assert.Equal(t, len(got.Additions), 0)
	}
	brief.Direction = strings.Repeat("x", maxDirection+1)
	_, err := New(answerWith(herring)).DraftOffline(context.Background(), brief)
	assert.True(t, err != nil, "an endless wish is taken")
	many, _ := json.Marshal(map[string]any{"lines": slices.Repeat([]map[string]string{{"for": "pass", "say": "x"}}, 3)})
	brief = OfflineBrief{Persona: starterPersona(t), Part: OfflineLines}
	if got, err := New(answerWith(string(many))).DraftOffline(context.Background(), brief); err != nil || len(got.Additions) != 1 {
		t.Errorf("%v: %+v", err, got)
	}
}

// TestOfflinePartsAreSmall: each part has its own schema with the keys of the state.
func TestOfflinePartsAreSmall(t *testing.T) {
	source := assert.Value(examples.Read("gate"))(t)
	p, _, _ := personas.Parse("gate.yaml", source)
	schemas := map[OfflinePart]string{
		OfflineExamples: `{"decision":{"type":"string","enum":["pass","redirect","reject","kick_out","follow_up"]},"to":{"type":"string","enum":["none",`,
		OfflineLines:    `{"for":{"type":"string","enum":["opening","enter","unknown","pass","redirect","reject","kick_out","follow_up"]}`,
		OfflineAnswers:  `"intent":{"type":"string","enum":["none","greeting",`,
	}
	var begins string
	for _, part := range OfflineParts {
		b := OfflineBrief{Persona: &p, Part: part}
		r := b.buildRequest()
		text := string(r.Schema.JSON)
		assert.True(t, json.Valid(r.Schema.JSON), "%s: %s", part, text)
		assert.Contains(t, text, schemas[part], part)
		assert.NotContains(t, text, "$", part)
		begin, end, _ := strings.Cut(r.Messages[0].Text, "What to write now:")
		if begins == "" {
			begins = begin
		}
		assert.Equal(t, begin, begins, part)
		assert.Contains(t, end, string(part), part)
		assert.True(t, r.MaxTokens <= maxStepTokens, "%s: the request ends with %s", part, end)
	}
	ends := OfflineBrief{Persona: starterPersona(t), State: 1, Part: OfflineExamples}
	if text := string(ends.buildSchema()); !strings.Contains(text, `"enum":["redirect","follow_up"]`) || !strings.Contains(text, `"enum":["none"]`) {
		t.Errorf("of a state without transitions: %s", text)
	}
}

// TestOfflineAnswers: a truncated answer is used up to its last complete item.
func TestOfflineAnswers(t *testing.T) {
	brief := OfflineBrief{Persona: starterPersona(t), Part: OfflineExamples}
	cut := answerWith(`{"examples": [{"decision": "pass", "to": "none", "say": "Here is a herring", "answer": ""}, {"decision": "pass", "to": "none", "say": "Here is ano`)
	cut.answers[0].Finish = provider.Length
	got := assert.Value(New(cut).DraftOffline(context.Background(), brief))(t)
	assert.Equal(t, len(got.Additions), 1)
	assert.Equal(t, got.Rounds, 1)
	got = assert.Value(New(answerWith(`{"examples": []}`)).DraftOffline(context.Background(), brief))(t)
	assert.Equal(t, len(got.Additions), 0)
	assert.Equal(t, got.Rounds, 1)
}
