package draft

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/lint"
)

// TestGenerate: an immediately sound draft takes one round, and the persona contains exactly its
// content.
func TestGenerate(t *testing.T) {
	model := answerWith(harbourDraft(t))
	d := assert.Value(New(model).DraftPersona(context.Background(), aWish, nil))(t)
	assert.True(t, d.Rounds == 1 && len(d.Findings) == 0 && d.IsSound(), "%d rounds, findings %v", d.Rounds, d.Findings)
	assert.Equal(t, d.Usage, llm.Usage{Model: "openai/scripted", In: 100, Out: 10}, "it cost")
	written := assert.Value(personas.EncodeYAML(d.Persona))(t)
	assert.Golden(t, "testdata/harbour.yaml", string(written))
	assert.Golden(t, "testdata/generate.golden", showRequest(model.seen[0]))
}

// TestGenerateAgain: the model gets the faults together with the draft, and the next round is
// checked like the first.
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

// TestGenerateProves: a draft that passes lint but not the proof is corrected too, and the finding
// names the impossible thing.
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

// secondMachine returns the draft's machine once more, under another key.
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

// TestGenerateKeepsTheSound: a sound draft is not lost if a round to improve it fails, unless the
// caller has disconnected.
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

// TestGenerateTellsOfTheLast: a round gets the findings of the last draft, even if an earlier one
// was better.
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

// TestLinkValues: the value of a link's condition is converted to its type in the document, also
// from models that already write it that way.
func TestLinkValues(t *testing.T) {
	for wrote, want := range map[string]string{
		`"condition_type": "score_gte", "condition_value": "3"`:    `"condition_type":"score_gte","condition_value":3`,
		`"condition_type": "score_gte", "condition_value": 3`:      `"condition_type":"score_gte","condition_value":3`,
		`"condition_type": "outcome", "condition_value": "ACCEPT"`: `"condition_type":"outcome","condition_value":"ACCEPT"`,
		`"condition_type": "outcome", "condition_value": ""`:       `"condition_type":"outcome"`,
		`"condition_type": "always", "condition_value": "ACCEPT"`:  `"condition_type":"always"`,
	} {
		t.Run(wrote, func(t *testing.T) {
			if got, err := tidyJSON(`{"machine_links": [{` + wrote + `}]}`); err != nil || string(got) != `{"machine_links":[{`+want+`}]}` {
				t.Errorf("%s, %v", got, err)
			}
		})
	}
}

// TestGenerateRefuses: unusable answers end in an error after the last round, with the usage of all
// rounds.
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
			answer, err := New(answerWith(text)).askOnce(context.Background(), provider.Request{}, maxAnswer)
			assert.NoError(t, err, "%d bytes: %v", len(text), answer.Finish)
			assert.Equal(t, answer.Finish == provider.Length, long, "%d bytes: %v", len(text), answer.Finish)
		})
	}
}

// TestHostileTexts: control characters and invisible marks in texts are findings with their paths,
// and a draft with such a text is never sound.
func TestHostileTexts(t *testing.T) {
	for _, hostile := range []string{"\x1b[31mred", "a\x00b", "bell\a", "\u202eturned", "\u2066x", "zero\u200bwidth", "\u0085next", "\ufeffmark"} {
		t.Run(fmt.Sprintf("%.40q", hostile), func(t *testing.T) {
			a := readAttempt(provider.Answer{Text: changeDraft(t, func(d map[string]any) {
				stateOf(d, 1)["label"] = hostile
			})}, "")
			grave := lint.Errors(a.findings)
			assert.True(t, len(grave) != 0 && grave[0].Path == "machines[0].states[1].label", "%v", a.findings)
			for _, f := range a.findings {
				assert.True(t, !isHidden(f.Message), "the finding says %q", f.Message)
			}
		})
	}
	for _, fine := range []string{"two\nlines", "tab\there", "Zoë 👩‍🚒 शक्ति", "…"} {
		t.Run(fine, func(t *testing.T) {
			assert.True(t, !isHidden(fine), "%q is refused", fine)
		})
	}
}

// TestGenerateErrors: refusals and failures of the model are returned unchanged, with the usage so
// far.
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
			if tt.fine && tt.brief.Name != "" && d.Persona.Name != tt.brief.Name {
				t.Errorf("it is called %q", d.Persona.Name)
			}
		})
	}
}

// TestInstructionsAreOurs: for any wish and any answer, the instructions are exactly those of the
// file.
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

// FuzzRead: no answer makes reading fail, and a sound draft is a persona that a
// file can contain.
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
		written, err := personas.EncodeYAML(a.persona)
		assert.NoError(t, err)
		again, _, faults := personas.Parse("draft.yaml", written)
		assert.Empty(t, lint.Errors(lint.All(&again, faults)), written)
	})
}
