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
	reel  *reel
	scrub scrubber

	mu     sync.Mutex
	missed []string
}

// Load reads a cassette. The errors of a file that is not there, that is none, that
// is damaged or of a later format say where and what to do.
func Load(path string) (*Player, error) {
	r, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return &Player{reel: r}, nil
}

// Asker answers as a model, named as provider/model. The model decides only where
// the cassette has answers of several to the same question; "" is the latest of
// them. A question that is not there is an *provider.Error of the kind NotThere
// that shows the nearest one.
func (p *Player) Asker(model string) provider.Asker {
	if all := p.reel.models(); model == "" && len(all) == 1 {
		model = all[0]
	}
	return &playing{player: p, model: model}
}

// Len is how many answers there are.
func (p *Player) Len() int { return len(p.reel.snapshot()) }

// Note is a sentence about the file that its user should read, such as that its
// last line was cut off; "" is none.
func (p *Player) Note() string { return p.reel.torn }

// Unused describes the answers that nobody has asked for up to now, by file and
// line.
func (p *Player) Unused() []string { return p.reel.unused() }

// Missed are the errors of the first questions that were not there: who asks may
// go on without an answer, as where a summary fails.
func (p *Player) Missed() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.missed)
}

// miss notes a question that is not there, and makes its error.
func (p *Player) miss(q question, model string) error {
	err := p.reel.missing(q, model)
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.missed) < maxMissed {
		p.missed = append(p.missed, err.Message)
	}
	return err
}

// playing is a model that a Player plays.
type playing struct {
	player *Player
	model  string
}

// Model is the model that was asked for, or recorded; "recording" where there are
// several.
func (a *playing) Model() string { return orWord(a.model, "recording") }

// Ask answers as it was recorded, piece by piece if it came so.
func (a *playing) Ask(ctx context.Context, r provider.Request, emit func(delta string) error) (provider.Answer, error) {
	q := a.player.scrub.ask(r)
	e := a.player.reel.take(q.digest(), a.model, true)
	if e == nil {
		return provider.Answer{}, a.player.miss(q, a.model)
	}
	return e.play(ctx, emit)
}

// play gives the answer as a provider would.
func (e *entry) play(ctx context.Context, emit func(delta string) error) (provider.Answer, error) {
	if err := ctx.Err(); err != nil {
		return provider.Answer{}, ended(e.model, err)
	}
	if e.answer.finish == tooLong {
		return provider.Answer{}, &provider.Error{
			Kind: provider.TooLong, Provider: "recording", Model: e.model, Message: e.model + ": the request is longer than the model can read",
		}
	}
	if emit == nil {
		return e.whole(), nil
	}
	for _, piece := range e.answer.stream() {
		if err := ctx.Err(); err != nil {
			return provider.Answer{}, ended(e.model, err)
		}
		if err := emit(piece); err != nil {
			return provider.Answer{}, err
		}
	}
	return e.whole(), nil
}

// ended is the error of a call that its context ended, as a provider has it.
func ended(model string, cause error) error {
	text := "no answer came in time"
	if errors.Is(cause, context.Canceled) {
		text = "the call was given up"
	}
	return &provider.Error{Kind: provider.Late, Provider: "recording", Model: model, Message: model + ": " + text, Cause: cause}
}
