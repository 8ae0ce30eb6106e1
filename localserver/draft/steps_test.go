package draft

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/lint"
)

// stepAnswer answers a step with texts for all members of its schema, except for those that skip
// selects.
func stepAnswer(r provider.Request, skip func(member string) bool) string {
	var schema struct {
		Required []string `json:"required"`
	}
	_ = json.Unmarshal(r.Schema.JSON, &schema)
	written := map[string]string{}
	for _, name := range schema.Required {
		if !skip(name) {
			written[name] = fmt.Sprintf("The harbour says %s of %d", strings.ReplaceAll(name, "_", " "), len(r.Messages[0].Text))
		}
	}
	text, _ := json.Marshal(written)
	return string(text)
}

// stepAsker answers each step by a function, beginning with number 1.
type stepAsker struct {
	scriptedAsker
	answer func(number int, r provider.Request) provider.Answer
}

func (s *stepAsker) Ask(ctx context.Context, r provider.Request, _ func(string) error) (provider.Answer, error) {
	s.seen = append(s.seen, r)
	if err := ctx.Err(); err != nil {
		return provider.Answer{}, &provider.Error{Kind: provider.Late, Message: "given up", Cause: err}
	}
	return s.answer(len(s.seen), r), nil
}

func answerSteps(skip func(number int, member string) bool) *stepAsker {
	return &stepAsker{answer: func(number int, r provider.Request) provider.Answer {
		return provider.Answer{Finish: provider.Stopped, Text: stepAnswer(r, func(member string) bool { return skip(number, member) })}
	}}
}

// TestSteps: a model that answers every request yields a whole persona in eight small requests, and
// each request begins like the one before it.
func TestSteps(t *testing.T) {
	t.Parallel()
	model := answerSteps(func(int, string) bool { return false })
	var said []string
	d, err := New(model).DraftInSteps(t.Context(), aWish, func(p StepProgress) { said = append(said, fmt.Sprintf("%d/%d %s", p.Step, p.Of, p.What)) })
	if err != nil || !d.IsSound() || len(d.Filled) > 0 || d.Rounds != 8 || len(said) != 8 {
		t.Fatalf("%v, %d rounds, filled %q, %v\n%q", err, d.Rounds, d.Filled, d.Findings, said)
	}
	m := &d.Persona.Machines[0]
	if len(m.States) != 3 || len(m.Transitions) != 6 || len(m.States[1].Offline.Examples.KickOut) != stepExamples || len(m.States[1].Offline.Lines.Enter) != 1 {
		t.Errorf("%+v", m)
	}
	for i, r := range model.seen[1:] {
		before, _, _ := strings.Cut(model.seen[i].Messages[0].Text, "\n\nWrite")
		if !strings.HasPrefix(r.Messages[0].Text, before) || r.System != model.seen[0].System {
			t.Errorf("request %d does not begin as the one before it:\n%s", i+2, r.Messages[0].Text)
		}
		size := len(r.System) + len(r.Messages[0].Text)
		assert.True(t, size <= 4000, "request %d has %d bytes", i+2, size)
	}
}

