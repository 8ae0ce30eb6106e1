package cassette

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/parley-npc/parley/localserver/llm/provider"
)

// maxMissed is how many questions without an answer are remembered.
const maxMissed = 20

// Player answers from a cassette. It is safe for concurrent use.
type Player struct {
	file  *parsedFile
	scrub scrubber

	mu     sync.Mutex
	missed []string
}

// Load reads a cassette. For a file that is missing, damaged, of a later format or not a cassette,
// the error includes the position and a remedy.
func Load(path string) (*Player, error) {
	r, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return &Player{file: r}, nil
}

// Asker answers as a model, named as provider/model. The model matters only if the cassette has
// answers of several models to the same question; "" selects the latest of them. A missing question
// is an *provider.Error of the kind NotThere that shows the most similar one.
func (p *Player) Asker(model string) provider.Asker {
	if all := p.file.answeringModels(); model == "" && len(all) == 1 {
		model = all[0]
	}
	return &playerAsker{player: p, model: model}
}

// Len returns how many answers there are.
func (p *Player) Len() int { return len(p.file.copyEntries()) }

// Note returns a sentence about the file for its user, for example that its last line was cut off,
// or "".
func (p *Player) Note() string { return p.file.torn }

// UnusedAnswers lists the answers that were not used so far, by file and line.
func (p *Player) UnusedAnswers() []string { return p.file.unusedEntries() }

// MissingQuestions returns the errors of the first missing questions, because callers may continue
// without an answer, for example if a summary fails.
func (p *Player) MissingQuestions() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.missed)
}

// noteMissing records a missing question, and returns its error.
func (p *Player) noteMissing(q question, model string) error {
	err := p.file.missingError(q, model)
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.missed) < maxMissed {
		p.missed = append(p.missed, err.Message)
	}
	return err
}

// playerAsker is a model that a Player plays.
type playerAsker struct {
	player *Player
	model  string
}

// Model returns the model that was asked for, or recorded; "recording" where
// there are several.
func (a *playerAsker) Model() string { return wordOr(a.model, "recording") }

// Place returns the model and the file.
func (a *playerAsker) Place() string { return a.player.file.name + " " + a.Model() }

// Ask returns a recorded answer, in its original pieces.
func (a *playerAsker) Ask(ctx context.Context, r provider.Request, emit func(delta string) error) (provider.Answer, error) {
	q := a.player.scrub.newQuestion(r)
	e := a.player.file.takeEntry(q.digestText(), a.model, true)
	switch {
	case e == nil && (r.Decision != nil || r.TopTokens > 0):
		// It was not asked so, or the API had no such call: the model was asked another way.
		return provider.Answer{}, newUnsupported(a.Model())
	case e == nil:
		return provider.Answer{}, a.player.noteMissing(q, a.model)
	}
	return e.playBack(ctx, r, emit)
}

// newUnsupported returns the error for a judgement that a recording does not have in this form.
func newUnsupported(model string) error {
	return &provider.Error{Kind: provider.Unsupported, Provider: "recording", Model: model, Message: model + ": the recording has no such answer"}
}

// playBack returns the recorded answer to a request in the form of a provider's.
func (e *entry) playBack(ctx context.Context, r provider.Request, emit func(delta string) error) (provider.Answer, error) {
	if err := ctx.Err(); err != nil {
		return provider.Answer{}, newContextError(e.model, err)
	}
	if e.answer.finish == tooLong {
		return provider.Answer{}, &provider.Error{
			Kind: provider.TooLong, Provider: "recording", Model: e.model, Message: e.model + ": the request is longer than the model can read",
		}
	}
	if emit == nil {
		return e.toAnswer(r), nil
	}
	for _, piece := range e.answer.toPieces() {
		if err := ctx.Err(); err != nil {
			return provider.Answer{}, newContextError(e.model, err)
		}
		if err := emit(r.FillNames(piece)); err != nil {
			return provider.Answer{}, err
		}
	}
	return e.toAnswer(r), nil
}

// newContextError returns a provider's error for a call that was ended by its context.
func newContextError(model string, cause error) error {
	text := "no answer came in time"
	if errors.Is(cause, context.Canceled) {
		text = "the call was given up"
	}
	return &provider.Error{Kind: provider.Late, Provider: "recording", Model: model, Message: model + ": " + text, Cause: cause}
}
