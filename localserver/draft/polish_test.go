package draft

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/examples"
	"github.com/parley-npc/parley/personas/lint"
)

func starterPersona(t *testing.T) *personas.Persona {
	t.Helper()
	source := assert.Value(examples.Read("starter"))(t)
	doc, _, faults := personas.Parse("starter.yaml", source)
	assert.Empty(t, faults)
	return &doc
}

func rewriteWith(t *testing.T, text string) string {
	t.Helper()
	answer := assert.Value(json.Marshal(map[string]string{"text": text}))(t)
	return string(answer)
}

const opening = "machines[0].states[0].offline.opening[0]"

func TestPolish(t *testing.T) {
	model := answerWith(rewriteWith(t, "  Awake, {{player_name}}.\nGuarding page 212. Speak. "))
	got := assert.Value(New(model).RewriteText(context.Background(), Revision{Persona: starterPersona(t), Path: opening, Direction: "shorter, more menacing"}))(t)
	assert.Equal(t, got.Text, "Awake, {{player_name}}. Guarding page 212. Speak.")
	assert.Equal(t, got.Rounds, 1)
	assert.Equal(t, got.Usage.In, 100)
	assert.Golden(t, "testdata/polish.golden", showRequest(model.seen[0]))
}

// TestPolishKeepsItsEnds: a text keeps its number of lines and its last line break.
func TestPolishKeepsItsEnds(t *testing.T) {
	model := answerWith(rewriteWith(t, "You are Biscuit.\nYou lie on the book of {{player_name}}."))
	persona := starterPersona(t)
	persona.IdentityPrompt = "You are a cat.\nYou lie on the book of {{player_name}}.\n"
	got := assert.Value(New(model).RewriteText(context.Background(), Revision{Persona: persona, Path: "persona_identity_prompt"}))(t)
	assert.Equal(t, got.Text, "You are Biscuit.\nYou lie on the book of {{player_name}}.\n")
}

// TestPolishAgain: an unusable rewrite is requested once more and then refused.
func TestPolishAgain(t *testing.T) {
	good := rewriteWith(t, "Awake, {{player_name}}.")
	for name, tt := range map[string]struct{ bad, told string }{
		"placeholder gone":  {rewriteWith(t, "Awake, stranger."), "exactly the placeholders"},
		"placeholder new":   {rewriteWith(t, "{{player_name}}, {{mood}}."), "exactly the placeholders"},
		"placeholder typed": {rewriteWith(t, "Awake, {player_name}."), "exactly the placeholders"},
		"words":             {"Sure! Here it is: awake.", "no JSON object"},
		"no member":         {`{"txt": "x"}`, "no JSON object"},
		"null":              {`{"text": null}`, "no JSON object"},
		"empty":             {rewriteWith(t, " \n "), "it is empty"},
		"escape":            {rewriteWith(t, "\x1b[31m{{player_name}}"), "control characters"},
		"turned":            {rewriteWith(t, "\u202e{{player_name}}"), "control characters"},
	} {
		t.Run(name, func(t *testing.T) {
			model := answerWith(tt.bad, good)
			got := assert.Value(New(model).RewriteText(context.Background(), Revision{Persona: starterPersona(t), Path: opening}))(t)
			assert.Equal(t, got.Text, "Awake, {{player_name}}.")
			assert.Equal(t, got.Rounds, 2)
			assert.Contains(t, model.seen[1].Messages[len(model.seen[1].Messages)-1].Text, tt.told, "the model is told")
			model = answerWith(tt.bad)
			got, err := New(model).RewriteText(context.Background(), Revision{Persona: starterPersona(t), Path: opening})
			unfit, ok := errors.AsType[*UnusableRewrite](err)
			assert.Must(t, ok, "%s twice: %v, asked %d times", name, err, len(model.seen))
			assert.Equal(t, len(model.seen), 2)
			assert.Equal(t, got.Usage.In, 200)
			assert.Contains(t, unfit.Reason, tt.told)
			assert.True(t, err == nil || !isHidden(err.Error()), "the error is %q", err)
		})
	}
}

