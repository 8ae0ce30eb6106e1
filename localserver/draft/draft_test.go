package draft

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/lint"
	"pgregory.net/rapid"
)

// TestGenerate: a sound draft takes one round, and the persona has exactly its content.
func TestGenerate(t *testing.T) {
	model := answerWith(harbourDraft(t))
	d := assert.Value(New(model).DraftPersona(context.Background(), aWish, nil))(t)
	assert.True(t, d.Rounds == 1 && len(d.Findings) == 0 && d.IsSound(), "%d rounds, findings %v", d.Rounds, d.Findings)
	assert.Equal(t, d.Usage, llm.Usage{Model: "openai/scripted", In: 100, Out: 10}, "it cost")
	written := assert.Value(personas.EncodeYAML(d.Persona))(t)
	assert.Golden(t, "testdata/harbour.yaml", string(written))
	assert.Golden(t, "testdata/generate.golden", showRequest(model.seen[0]))
}

// TestGenerateAgain: the model gets the faults with the draft, and the next draft is checked.
func TestGenerateAgain(t *testing.T) {
	bad := changeDraft(t, func(d map[string]any) {
		transitionOf(d, 0)["to_state_key"] = "the-dealy"
		d["persona_identity_prompt"] = "You are {{playr_name}}'s judge."
	})
	model := answerWith(bad, harbourDraft(t))
	var told []Progress
	d := assert.Value(New(model).DraftPersona(context.Background(), aWish, func(p Progress) { told = append(told, p) }))(t)
	assert.True(t, d.Rounds == 2 && d.IsSound() && d.Usage.In == 200 && d.Usage.Out == 20,
		"%d rounds, %v, %+v", d.Rounds, d.Findings, d.Usage)
	assert.True(t, len(told) == 2 && len(told[0].Findings) == 0 && len(told[1].Findings) == 2, "progress was %+v", told)
	assert.Golden(t, "testdata/again.golden", showRequest(model.seen[1]))
	assert.Equal(t, model.seen[1].Messages[1].Text, bad, "the draft that is to be put right is not sent back")
}

// TestGenerateProves: a draft that fails the proof is corrected, and the finding explains why.
func TestGenerateProves(t *testing.T) {
	impossible := map[string]struct {
		change func(map[string]any)
		says   string
	}{
		"threshold": {func(d map[string]any) { machineOf(d)["pass_threshold"] = 9 }, "ACCEPT can never come"},
		"state": {func(d map[string]any) {
			transitionOf(d, 0)["to_state_key"], transitionOf(d, 2)["to_state_key"] = "moored", "moored"
		}, `nobody can ever reach the state "the-delay"`},
		"link": {func(d map[string]any) {
			d["machines"] = append(d["machines"].([]any), secondMachine(t))
			d["machine_links"] = []any{map[string]any{
				"source_machine_key": "the-berth", "target_machine_key": "second", "condition_type": "score_gte", "condition_value": "99", "is_auto_advance": false,
			}}
		}, "can never open"},
	}
	for name, tt := range impossible {
		t.Run(name, func(t *testing.T) {
			model := answerWith(changeDraft(t, tt.change), harbourDraft(t))
			d, err := New(model).DraftPersona(context.Background(), aWish, nil)
			assert.True(t, err == nil && d.Rounds == 2 && d.IsSound(), "%v, %d rounds, %v", err, d.Rounds, d.Findings)
			assert.Contains(t, model.seen[1].Messages[2].Text, tt.says, "the model is told")
		})
	}
}

func secondMachine(t *testing.T) any {
	var second map[string]any
	changeDraft(t, func(d map[string]any) { second = machineOf(d) })
	second["machine_key"], second["is_entry_machine"] = "second", false
	return second
}

