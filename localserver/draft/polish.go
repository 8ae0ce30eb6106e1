package draft

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
)

//go:embed polish.txt
var polishInstructions string

//go:embed polish.schema.json
var polishSchema []byte

const (
	maxDirection = 500 // characters
	maxShown     = 4000
)

// Revision identifies a text to rewrite.
type Revision struct {
	Persona *personas.Persona
	// Path is Field.Path.
	Path string
	// Direction describes the change in the author's words. "" means a general improvement.
	Direction string
}

// Rewrite is a rewritten text.
type Rewrite struct {
	Text string
	// Rounds is the number of requests to the model, 1 or 2.
	Rounds int
	Usage  llm.Usage
}

// UnusableRewrite means that the model returned an unusable text twice.
type UnusableRewrite struct{ Reason string }

func (e *UnusableRewrite) Error() string {
	return "the model's text cannot be used: " + e.Reason + "; try again, or use another model"
}

// RewriteText rewrites one text with the same placeholders. The error is *InvalidBrief,
// ErrDeclined, *UnusableRewrite or *provider.Error. Rounds and Usage are valid even after an error.
func (d *Drafter) RewriteText(ctx context.Context, v Revision) (Rewrite, error) {
	field, err := v.findField()
	if err != nil {
		return Rewrite{}, err
	}
	text, rounds, usage, err := askWithRetry(ctx, d, v.buildRequest(field), maxAnswer+8*field.Most, field.acceptRewrite)
	if err != nil {
		err = fmt.Errorf("rewrite %s: %w", v.Path, err)
	}
	return Rewrite{Text: text, Rounds: rounds, Usage: usage}, err
}

func askWithRetry[T any](
	ctx context.Context, d *Drafter, request provider.Request, maxBytes int,
	read func(provider.Answer) (value T, unfit string),
) (result T, rounds int, usage llm.Usage, err error) {
	for rounds = 1; ; rounds++ {
		answer, err := d.askOnce(ctx, request, maxBytes)
		usage = usage.Plus(answer.Usage)
		if err != nil {
			return result, rounds, usage, err
		}
		value, unfit := read(answer)
		switch {
		case unfit == "":
			return value, rounds, usage, nil
		case rounds == 2:
			return result, rounds, usage, &UnusableRewrite{unfit}
		}
		request = retryRequest(request, answer, unfit)
	}
}

func (v Revision) findField() (Field, error) {
	if n := len([]rune(v.Direction)); n > maxDirection {
		return Field{}, tooLong("wish", n, maxDirection)
	}
	fields := ListFields(v.Persona)
	i := slices.IndexFunc(fields, func(f Field) bool { return f.Path == v.Path })
	if i < 0 {
		reason := fmt.Sprintf("%q is not the path of a text of this persona that can be rewritten", v.Path)
		return Field{}, &InvalidBrief{"field", reason}
	}
	return fields[i], nil
}

func writeSection(b *strings.Builder, head, text string) {
	if text = strings.TrimSpace(text); text != "" {
		fmt.Fprintf(b, "%s:\n%s\n\n", head, plaintext.ClipAfter(text, maxShown, plaintext.Ellipsis))
	}
}

func (v Revision) buildRequest(field Field) provider.Request {
	var b strings.Builder
	writeSection(&b, "The character", v.Persona.Name+". "+v.Persona.Description)
	if field.Path != "persona_identity_prompt" {
		writeSection(&b, "Who it is", v.Persona.IdentityPrompt)
	}
	writeSection(&b, "Where the text stands", field.Place)
	writeSection(&b, "What the text is for", field.About)
	writeSection(&b, "What is wished", v.Direction)
	b.WriteString("The text:\n" + field.Text)
	return provider.Request{
		Step: step, System: polishInstructions,
		Messages: []llm.Message{{Role: "user", Text: b.String()}},
		Schema:   &provider.Schema{Name: "rewrite", JSON: json.RawMessage(polishSchema)},
		// A token has two bytes or more, and a rewrite may be longer than the text.
		MaxTokens: min(maxTokens, 500+len(field.Text)),
	}
}

func retryRequest(r provider.Request, answer provider.Answer, unfit string) provider.Request {
	r.Messages = slices.Clone(r.Messages)
	text := "That cannot be used: " + unfit + ". Answer with the text again."
	if answer.Text == "" {
		r.Messages[0].Text += "\n\nThe last answer could not be used: " + unfit + "."
		return r
	}
	r.Messages = append(r.Messages,
		llm.Message{Role: "assistant", Text: answer.Text}, llm.Message{Role: "user", Text: text})
	return r
}

func (f Field) acceptRewrite(answer provider.Answer) (text, unfit string) {
	if answer.Finish == provider.Length {
		return "", "it is too long"
	}
	var rewrite struct{ Text *string }
	if err := json.Unmarshal([]byte(answer.Text), &rewrite); err != nil || rewrite.Text == nil {
		return "", "it is no JSON object with the member text"
	}
	text = f.fitShape(*rewrite.Text)
	switch n := len([]rune(text)); {
	case text == "":
		return "", "it is empty"
	case n > f.Most:
		return "", fmt.Sprintf("it has %d characters, at most %d are allowed", n, f.Most)
	case isHidden(text):
		return "", "it has control characters in it, or marks that turn the direction of writing"
	}
	if !samePlaceholders(f.Text, text) {
		list := "none"
		if names := slices.Sorted(maps.Keys(placeholdersOf(f.Text))); len(names) > 0 {
			list = "{{" + strings.Join(names, "}} and {{") + "}}"
		}
		return "", "it must contain exactly the placeholders of the old text, which are " + list
	}
	return text, ""
}

func (f Field) fitShape(text string) string {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	if !strings.Contains(strings.TrimSpace(f.Text), "\n") {
		text = strings.Join(strings.Fields(text), " ")
	}
	if text != "" && strings.HasSuffix(f.Text, "\n") {
		text += "\n"
	}
	return text
}

func samePlaceholders(before, after string) bool {
	return maps.Equal(placeholdersOf(before), placeholdersOf(after))
}

func placeholdersOf(text string) map[string]bool {
	names := map[string]bool{}
	for _, p := range personas.Placeholders(text) {
		names[p.Name] = true
	}
	return names
}