// TestStepsWithoutUsableText: a model that never writes anything usable still yields a persona
// without errors, and all its texts are marked.
func TestStepsWithoutUsableText(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"words": "Gladly! Here is a persona.", "nothing": "", "an empty object": "{}", "another shape": `{"name": ["a"], "pass": {"x": 1}}`,
		"control characters": `{"name": "a\u001b[2J", "description": "\u202e"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := New(answerWith(text)).DraftInSteps(t.Context(), aWish, nil)
			if err != nil || !d.IsSound() || d.Persona.Name != templateTexts["name"] || len(d.Filled) < 30 || d.Rounds != 16 {
				t.Fatalf("%v, %d rounds, filled %d, %v", err, d.Rounds, len(d.Filled), lint.Errors(d.Findings))
			}
			assert.Equal(t, len(slices.DeleteFunc(slices.Clone(d.Findings), func(f personas.Diagnostic) bool { return f.Check != checkFilled })), len(d.Filled), "findings")
			source := assert.Value(personas.EncodeYAML(d.Persona))(t)
			_, places, faults := personas.Parse("draft.yaml", source)
			for _, path := range d.Filled {
				assert.True(t, places.Lookup(path).Line != 0, "%s is nowhere in the file", path)
			}
			assert.Empty(t, faults)
		})
	}
}

// TestStepsAreRepairedOnce: missing texts alone are requested once more; those that are still
// missing come from the template.
func TestStepsAreRepairedOnce(t *testing.T) {
	t.Parallel()
	model := answerSteps(func(number int, member string) bool { return number == 3 && member == "reject" || member == "unknown" })
	d, err := New(model).DraftInSteps(t.Context(), aWish, nil)
	assert.Must(t, err == nil && d.IsSound() && d.Rounds == 11, "%v, %d rounds, %v", err, d.Rounds, d.Findings)
	assert.EqualSlices(t, d.Filled, []string{"machines[0].states[0].offline.lines.unknown", "machines[0].states[1].offline.lines.unknown"})
	assert.Contains(t, string(model.seen[3].Schema.JSON), `"required":["reject"]`, "the repair asks for")
	assert.Contains(t, d.Persona.Machines[0].States[0].Criteria.Reject, "harbour", "the repair is not kept")
}

// TestStepsInterrupted: the texts so far are kept when ctx ends and when the provider fails; a
// failed first step leaves nothing.
func TestStepsInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	model := answerSteps(func(number int, _ string) bool {
		if number == 3 {
			cancel()
		}
		return false
	})
	d, err := New(model).DraftInSteps(ctx, aWish, nil)
	if !errors.Is(err, context.Canceled) || !d.IsSound() || !strings.Contains(d.Persona.Description, "harbour") || len(d.Filled) == 0 || len(model.seen) != 4 {
		t.Errorf("%v after %d requests, %+v, filled %d", err, len(model.seen), d.Persona, len(d.Filled))
	}
	assert.Contains(t, d.Persona.Machines[0].States[0].Criteria.Pass, "harbour", "the third step is lost")
	d, err = New(&scriptedAsker{err: &provider.Error{Kind: provider.Down, Message: "nothing answers"}}).DraftInSteps(t.Context(), aWish, nil)
	failed, ok := errors.AsType[*provider.Error](err)
	assert.True(t, ok && failed.Kind == provider.Down && d.Persona.Name == "", "%v, %+v", err, d.Persona)
	refused := &scriptedAsker{answers: []provider.Answer{{Finish: provider.Refused}}}
	d, err = New(refused).DraftInSteps(t.Context(), aWish, nil)
	assert.True(t, errors.Is(err, ErrDeclined) && d.Persona.Name == "", "%v, %+v", err, d.Persona)
	_, err = New(refused).DraftInSteps(t.Context(), Brief{}, nil)
	assert.True(t, err != nil, "an empty description is taken")
}

// TestStepTexts: unknown placeholders lose their braces, a duplicate text counts once, and a
// repeated question is not an answer.
func TestStepTexts(t *testing.T) {
	t.Parallel()
	members := conditionsTask("x").members
	answer := provider.Answer{Text: `{"pass": " {{player_name}} gives {{the_fish}}. ", "redirect": "{{player_name}} gives {{the_fish}}.", "reject": "reject", "kick_out": "` + members[3].about + `"}`}
	got := readTexts(answer, members)
	assert.True(t, len(got) == 1 && got["pass"] == "{{player_name}} gives the_fish.", "%q", got)
	cut := provider.Answer{Finish: provider.Length, Text: `{"pass": "The player gives, and more.", "redirect": "` + strings.Repeat("The player may. ", 40) + `", "reject": "The pla`}
	if got := readTexts(cut, members); len(got) != 2 || len(got["redirect"]) > maxSentence || !strings.HasSuffix(got["redirect"], "may.") {
		t.Errorf("%q", got)
	}
	for text, want := range map[string]string{"one two three": "one two", "One. Two three": "One.", "städtenamen": "", "short": "short"} {
		assert.Equal(t, shorten(text, 9), want, "%q is shortened to", text)
	}
	for title, want := range map[string]string{"The Gate!": "the-gate", "城門": "scene", "": "scene", "a  b": "a-b-2"} {
		assert.Equal(t, makeKey(title, "scene", []string{"a-b"}), want, "%q has the key", title)
	}
}