// TestGenerateGivesTheBest: after the last round, the best draft is returned with its faults.
func TestGenerateGivesTheBest(t *testing.T) {
	worse := changeDraft(t, func(d map[string]any) {
		transitionOf(d, 0)["to_state_key"] = "nowhere"
		transitionOf(d, 4)["to_state_key"] = "nowhere"
	})
	better := changeDraft(t, func(d map[string]any) { transitionOf(d, 0)["to_state_key"] = "nowhere" })
	model := answerWith(worse, better, "no JSON")
	d, err := New(model).DraftPersona(context.Background(), aWish, nil)
	assert.Must(t, err == nil && d.Rounds == Rounds && len(model.seen) == Rounds && !d.IsSound(),
		"%v, %d rounds, %v", err, d.Rounds, d.Findings)
	grave := lint.Errors(d.Findings)
	assert.True(t, len(grave) == 1 && grave[0].Path == "machines[0].transitions[0].to_state_key", "findings %v", d.Findings)
}

// TestGenerateKeepsTheSound: a sound draft is not lost if a later round fails.
func TestGenerateKeepsTheSound(t *testing.T) {
	warned := changeDraft(t, func(d map[string]any) { delete(stateOf(d, 0), "offline") })
	broken := changeDraft(t, func(d map[string]any) { transitionOf(d, 0)["to_state_key"] = "nowhere" })
	refusal := provider.Answer{Finish: provider.Refused, Usage: llm.Usage{In: 7}}
	for first, kept := range map[string]bool{warned: true, broken: false} {
		t.Run(fmt.Sprint("kept ", kept), func(t *testing.T) {
			model := answerWith(first)
			model.answers = append(model.answers, refusal)
			d, err := New(model).DraftPersona(context.Background(), aWish, nil)
			if (err == nil) != kept || kept && (!d.IsSound() || len(d.Findings) == 0) || d.Rounds != 2 || d.Usage.In != 107 {
				t.Errorf("kept %v: %v, %d rounds, %+v, %v", kept, err, d.Rounds, d.Usage, d.Findings)
			}
		})
	}
	ctx, leave := context.WithCancel(context.Background())
	model := answerWith(warned)
	model.answers = append(model.answers, refusal)
	_, err := New(model).DraftPersona(ctx, aWish, func(p Progress) {
		if p.Round == 2 {
			leave()
		}
	})
	assert.ErrorIs(t, err, ErrDeclined)
}

// TestGenerateTellsOfTheLast: a round gets the findings of the last draft.
func TestGenerateTellsOfTheLast(t *testing.T) {
	one := changeDraft(t, func(d map[string]any) { transitionOf(d, 0)["to_state_key"] = "nowhere" })
	two := changeDraft(t, func(d map[string]any) {
		transitionOf(d, 0)["to_state_key"], transitionOf(d, 2)["to_state_key"] = "nowhere", "nowhere"
	})
	var told []int
	model := answerWith(one, two, one)
	assert.Value(New(model).DraftPersona(context.Background(), aWish, func(p Progress) { told = append(told, len(p.Findings)) }))(t)
	for i, n := range told[1:] {
		messages := model.seen[i+1].Messages
		assert.Equal(t, strings.Count(messages[len(messages)-1].Text, "\n- "), n, "round %d is to put right", i+2)
	}
}

// TestLinkValues: the value of a link's condition is converted to its type.
func TestLinkValues(t *testing.T) {
	for wrote, want := range map[string]string{
		`"condition_type": "score_gte", "condition_value": "3"`:    `"condition_type":"score_gte","condition_value":3`,
		`"condition_type": "score_gte", "condition_value": 3`:      `"condition_type":"score_gte","condition_value":3`,
		`"condition_type": "outcome", "condition_value": "ACCEPT"`: `"condition_type":"outcome","condition_value":"ACCEPT"`,
		`"condition_type": "outcome", "condition_value": ""`:       `"condition_type":"outcome"`,
		`"condition_type": "always", "condition_value": "ACCEPT"`:  `"condition_type":"always"`,
	} {
		t.Run(wrote, func(t *testing.T) {
			got, err := tidyJSON(`{"machine_links": [{` + wrote + `}]}`)
			assert.True(t, err == nil && string(got) == `{"machine_links":[{`+want+`}]}`, "%s, %v", got, err)
		})
	}
}

