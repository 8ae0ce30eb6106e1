package cassette

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/parley-npc/parley/localserver/llm/provider"
)

const maxMissed = 20

// Player replays answers from a cassette. It is safe for concurrent use.
type Player struct {
	file  *cassetteFile
	scrub scrubber

	mu     sync.Mutex
	missed []string
}

// Load reads a cassette. For an unusable file, the error contains the position and a remedy.
func Load(path string) (*Player, error) {
	file, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return &Player{file: file}, nil
}

// Asker returns an asker that replays the answers of a model in the form provider/model. An empty
// model means the latest answer of any model. For a missing question, Ask returns a *provider.Error
// of kind NotRecorded.
func (p *Player) Asker(model string) provider.Asker {
	if all := p.file.answeringModels(); model == "" && len(all) == 1 {
		model = all[0]
	}
	return &playerAsker{player: p, model: model}
}

// Len returns the number of answers.
func (p *Player) Len() int { return len(p.file.copyEntries()) }

// Note returns a message for the user about an incomplete last line, or "".
func (p *Player) Note() string { return p.file.torn }

// UnusedAnswers describes the unused answers with file and line.
func (p *Player) UnusedAnswers() []string { return p.file.unusedEntries() }

// MissingQuestions returns the error texts of the first missing questions. The callers of Ask may
// have ignored these errors.
func (p *Player) MissingQuestions() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.missed)
}

func (p *Player) noteMissing(q question, model string) error {
	err := p.file.missingError(q, model)
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.missed) < maxMissed {
		p.missed = append(p.missed, err.Message)
	}
	return err
}

type playerAsker struct {
	player *Player
	model  string
}

func (a *playerAsker) Model() string { return cmp.Or(a.model, "recording") }

func (a *playerAsker) Place() string { return a.player.file.name + " " + a.Model() }

func (a *playerAsker) Ask(
	ctx context.Context, r provider.Request, emit func(delta string) error,
) (provider.Answer, error) {
	q := a.player.scrub.newQuestion(r)
	e := a.player.file.useEntry(q.digestText(), a.model, true)
	switch {
	case e == nil && (r.Decision != nil || r.TopTokens > 0):
		// The recorded model was judged by another method. The caller tries that method next.
		return provider.Answer{}, newUnsupported(a.Model())
	case e == nil:
		return provider.Answer{}, a.player.noteMissing(q, a.model)
	}
	return e.playBack(ctx, r, emit)
}

func newUnsupported(model string) error {
	return &provider.Error{
		Kind: provider.Unsupported, Provider: "recording", Model: model,
		Message: model + ": the recording has no answer by this method",
	}
}

func (e *entry) playBack(
	ctx context.Context, r provider.Request, emit func(delta string) error,
) (provider.Answer, error) {
	if err := ctx.Err(); err != nil {
		return provider.Answer{}, newContextError(e.model, err)
	}
	if e.answer.Finish == tooLong {
		return provider.Answer{}, &provider.Error{
			Kind: provider.TooLong, Provider: "recording", Model: e.model,
			Message: e.model + ": the request is longer than the model can read",
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

func newContextError(model string, cause error) error {
	text := "no answer came in time"
	if errors.Is(cause, context.Canceled) {
		text = "the call was canceled"
	}
	return &provider.Error{
		Kind: provider.Late, Provider: "recording", Model: model, Message: model + ": " + text, Cause: cause,
	}
}
