// Package draft writes personas with a model: a whole one from a description, or a single text of a
// persona again. An answer is bounded before it is read, and must pass the same checks and proofs
// as a persona file. The package stores nothing and reads no files, and never puts an author's
// words into instructions.
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

// Rounds is the maximum number of requests for a draft: the first one and those with the faults.
const Rounds = 3

// MaxDescription is the longest description of a brief, in characters.
const MaxDescription = 2000

// step is the name of this work in traces and recordings.
const step = "generation"

// ErrDeclined means that the model does not want to write what is asked for.
var ErrDeclined = errors.New("the model declines to write this; describe it in other words")

// ErrForm means that the model never answered in the requested form.
var ErrForm = errors.New("the model did not answer with a draft; try again, or take another model")

// Drafter has a model write. It is safe for concurrent use.
type Drafter struct{ model provider.Asker }

// New returns a drafter that asks a model.
func New(model provider.Asker) *Drafter { return &Drafter{model: model} }

// Model returns the name of the model, as provider/model.
func (d *Drafter) Model() string { return d.model.Model() }

// Brief describes the wanted persona.
type Brief struct {
	// Description is in the author's words, 1 to MaxDescription
	// characters.
	Description string
	// Name is the persona's name; "" leaves it to the model.
	Name string
}

// Draft is a persona that a model wrote.
type Draft struct {
	Persona personas.Persona
	// Findings are the remaining faults; those at level error, including impossible things, make it
	// unsound.
	Findings []personas.Diagnostic
	// Rounds is the number of requests.
	Rounds int
	// Filled are the paths of texts from a template, because the model wrote nothing usable. Only
	// a draft in steps has any.
	Filled []string
	// Usage is the cost of all rounds.
	Usage llm.Usage
}

// IsSound reports whether a server would accept the persona and everything in it is possible.
func (d *Draft) IsSound() bool { return len(lint.Errors(d.Findings)) == 0 }

// Progress is the beginning of a round, from 1, and the faults to correct in it.
type Progress struct {
	Round    int
	Findings []personas.Diagnostic
}

// DraftPersona asks the model for a persona, checks it, and asks again with the faults, at most
// Rounds times. It returns the best draft of all rounds, sound or not, and returns a sound one even
// if a later round, meant to improve it, fails. watch, which may be nil, is called at the beginning
// of each round. An error is *InvalidBrief, ErrDeclined, ErrForm or *provider.Error; then only
// Rounds and Usage are set.
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
		case err != nil && best.isSound() && !errors.Is(ctx.Err(), context.Canceled):
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

// InvalidBrief is the error for a brief that cannot be used: which part of it, and
// why, in a sentence that goes on from the part's name. No model was asked.
type InvalidBrief struct{ Part, Reason string }

func (e *InvalidBrief) Error() string { return "the " + e.Part + " " + e.Reason }

// checkBrief refuses a brief that is empty or too long.
func (b Brief) checkBrief() error {
	switch n := len([]rune(b.Description)); {
	case strings.TrimSpace(b.Description) == "":
		return &InvalidBrief{"description", "is empty: say in a sentence who the character is"}
	case n > MaxDescription:
		return tooLong("description", n, MaxDescription)
	}
	switch n := len([]rune(b.Name)); {
	case n > personas.MaxName:
		return tooLong("name", n, personas.MaxName)
	case isHidden(b.Name) || strings.ContainsAny(b.Name, "\n\t"):
		return &InvalidBrief{"name", "has line breaks or control characters in it"}
	}
	return nil
}

func tooLong(part string, has, most int) error {
	return &InvalidBrief{part, fmt.Sprintf("has %d characters, at most %d are taken: shorten it", has, most)}
}

// askOnce asks one time. An answer that is too long counts as one that was cut
// off.
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