// TestGenerateRefuses: unusable answers end in an error, with the usage of all rounds.
func TestGenerateRefuses(t *testing.T) {
	huge := changeDraft(t, func(d map[string]any) {
		states := make([]any, 5000)
		for i := range states {
			states[i] = map[string]any{"state_key": "s"}
		}
		machineOf(d)["states"] = states
	})
	for name, text := range map[string]string{
		"words":         "I would be glad to help! Here is a persona:",
		"empty":         "",
		"list":          "[]",
		"null":          "null",
		"nothing of it": `{"greeting": "hello"}`,
		"too long":      `{"name": "` + strings.Repeat("x", maxAnswer) + `"}`,
		"5000 states":   huge,
		"deep":          strings.Repeat(`{"machines":[`, 3000),
		"wide numbers":  changeDraft(t, func(d map[string]any) { machineOf(d)["pass_threshold"] = maxNumber + 1 }),
	} {
		t.Run(name, func(t *testing.T) {
			d, err := New(answerWith(text)).DraftPersona(context.Background(), aWish, nil)
			assert.ErrorIs(t, err, ErrForm)
			assert.Equal(t, d.Rounds, Rounds)
			assert.Equal(t, d.Usage.In, 100*Rounds)
			if err != nil && (strings.ContainsAny(err.Error(), "\x1b\n") || len(err.Error()) > 400) {
				t.Errorf("the error is %q", err)
			}
		})
	}
}

// TestLimits tests each limit of a draft, and one above it.
func TestLimits(t *testing.T) {
	transitions := func(n int) func(map[string]any) {
		return func(d map[string]any) {
			var list []any
			for range n {
				list = append(list, transitionOf(d, 0))
			}
			machineOf(d)["transitions"] = list
		}
	}
	machines := func(n int) func(map[string]any) {
		return func(d map[string]any) {
			var list []any
			for range n {
				list = append(list, map[string]any{"machine_key": "m", "states": []any{}, "transitions": []any{}})
			}
			d["machines"] = list
		}
	}
	number := func(n int) func(map[string]any) {
		return func(d map[string]any) { transitionOf(d, 0)["score_delta"] = n }
	}
	for name, limit := range map[string]struct{ at, past func(map[string]any) }{
		"machines":    {machines(maxMachines), machines(maxMachines + 1)},
		"transitions": {transitions(maxTransitions), transitions(maxTransitions + 1)},
		"number":      {number(maxNumber), number(maxNumber + 1)},
		"negative":    {number(-maxNumber), number(-maxNumber - 1)},
	} {
		t.Run(name, func(t *testing.T) {
			a := readAttempt(provider.Answer{Text: changeDraft(t, limit.at)}, "")
			assert.True(t, a.isForm, "%s at the limit: %v", name, a.findings)
			a = readAttempt(provider.Answer{Text: changeDraft(t, limit.past)}, "")
			assert.True(t, !a.isForm && a.findings[0].Check == checkSize, "%s one past it: %v", name, a.findings)
		})
	}
	var p personas.Persona
	p.Machines = []personas.Machine{{States: make([]personas.State, maxStates)}}
	assert.Empty(t, checkSizes(&p), maxStates)
	p.Machines[0].States = append(p.Machines[0].States, personas.State{})
	assert.Equal(t, len(checkSizes(&p)), 1, "%d states are taken", maxStates+1)
	at := `{"name":"` + strings.Repeat("x", maxAnswer-len(`{"name":""}`)) + `"}`
	for text, long := range map[string]bool{at: false, at + " ": true} {
		t.Run(fmt.Sprintf("%.40q", text), func(t *testing.T) {
			answer := assert.Value(New(answerWith(text)).askOnce(context.Background(), provider.Request{}, maxAnswer))(t)
			assert.Equal(t, answer.Finish == provider.Length, long, "%d bytes: %v", len(text), answer.Finish)
		})
	}
}

