package models

import (
	"errors"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/draft"
)

// IsBadWish reports whether an error of a Drafter means that the brief is invalid. Then no model
// was asked.
func IsBadWish(err error) bool {
	_, ok := errors.AsType[*draft.InvalidBrief](err)
	return ok
}

// IsUnusable reports whether an error of a Drafter means that the model has sent an unusable
// answer.
func IsUnusable(err error) bool {
	_, unfit := errors.AsType[*draft.UnusableRewrite](err)
	return unfit || errors.Is(err, draft.ErrDeclined)
}

// A Drafter writes personas, and texts of personas, with a model. It does not need a server.
type Drafter struct {
	*draft.Drafter
	models *Set
}

// NewDrafter opens the recording, if there is one, but no connections. It returns a *SettingsError if the
// settings are invalid.
func NewDrafter(s Settings, version string) (*Drafter, error) {
	set, err := s.OpenModels(api.NewTelemetry(version), version)
	if err != nil {
		return nil, err
	}
	if set.Writer == nil {
		return nil, errors.Join(&SettingsError{errors.New("no model that can write is configured")}, set.Close())
	}
	return &Drafter{draft.New(set.Writer), set}, nil
}

// Recording returns the state of the recording that the drafter writes or plays back.
func (d *Drafter) Recording() Recording { return d.models.Recording() }

// Close closes the connections, and the recording if there is one.
func (d *Drafter) Close() error { return d.models.Close() }
