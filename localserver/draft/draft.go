// Package draft writes personas with a model. It drafts a persona from a description, or rewrites a
// single text. The size of a response is checked before parsing, and a draft must pass the checks
// for persona files. An author's words are never part of the instructions.
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

// MaxDescription is the maximum length of Brief.Description in characters.
const MaxDescription = 2000

const (
	step      = "generation"
	maxAnswer = 128 << 10 // bytes
	maxTokens = 8000
)

// ErrDeclined means that the model refuses to write the text.
var ErrDeclined = errors.New("the model declines to write this; describe it in other words")

// Drafter writes personas with a model. It is safe for concurrent use.
type Drafter struct{ model provider.Asker }

// New returns a drafter that asks a model.
func New(model provider.Asker) *Drafter { return &Drafter{model: model} }

// Model returns the name of the model as provider/model.
func (d *Drafter) Model() string { return d.model.Model() }

// Brief describes the persona to draft.
type Brief struct {
	// Description describes the character in 1 to MaxDescription characters.
	Description string
	// Name is the persona's name. If Name is empty, the model chooses a name.
	Name string
}

// Draft is a persona written by a model.
type Draft struct {
	Persona personas.Persona
	// Findings lists the linter's findings, and one finding per path in Filled.
	Findings []personas.Diagnostic
	// Rounds is the number of requests to the model.
	Rounds int
	// Filled lists the paths of texts from a template. The model's texts for these paths were
	// unusable.
	Filled []string
	// Usage is the cost of all requests.
	Usage llm.Usage
}

// IsSound reports whether a server accepts the persona.
func (d *Draft) IsSound() bool { return len(lint.Errors(d.Findings)) == 0 }

// InvalidBrief means that a brief is invalid and that no request was sent. Part is the invalid
// part. Reason continues a sentence that begins with Part.
type InvalidBrief struct{ Part, Reason string }

func (e *InvalidBrief) Error() string { return "the " + e.Part + " " + e.Reason }

func (b Brief) check() error {
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

func tooLong(part string, length, limit int) error {
	return &InvalidBrief{part, fmt.Sprintf("has %d characters, but at most %d are allowed: shorten it", length, limit)}
}

func (d *Drafter) askOnce(ctx context.Context, r provider.Request, maxBytes int) (provider.Answer, error) {
	answer, err := d.model.Ask(ctx, r, nil)
	switch {
	case err != nil:
		return answer, err
	case answer.Finish == provider.Refused:
		return answer, ErrDeclined
	case len(answer.Text) > maxBytes:
		answer.Finish, answer.Text = provider.Length, ""
	}
	return answer, nil
}

// isHidden reports whether a text contains invisible control characters. Joiners are allowed,
// because some scripts and emoji need them.
func isHidden(text string) bool {
	for _, r := range text {
		isDirection := r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069
		switch {
		case r == '\n', r == '\t':
		case unicode.IsControl(r), isDirection, r == 0x200B, r == 0xFEFF, r == 0x2028, r == 0x2029:
			return true
		}
	}
	return false
}