// TestHostileTexts: control characters in texts are findings with their paths.
func TestHostileTexts(t *testing.T) {
	for _, hostile := range []string{"\x1b[31mred", "a\x00b", "bell\a", "\u202eturned", "\u2066x", "zero\u200bwidth", "\u0085next", "\ufeffmark"} {
		t.Run(fmt.Sprintf("%.40q", hostile), func(t *testing.T) {
			a := readAttempt(provider.Answer{Text: changeDraft(t, func(d map[string]any) { stateOf(d, 1)["label"] = hostile })}, "")
			grave := lint.Errors(a.findings)
			assert.True(t, len(grave) != 0 && grave[0].Path == "machines[0].states[1].label", "%v", a.findings)
			for _, f := range a.findings {
				assert.True(t, !isHidden(f.Message), "the finding says %q", f.Message)
			}
		})
	}
	for _, fine := range []string{"two\nlines", "tab\there", "Zoë 👩‍🚒 शक्ति", "…"} {
		t.Run(fine, func(t *testing.T) { assert.True(t, !isHidden(fine), "%q is refused", fine) })
	}
}

// TestGenerateErrors: failures of the model are returned unchanged, with the usage so far.
func TestGenerateErrors(t *testing.T) {
	refused := &scriptedAsker{answers: []provider.Answer{{Finish: provider.Refused, Usage: llm.Usage{In: 7}}}}
	if d, err := New(refused).DraftPersona(context.Background(), aWish, nil); !errors.Is(err, ErrDeclined) || d.Usage.In != 7 || d.Rounds != 1 {
		t.Errorf("refused: %v, %+v", err, d)
	}
	late := &provider.Error{Kind: provider.Late, Message: "the model did not answer in time"}
	_, err := New(&scriptedAsker{err: late}).DraftPersona(context.Background(), aWish, nil)
	got, ok := errors.AsType[*provider.Error](err)
	assert.True(t, ok && got == late, "late: %v", err)
	_, err = New(&scriptedAsker{err: errPlain}).DraftPersona(context.Background(), aWish, nil)
	assert.ErrorIs(t, err, errPlain, "plain")
	cut := &scriptedAsker{answers: []provider.Answer{{Text: `{"name": "Il`, Finish: provider.Length}, answerWith(harbourDraft(t)).answers[0]}}
	d, err := New(cut).DraftPersona(context.Background(), aWish, nil)
	assert.True(t, err == nil && d.IsSound() && d.Rounds == 2, "cut off: %v", err)
	text := cut.seen[1].Messages
	assert.True(t, len(text) == 1 && strings.Contains(text[0].Text, "smaller draft"), "after a draft that was cut off the model is told %v", text)
}

// TestWish tests each limit of a brief, and one above it, and a name by the author.
func TestWish(t *testing.T) {
	for _, tt := range []struct {
		brief Brief
		fine  bool
	}{
		{Brief{Description: strings.Repeat("ä", MaxDescription)}, true},
		{Brief{Description: strings.Repeat("ä", MaxDescription+1)}, false},
		{Brief{Description: " \n"}, false},
		{Brief{Description: "x", Name: strings.Repeat("ß", personas.MaxName)}, true},
		{Brief{Description: "x", Name: strings.Repeat("ß", personas.MaxName+1)}, false},
		{Brief{Description: "x", Name: "two\nlines"}, false},
		{Brief{Description: "x", Name: "\x1b[2J"}, false},
	} {
		t.Run(fmt.Sprintf("%.20q named %.20q", tt.brief.Description, tt.brief.Name), func(t *testing.T) {
			model := answerWith(harbourDraft(t))
			d, err := New(model).DraftPersona(context.Background(), tt.brief, nil)
			_, bad := errors.AsType[*InvalidBrief](err)
			if (err == nil) != tt.fine || !tt.fine && (len(model.seen) > 0 || !bad) {
				t.Errorf("%.40q, %.40q: %v, asked %d times", tt.brief.Description, tt.brief.Name, err, len(model.seen))
			}
			assert.True(t, !tt.fine || tt.brief.Name == "" || d.Persona.Name == tt.brief.Name, "it is called %q", d.Persona.Name)
		})
	}
}

