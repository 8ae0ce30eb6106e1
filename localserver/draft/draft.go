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

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/lint"
)

// Rounds is the maximum number of requests for a draft. Each request after the first one describes
// the faults of the last draft.
const Rounds = 3

// MaxDescription is the maximum length of the description in a Brief, in characters.
const MaxDescription = 2000

// step is the name of drafting in traces and recordings.
const step = "generation"

// ErrDeclined means that the model refuses to write the requested text.
var ErrDeclined = errors.New("the model declines to write this; describe it in other words")

// ErrForm means that none of the model's answers had the requested form.
var ErrForm = errors.New("the model did not answer with a draft; try again, or use another model")

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
	// Findings are the remaining faults. Findings of level error include impossible states and
	// transitions. With such a finding, the draft is not sound.
	Findings []personas.Diagnostic
	// Rounds is the number of requests.
	Rounds int
	// Filled lists the paths of texts that come from a template, because the model's texts were
	// unusable. DraftPersona leaves Filled empty.
	Filled []string
	// Usage is the cost of all rounds.
	Usage llm.Usage
}

// IsSound reports whether a server would accept the persona, and a proof finds no impossible states
// or transitions.
func (d *Draft) IsSound() bool { return len(lint.Errors(d.Findings)) == 0 }

// Progress reports that a round begins. Round is counted from 1. Findings are the faults that
// the round should correct.
type Progress struct {
	Round    int
	Findings []personas.Diagnostic
}

// DraftPersona asks the model for a persona. If the draft has faults, it asks again with the
// faults, up to Rounds requests in total. It returns the best draft, which may be unsound. If a
// request fails after a sound draft, it returns that draft without an error. It calls watch before
// each round. watch may be nil. An error is *InvalidBrief, ErrDeclined, ErrForm or *provider.Error.
// Then only Rounds and Usage of the Draft are set.
func (d *Drafter) DraftPersona(ctx context.Context, w Brief, watch func(Progress)) (Draft, error) {
	if err := w.checkBrief(); err != nil {
		return Draft{}, err
	}
	if watch == nil {
		watch = func(Progress) {}
	}
	var best, now attempt
	var usage llm.Usage
	request := w.firstRequest()
	for round := 1; ; round++ {
		watch(Progress{round, now.findings})
		answer, err := d.askOnce(ctx, request, maxAnswer)
		usage = usage.Plus(answer.Usage)
		switch {
		case err != nil && best.isForm && len(lint.Errors(best.findings)) == 0 && !errors.Is(ctx.Err(), context.Canceled):
			return best.toDraft(round, usage)
		case err != nil:
			return Draft{Rounds: round, Usage: usage}, fmt.Errorf("draft a persona: %w", err)
		}
		now = readAttempt(answer, w.Name)
		if round == 1 || now.rankAttempt() > best.rankAttempt() {
			best = now
		}
		if len(best.findings) == 0 || round == Rounds {
			return best.toDraft(round, usage)
		}
		request = w.retryRequest(now)
	}
}

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
