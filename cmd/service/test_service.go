package service

import (
	"context"
	"sync"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/playtest"
)

// A TestService is a service on which play-throughs are played.
type TestService struct {
	*Service
	Local *OwnServer // nil for another service
	// Players calls the service as players do. On a temporary server it sends no token, which the
	// server would verify at every step.
	Players playtest.Service
	mu      sync.Mutex
	saved   []string // ids of the personas that were saved only for the play-throughs
}

// Close stops a temporary server, or deletes the personas that were saved on another service. It
// returns the error of an incomplete recording.
func (t *TestService) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	if t.Local != nil {
		return t.Local.Server.Shutdown(ctx)
	}
	for _, id := range t.saved {
		_ = t.DeletePersona(ctx, id) // ignored: the service or the persona no longer exists
	}
	return nil
}

// PreparePersona saves a persona so that it can be played.
func (t *TestService) PreparePersona(ctx context.Context, doc *personas.Persona) (*playtest.Subject, error) {
	saved, _, err := t.SavePersona(ctx, "", doc, "")
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	t.saved = append(t.saved, saved.ID)
	t.mu.Unlock()
	if t.Local != nil {
		if _, err := t.PublishPersona(ctx, saved.ID); err != nil {
			return nil, err
		}
	}
	full, err := t.FullPersona(ctx, saved.ID)
	if err != nil {
		return nil, err
	}
	return playtest.NewSubject(saved.ID, doc, full.Machines)
}