// TestInstructionsAreOurs: for any wish, the instructions are exactly those of the file.
func TestInstructionsAreOurs(t *testing.T) {
	good := harbourDraft(t)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringN(1, 60, -1)
		brief := Brief{Description: "x" + text.Draw(t, "description"), Name: rapid.StringMatching(`[A-Za-z{} :"]{1,40}`).Draw(t, "name")}
		model := answerWith(text.Draw(t, "garbage"), strings.ReplaceAll(good, "the-delay", "d\u0007"), good)
		assert.Value(New(model).DraftPersona(context.Background(), brief, nil))(t)
		p := &personas.Persona{Name: brief.Name, Description: brief.Description, IdentityPrompt: "a text"}
		pen := answerWith(`{"text": "` + strings.Repeat("b", 5) + `"}`)
		assert.Value(New(pen).RewriteText(context.Background(), Revision{Persona: p, Path: "persona_identity_prompt", Direction: brief.Name}))(t)
		for _, r := range append(model.seen, pen.seen...) {
			if r.System != generateText && r.System != polishText || r.Messages[0].Role != "user" {
				t.Fatalf("the instructions are\n%s", r.System)
			}
		}
	})
}

// FuzzRead: reading any answer works, and a sound draft is a valid persona.
func FuzzRead(f *testing.F) {
	f.Add(harbourDraft(f))
	f.Add(`{"machine_links": [{"condition_type": "always", "condition_value": "x"}], "machines": [{}]}`)
	f.Add(`{"machines": [{"machine_key": "m", "states": [{"state_key": "a", "offline": {}}], "transitions": [{}]}]}`)
	f.Add(`{"machine_links": 3, "machines": {}}`)
	f.Fuzz(func(t *testing.T, text string) {
		a := readAttempt(provider.Answer{Text: text}, "")
		if len(lint.Errors(a.findings)) > 0 {
			return
		}
		written := assert.Value(personas.EncodeYAML(a.persona))(t)
		again, _, faults := personas.Parse("draft.yaml", written)
		assert.Empty(t, lint.Errors(lint.All(&again, faults)), written)
	})
}

// stepAnswer answers a step with texts for its members, except for those that skip selects.
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

// TestSteps: a model yields a persona in eight small requests with a common beginning.
func TestSteps(t *testing.T) {
	t.Parallel()
	model := answerSteps(func(int, string) bool { return false })
	var said []string
	d, err := New(model).DraftInSteps(t.Context(), aWish, func(p StepProgress) { said = append(said, fmt.Sprintf("%d/%d %s", p.Step, p.Of, p.What)) })
	assert.Must(t, err == nil && d.IsSound() && len(d.Filled) == 0 && d.Rounds == 8 && len(said) == 8, "%v, %d rounds, filled %q, %v\n%q", err, d.Rounds, d.Filled, d.Findings, said)
	m := &d.Persona.Machines[0]
	assert.True(t, len(m.States) == 3 && len(m.Transitions) == 6 && len(m.States[1].Offline.Examples.KickOut) == stepExamples && len(m.States[1].Offline.Lines.Enter) == 1, "%+v", m)
	for i, r := range model.seen[1:] {
		before, _, _ := strings.Cut(model.seen[i].Messages[0].Text, "\n\nWrite")
		assert.True(t, strings.HasPrefix(r.Messages[0].Text, before) && r.System == model.seen[0].System, "request %d does not begin as the one before it:\n%s", i+2, r.Messages[0].Text)
		size := len(r.System) + len(r.Messages[0].Text)
		assert.True(t, size <= 4000, "request %d has %d bytes", i+2, size)
	}
}

// TestStepsWithoutUsableText: without usable texts, a persona has no errors and marked texts.
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

