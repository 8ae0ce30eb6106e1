package cmd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"syscall"
	"time"

	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/examples"
)

// throwAway is a local server that lives as long as one command and keeps
// nothing.
type throwAway struct {
	*service
	server *localserver.Server
}

// sampleSeeds are the sample personas, the starter first.
func sampleSeeds() ([]seed, error) {
	var seeds []seed
	for _, name := range examples.Names() {
		source, err := examples.Read(name)
		if err != nil {
			return nil, fmt.Errorf("sample persona %s: %w", name, err)
		}
		doc, _, faults := personas.Parse(name, source)
		if len(faults) > 0 {
			return nil, fmt.Errorf("sample persona %s: %w", name, faults[0])
		}
		seeds = append(seeds, seed{name: name, doc: doc})
	}
	return seeds, nil
}

// startThrowAwayWith starts a throw-away server that is special in some way.
func (a *app) startThrowAwayWith(ctx context.Context, o localserver.Options) (*throwAway, error) {
	// Nobody else is there whom a rate limit could protect.
	o.Listen, o.Data, o.Version, o.Log = "127.0.0.1:0", localserver.Memory, versionText(), slog.New(slog.DiscardHandler)
	server, err := localserver.Start(ctx, o)
	if err != nil {
		return nil, starting("start a throw-away server", err)
	}
	a.logless = true
	t := &throwAway{server: server}
	c, err := a.newClient(server.URL(), func(context.Context) (string, error) { return server.Token(), nil }, 0)
	if err != nil {
		t.stop()
		return nil, err
	}
	t.service = &service{Client: c, address: server.URL(), sessions: newForgetful(), fleeting: true}
	return t, nil
}

const stopPatience = 5 * time.Second

func (t *throwAway) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), stopPatience)
	defer cancel()
	_ = t.server.Shutdown(ctx) // Nothing is kept, so nothing can be lost.
}

// populate saves and publishes the seeds, the last one first, so that the list,
// newest first, shows them in their order. It gives the first one's id.
func (t *throwAway) populate(ctx context.Context, seeds []seed) (first string, err error) {
	for i := len(seeds) - 1; i >= 0; i-- {
		if first, err = t.plant(ctx, seeds[i]); err != nil {
			return "", err
		}
	}
	return first, nil
}

func (t *throwAway) plant(ctx context.Context, s seed) (string, error) {
	saved, _, err := t.SavePersona(ctx, "", s.doc, "")
	if err != nil {
		return "", fmt.Errorf("save %s: %w", s.name, err)
	}
	if _, err := t.PublishPersona(ctx, saved.ID); err != nil {
		return "", fmt.Errorf("publish %s: %w", s.name, err)
	}
	return saved.ID, nil
}

// starting says why a server did not start.
func starting(what string, err error) error {
	if _, ok := errors.AsType[*localserver.LLMError](err); ok {
		return badLLM(err)
	}
	return trouble(fmt.Errorf("%s: %w", what, err), startHint(err))
}

// startHint is the next step when a server cannot start.
func startHint(err error) string {
	if errors.Is(err, syscall.EADDRINUSE) {
		return "another program listens there: take a free port with --listen 127.0.0.1:0"
	}
	return ""
}
