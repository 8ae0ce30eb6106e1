// Package draft writes personas with a model. It drafts a whole persona from a description, or a
// new version of a single text. The size of an answer is checked before it is parsed, and the
// result must pass the same checks and proofs as a persona file. The package stores nothing, reads
// no files, and never inserts an author's words into instructions.
package draft

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/lint"
)

// MaxDescription is the maximum length of the description in a Brief, in characters.
const MaxDescription = 2000

const (
	// step is the name of drafting in traces and recordings.
	step = "generation"
	// maxAnswer is the maximum length of an answer in bytes.
	maxAnswer = 128 << 10
	// maxTokens is the token limit of a rewrite.
	maxTokens = 8000
)

// ErrDeclined means that the model refuses to write the requested text.
var ErrDeclined = errors.New("the model declines to write this; describe it in other words")

// Drafter writes personas with a model. It is safe for concurrent use.
type Drafter struct{ model provider.Asker }

// New returns a drafter that asks a model.
func New(model provider.Asker) *Drafter { return &Drafter{model: model} }

// Model returns the name of the model, as provider/model.
func (d *Drafter) Model() string { return d.model.Model() }

// Brief describes the persona to draft.
type Brief struct {
	// Description describes the character in the author's words, in 1 to MaxDescription characters.
	Description string
	// Name is the persona's name. If it is "", the model chooses the name.
	Name string
}

// Draft is a persona that a model wrote.
type Draft struct {
	Persona personas.Persona
	// Findings are the findings of the linter and of the texts in Filled.
	Findings []personas.Diagnostic
	// Rounds is the number of requests.
	Rounds int
	// Filled lists the paths of texts that come from a template, because the model's texts were
	// unusable.
	Filled []string
	// Usage is the cost of all requests.
	Usage llm.Usage
}

// IsSound reports whether a server would accept the persona.
func (d *Draft) IsSound() bool { return len(lint.Errors(d.Findings)) == 0 }

// InvalidBrief means that a brief is unusable and that no model was asked. Part is the invalid part
// of the brief. Reason continues a sentence that begins with Part.
type InvalidBrief struct{ Part, Reason string }

func (e *InvalidBrief) Error() string { return "the " + e.Part + " " + e.Reason }

func (b Brief) checkBrief() error {
	switch n := len([]rune(b.Description)); {
	case strings.TrimSpace(b.Description) == "":
		return &InvalidBrief{"description", "is empty: describe the character in a sentence"}
	case n > MaxDescription:
		return tooLong("description", n, MaxDescription)
	}
	switch n := len([]rune(b.Name)); {
	case n > personas.MaxName:
		return tooLong("name", n, personas.MaxName)
	case isHidden(b.Name) || strings.ContainsAny(b.Name, "\n\t"):
		return &InvalidBrief{"name", "contains line breaks or control characters"}
	}
	return nil
}

func tooLong(part string, has, most int) error {
	return &InvalidBrief{part, fmt.Sprintf("has %d characters, but at most %d are allowed: shorten it", has, most)}
}

// askOnce sends one request. It drops the text of an answer longer than most, and marks the answer
// as truncated.
func (d *Drafter) askOnce(ctx context.Context, r provider.Request, most int) (provider.Answer, error) {
	answer, err := d.model.Ask(ctx, r, nil)
	switch {
	case err != nil:
		return answer, err
	case answer.Finish == provider.Refused:
		return answer, ErrDeclined
	case len(answer.Text) > most:
		answer.Finish, answer.Text = provider.Length, ""
	}
	return answer, nil
}

// isHidden reports whether a text contains characters that no author types. It allows joiners,
// because some scripts and emoji need them.
func isHidden(text string) bool {
	for _, r := range text {
		switch {
		case r == '\n', r == '\t':
		case unicode.IsControl(r), r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, r == 0x200B, r == 0xFEFF, r == 0x2028, r == 0x2029:
			return true
		}
	}
	return false
}