// TestStepsAreRepairedOnce: missing texts are requested once more, then taken from the template.
func TestStepsAreRepairedOnce(t *testing.T) {
	t.Parallel()
	model := answerSteps(func(number int, member string) bool { return number == 3 && member == "reject" || member == "unknown" })
	d, err := New(model).DraftInSteps(t.Context(), aWish, nil)
	assert.Must(t, err == nil && d.IsSound() && d.Rounds == 11, "%v, %d rounds, %v", err, d.Rounds, d.Findings)
	assert.EqualSlices(t, d.Filled, []string{"machines[0].states[0].offline.lines.unknown", "machines[0].states[1].offline.lines.unknown"})
	assert.Contains(t, string(model.seen[3].Schema.JSON), `"required":["reject"]`, "the repair asks for")
	assert.Contains(t, d.Persona.Machines[0].States[0].Criteria.Reject, "harbour", "the repair is not kept")
}

// TestStepsInterrupted: the texts so far are kept when ctx ends or the provider fails.
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
	assert.True(t, errors.Is(err, context.Canceled) && d.IsSound() && strings.Contains(d.Persona.Description, "harbour") && len(d.Filled) != 0 && len(model.seen) == 4,
		"%v after %d requests, %+v, filled %d", err, len(model.seen), d.Persona, len(d.Filled))
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

// TestStepTexts: braces of unknown placeholders and duplicate texts are removed.
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

// scriptedAsker answers with its answers in order, and repeats the last one.
type scriptedAsker struct {
	answers []provider.Answer
	err     error

	mu   sync.Mutex
	seen []provider.Request
}

func (s *scriptedAsker) Model() string { return "openai/scripted" }

func (s *scriptedAsker) Place() string { return "openai/scripted" }

func (s *scriptedAsker) Ask(_ context.Context, r provider.Request, _ func(string) error) (provider.Answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, r)
	if s.err != nil {
		return provider.Answer{}, s.err
	}
	return s.answers[min(len(s.seen), len(s.answers))-1], nil
}

// answerWith returns a model that answers with texts; each costs 100 and 10 tokens.
func answerWith(texts ...string) *scriptedAsker {
	s := &scriptedAsker{}
	for _, text := range texts {
		s.answers = append(s.answers, provider.Answer{Text: text, Finish: provider.Stopped, Usage: llm.Usage{Model: "openai/scripted", In: 100, Out: 10}})
	}
	return s
}

func harbourDraft(t testing.TB) string {
	t.Helper()
	text := assert.Value(os.ReadFile("testdata/harbour.json"))(t)
	return string(text)
}

func changeDraft(t testing.TB, change func(draft map[string]any)) string {
	t.Helper()
	var value map[string]any
	assert.NoError(t, json.Unmarshal([]byte(harbourDraft(t)), &value))
	change(value)
	text := assert.Value(json.Marshal(value))(t)
	return string(text)
}

func machineOf(draft map[string]any) map[string]any {
	return draft["machines"].([]any)[0].(map[string]any)
}

func transitionOf(draft map[string]any, i int) map[string]any {
	return machineOf(draft)["transitions"].([]any)[i].(map[string]any)
}

func stateOf(draft map[string]any, i int) map[string]any {
	return machineOf(draft)["states"].([]any)[i].(map[string]any)
}

var aWish = Brief{Description: "A harbour master who hates lies."}

func showRequest(r provider.Request) string {
	var b strings.Builder
	fmt.Fprintf(&b, "step: %s\nschema: %s\nmax tokens: %d\n\n== system ==\n%s", r.Step, r.Schema.Name, r.MaxTokens, r.System)
	for _, m := range r.Messages {
		text := m.Text
		if m.Role == "assistant" {
			text = fmt.Sprintf("(%d bytes)\n", len(text))
		}
		fmt.Fprintf(&b, "\n== %s ==\n%s", m.Role, text)
	}
	return b.String() + "\n"
}

var errPlain = errors.New("plain")