func TestPolishLimits(t *testing.T) {
	p := starterPersona(t)
	for n, fine := range map[int]bool{personas.MaxDescription: true, personas.MaxDescription + 1: false} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			_, err := New(answerWith(rewriteWith(t, strings.Repeat("ä", n)))).RewriteText(context.Background(), Revision{Persona: p, Path: "description"})
			assert.Equal(t, err == nil, fine, "%d characters: %v", n, err)
		})
	}
	for n, fine := range map[int]bool{maxDirection: true, maxDirection + 1: false} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			model := answerWith(rewriteWith(t, "A cat."))
			_, err := New(model).RewriteText(context.Background(), Revision{Persona: p, Path: "description", Direction: strings.Repeat("ä", n)})
			if (err == nil) != fine || !fine && len(model.seen) > 0 {
				t.Errorf("a wish of %d characters: %v", n, err)
			}
		})
	}
}

func TestPolishErrors(t *testing.T) {
	ctx := context.Background()
	model := answerWith(rewriteWith(t, "x"))
	for _, path := range []string{"", "name", "machines[0].machine_key", "machines[9].description", "machines[0].states[0].offline.examples.pass[0]"} {
		t.Run(fmt.Sprintf("%q", path), func(t *testing.T) {
			_, err := New(model).RewriteText(ctx, Revision{Persona: starterPersona(t), Path: path})
			assert.True(t, err != nil && len(model.seen) == 0, "%q is rewritten (%v)", path, err)
		})
	}
	refused := &scriptedAsker{answers: []provider.Answer{{Finish: provider.Refused}}}
	_, err := New(refused).RewriteText(ctx, Revision{Persona: starterPersona(t), Path: opening})
	assert.ErrorIs(t, err, ErrDeclined, "refused")
	_, err = New(&scriptedAsker{err: errPlain}).RewriteText(ctx, Revision{Persona: starterPersona(t), Path: opening})
	assert.ErrorIs(t, err, errPlain, "failed")
}

var listNumbers = regexp.MustCompile(`\[\d+\]`)

// TestFields: every field of every sample is at its path, once, within its length. The first
// few of each kind can be replaced there, and nothing else changes.
func TestFields(t *testing.T) {
	const tried = 3
	for _, name := range examples.Names() {
		source := assert.Value(examples.Read(name))(t)
		doc, _, _ := personas.Parse(name, source)
		want, kinds := map[string]string{}, map[string]int{}
		for _, f := range ListFields(&doc) {
			assert.Equal(t, want[f.Path], "", name)
			assert.True(t, f.Text != "" && f.About != "", "%s: %+v", name, f)
			assert.True(t, len([]rune(f.Text)) <= f.Most, "%s: %+v", name, f)
			want[f.Path] = f.Text
			kind := listNumbers.ReplaceAllString(f.Path, "")
			if kinds[kind]++; kinds[kind] > tried {
				continue
			}
			changed, err := personas.SetScalar(source, f.Path, f.Text+" More.")
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			source, want[f.Path] = changed, f.Text+" More."
		}
		again, _, faults := personas.Parse(name, source)
		assert.Empty(t, lint.Errors(lint.All(&again, faults)), "%s: %v", name, faults)
		for _, f := range ListFields(&again) {
			assert.Equal(t, f.Text, want[f.Path], "%s: %s is now", name, f.Path)
		}
		assert.True(t, len(want) >= 10, "%s has only %d fields", name, len(want))
	}
}

// FuzzAccept: reading any rewrite works, and an accepted one keeps the placeholders.
func FuzzAccept(f *testing.F) {
	f.Add("Hello {{player_name}}", `{"text": "Hi {{player_name}}"}`)
	f.Add("a\nb\n", `{"text": "{{"}`)
	f.Fuzz(func(t *testing.T, before, answer string) {
		field := Field{Text: before, Most: 100}
		text, unfit := field.acceptRewrite(provider.Answer{Text: answer})
		if unfit != "" {
			return
		}
		assert.True(t, samePlaceholders(before, text), "%q is accepted for %q", text, before)
		assert.True(t, !isHidden(text), "%q is accepted for %q", text, before)
		assert.True(t, len([]rune(text)) <= field.Most, "%q is accepted for %q", text, before)
	})
}
