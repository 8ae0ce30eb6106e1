package localserver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/parley-npc/parley/localserver/draft"
	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas"
)

// What a Drafter takes and gives, under names that other packages may use.
type (
	// Wish is what a persona should be.
	Wish = draft.Wish
	// Draft is a persona that a model wrote.
	Draft = draft.Draft
	// DraftProgress is a round of a draft that begins.
	DraftProgress = draft.Progress
	// Revision is a text that is to be rewritten.
	Revision = draft.Revision
	// Rewrite is a text that a model wrote anew.
	Rewrite = draft.Rewrite
	// ProseField is a text of a persona that can be rewritten.
	ProseField = draft.Field
	// TokenUsage is what a piece of work cost.
	TokenUsage = llm.Usage
)

// ProseFields lists the texts of a persona that a Drafter can rewrite.
func ProseFields(p *personas.Persona) []ProseField { return draft.Fields(p) }

// IsBadWish tells the errors of a Drafter that are about what was asked for, for
// which no model was asked.
func IsBadWish(err error) bool {
	_, ok := errors.AsType[*draft.BadWish](err)
	return ok
}

// IsUnusable tells the errors of a Drafter that mean that the model answered,
// and that its answer is of no use.
func IsUnusable(err error) bool {
	_, unfit := errors.AsType[*draft.Unfit](err)
	return unfit || errors.Is(err, draft.ErrDeclined) || errors.Is(err, draft.ErrForm)
}

// Drafter writes personas and texts of personas with a model, without a server.
type Drafter struct {
	drafter *draft.Drafter
	cast    cast
}

// NewDrafter gives a drafter that asks l.Model, or plays l.Replay. It opens the
// recording, if there is one, and no connection yet. Its error is a *LLMError, or
// that the recording cannot be used.
func NewDrafter(l LLM, version string) (*Drafter, error) {
	c, err := l.cast(newTelemetry(version, time.Now), version)
	if err != nil {
		return nil, err
	}
	if c.writer == nil {
		return nil, errors.Join(&LLMError{errors.New("no model is named that could write")}, c.close())
	}
	return &Drafter{drafter: draft.New(c.writer), cast: c}, nil
}

// Recording is how the recording that is made or played stands.
func (d *Drafter) Recording() Recording { return d.cast.recording() }

// Model is who writes, as provider/model.
func (d *Drafter) Model() string { return d.drafter.Model() }

// Generate drafts a persona; see draft.Drafter.Generate.
func (d *Drafter) Generate(ctx context.Context, w Wish, watch func(DraftProgress)) (Draft, error) {
	return d.drafter.Generate(ctx, w, watch)
}

// Polish rewrites a text; see draft.Drafter.Polish.
func (d *Drafter) Polish(ctx context.Context, v Revision) (Rewrite, error) {
	return d.drafter.Polish(ctx, v)
}

// Close ends a recording; without one it does nothing.
func (d *Drafter) Close() error {
	if err := d.cast.close(); err != nil {
		return fmt.Errorf("end the recording: %w", err)
	}
	return nil
}
