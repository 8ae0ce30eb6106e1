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
	"github.com/parley-npc/parley/personas/prove"
	"pgregory.net/rapid"
)

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
			model := answerWith(harbourAnswers(t)...)
			d, err := New(model).DraftPersona(t.Context(), tt.brief, nil)
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
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringN(1, 60, -1)
		brief := Brief{Description: "x" + text.Draw(t, "description"), Name: rapid.StringMatching(`[A-Za-z{} :"]{1,40}`).Draw(t, "name")}
		model := answerWith(text.Draw(t, "garbage"), `{"description": "d\u0007"}`, `{"description": "A harbour."}`)
		assert.Value(New(model).DraftPersona(context.Background(), brief, nil))(t)
		p := &personas.Persona{Name: brief.Name, Description: brief.Description, IdentityPrompt: "a text"}
		pen := answerWith(`{"text": "bbbbb"}`)
		assert.Value(New(pen).RewriteText(context.Background(), Revision{Persona: p, Path: "persona_identity_prompt", Direction: brief.Name}))(t)
		for _, r := range append(model.seen, pen.seen...) {
			if r.System != stepInstructions && r.System != polishInstructions || r.Messages[0].Role != "user" {
				t.Fatalf("the instructions are\n%s", r.System)
			}
		}
	})
}

// FuzzRead: reading any answer works, and a draft without errors is a valid persona.
func FuzzRead(f *testing.F) {
	for _, text := range harbourAnswers(f) {
		f.Add(text)
	}
	f.Add(`{"name": ["a"], "pass": {"x": 1}}`)
	f.Fuzz(func(t *testing.T, text string) {
		d := assert.Value(New(answerWith(text)).DraftPersona(t.Context(), aWish, nil))(t)
		if !d.IsSound() {
			return
		}
		written := assert.Value(personas.EncodeYAML(d.Persona))(t)
		again, _, faults := personas.Parse("draft.yaml", written)
		assert.Empty(t, lint.Errors(lint.All(&again, faults)), written)
	})
}

func TestHostileTexts(t *testing.T) {
	for _, hostile := range []string{"\x1b[31mred", "a\x00b", "bell\a", "\u202eturned", "\u2066x", "zero\u200bwidth", "\ufeffmark"} {
		text := assert.Value(json.Marshal(map[string]string{"pass": hostile}))(t)
		assert.Empty(t, readTexts(provider.Answer{Text: string(text)}, conditionsTask("x").members), hostile)
	}
	for _, fine := range []string{"two\nlines", "tab\there", "Zoë 👩‍🚒 शक्ति", "…"} {
		assert.True(t, !isHidden(fine), "%q is refused", fine)
	}
	long := assert.Value(New(answerWith(strings.Repeat("x", maxAnswer+1))).askOnce(t.Context(), provider.Request{}, maxAnswer))(t)
	assert.True(t, long.Finish == provider.Length && long.Text == "", "an answer of %d bytes is used", maxAnswer+1)
}

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
	d, err := New(model).DraftPersona(t.Context(), aWish, func(p Progress) { said = append(said, fmt.Sprintf("%d/%d %s", p.Step, p.Of, p.What)) })
	proof := assert.Value(prove.Persona(&d.Persona))(t)
	assert.True(t, !slices.ContainsFunc(proof.Machines[0].States, func(s prove.State) bool { return !s.Reachable }), "%+v", proof)
	assert.NoError(t, err)
	assert.True(t, d.IsSound(), "%v, %d rounds, filled %q, %v\n%q", err, d.Rounds, d.Filled, d.Findings, said)
	assert.Equal(t, len(d.Filled), 0)
	assert.Equal(t, d.Rounds, 8)
	assert.Equal(t, len(said), 8)
	m := &d.Persona.Machines[0]
	assert.Must(t, len(m.States) == 3, "%+v", m)
	assert.Equal(t, len(m.Transitions), 6)
	assert.Equal(t, len(m.States[1].Offline.Examples.KickOut), stepExamples)
	assert.Equal(t, len(m.States[1].Offline.Lines.Enter), 1)
	for i, r := range model.seen[1:] {
		before, _, _ := strings.Cut(model.seen[i].Messages[0].Text, "\n\nWrite")
		assert.True(t, strings.HasPrefix(r.Messages[0].Text, before), "request %d does not begin as the one before it:\n%s", i+2, r.Messages[0].Text)
		assert.Equal(t, r.System, model.seen[0].System, "request %d", i+2)
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
			d, err := New(answerWith(text)).DraftPersona(t.Context(), aWish, nil)
			if err != nil || !d.IsSound() || d.Persona.Name != templateTexts["name"] || len(d.Filled) < 30 || d.Rounds != 16 {
				t.Fatalf("%v, %d rounds, filled %d, %v", err, d.Rounds, len(d.Filled), lint.Errors(d.Findings))
			}
			isOther := func(f personas.Diagnostic) bool { return f.Check != "draft-filled" }
			assert.Equal(t, len(slices.DeleteFunc(slices.Clone(d.Findings), isOther)), len(d.Filled), "findings")
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
	d, err := New(model).DraftPersona(t.Context(), aWish, nil)
	assert.NoError(t, err)
	assert.True(t, d.IsSound(), "%v, %d rounds, %v", err, d.Rounds, d.Findings)
	assert.Equal(t, d.Rounds, 11)
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
	d, err := New(model).DraftPersona(ctx, aWish, nil)
	assert.ErrorIs(t, err, context.Canceled)
	assert.True(t, d.IsSound(), "%v after %d requests, %+v, filled %d", err, len(model.seen), d.Persona, len(d.Filled))
	assert.Contains(t, d.Persona.Description, "harbour")
	assert.True(t, len(d.Filled) != 0, "%v after %d requests, %+v, filled %d", err, len(model.seen), d.Persona, len(d.Filled))
	assert.Equal(t, len(model.seen), 4)
	assert.Contains(t, d.Persona.Machines[0].States[0].Criteria.Pass, "harbour", "the third step is lost")
	d, err = New(&scriptedAsker{err: &provider.Error{Kind: provider.Down, Message: "nothing answers"}}).DraftPersona(t.Context(), aWish, nil)
	failed, ok := errors.AsType[*provider.Error](err)
	assert.Must(t, ok, "%v, %+v", err, d.Persona)
	assert.Equal(t, failed.Kind, provider.Down)
	assert.Equal(t, d.Persona.Name, "")
	refused := &scriptedAsker{answers: []provider.Answer{{Finish: provider.Refused}}}
	d, err = New(refused).DraftPersona(t.Context(), aWish, nil)
	assert.True(t, errors.Is(err, ErrDeclined) && d.Persona.Name == "", "%v, %+v", err, d.Persona)
	_, err = New(refused).DraftPersona(t.Context(), Brief{}, nil)
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

func harbourAnswers(t testing.TB) []string {
	t.Helper()
	text := assert.Value(os.ReadFile("testdata/harbour.jsonl"))(t)
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

var aWish = Brief{Description: "A harbour master who hates lies."}

func showRequest(r provider.Request) string {
	var b strings.Builder
	fmt.Fprintf(&b, "step: %s\nschema: %s\nmax tokens: %d\n\n== system ==\n%s", r.Step, r.Schema.Name, r.MaxTokens, r.System)
	for _, m := range r.Messages {
		fmt.Fprintf(&b, "\n== %s ==\n%s", m.Role, m.Text)
	}
	return b.String() + "\n"
}

var errPlain = errors.New("plain")
