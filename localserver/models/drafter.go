package models

import (
	"errors"
	"fmt"
	"time"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/draft"
)

// IsBadWish reports whether an error of a Drafter is about what was asked for, for
// which no model was asked.
func IsBadWish(err error) bool {
	_, ok := errors.AsType[*draft.InvalidBrief](err)
	return ok
}

// IsUnusable reports whether an error of a Drafter means that the model answered,
// and that its answer is of no use.
func IsUnusable(err error) bool {
	_, unfit := errors.AsType[*draft.UnusableRewrite](err)
	return unfit || errors.Is(err, draft.ErrDeclined) || errors.Is(err, draft.ErrForm)
}

// Drafter writes personas and texts of personas with a model, without a server.
type Drafter struct {
	*draft.Drafter
	models *Set
}

// NewDrafter returns a drafter that asks s.Model, or plays s.Replay. It opens the
// recording, if there is one, and no connection yet. Its error is a *SettingsError, or
// that the recording cannot be used.
func NewDrafter(s Settings, version string) (*Drafter, error) {
	set, err := s.OpenModels(api.NewTelemetry(version, time.Now), version)
	if err != nil {
		return nil, err
	}
	if set.Writer == nil {
		return nil, errors.Join(&SettingsError{errors.New("no model is named that could write")}, set.Close())
	}
	return &Drafter{draft.New(set.Writer), set}, nil
}

// Recording returns the state of the recording that is made or played.
func (d *Drafter) Recording() Recording { return d.models.Recording() }

// Close ends a recording, if there is one.
func (d *Drafter) Close() error {
	if err := d.models.Close(); err != nil {
		return fmt.Errorf("end the recording: %w", err)
	}
	return nil
}
