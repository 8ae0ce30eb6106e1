package cmd

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/playtest"
	"github.com/parley-npc/parley/personas/wire"
)

// venue is the service on which the play-throughs are played.
type venue struct {
	*service
	local *throwAway // nil for somebody else's service
	// players is the service as players call it. On the throw-away server they
	// have no token, which would be checked at every step.
	players playtest.Service
	// saved are the personas that were saved only to be played.
	mu    sync.Mutex
	saved []string
}

// openVenue starts a throw-away server; with --server it is that service. The
// settings do not count: a test gives the same answer everywhere.
func (o *testOptions) openVenue(ctx context.Context) (*venue, error) {
	if o.server != "" {
		s, err := o.connect()
		if err != nil {
			return nil, err
		}
		return &venue{service: s, players: s}, nil
	}
	t, err := o.startThrowAwayWith(ctx, localserver.Options{Repeatable: true, LLM: o.llm.into(o.app)})
	if err != nil {
		return nil, err
	}
	anyone, err := o.players(t)
	if err != nil {
		t.stop()
		return nil, err
	}
	return &venue{service: t.service, local: t, players: anyone}, nil
}

// close takes off the service what the test has put there, the players' traces
// with it. Its error is of a recording that could not be ended.
func (v *venue) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), stopPatience)
	defer cancel()
	if v.local != nil {
		return v.local.server.Shutdown(ctx)
	}
	for _, id := range v.saved {
		_ = v.DeletePersona(ctx, id) // It says nothing new: the service is gone, or the persona is.
	}
	return nil
}

// stage saves a persona, so that it can be played.
func (v *venue) stage(ctx context.Context, doc *personas.Persona) (*playtest.Subject, error) {
	saved, _, err := v.SavePersona(ctx, "", doc, "")
	if err != nil {
		return nil, err
	}
	v.mu.Lock()
	v.saved = append(v.saved, saved.ID)
	v.mu.Unlock()
	if v.local != nil {
		if _, err := v.PublishPersona(ctx, saved.ID); err != nil {
			return nil, err
		}
	}
	full, err := v.FullPersona(ctx, saved.ID)
	if err != nil {
		return nil, err
	}
	return playtest.NewSubject(saved.ID, doc, full.Machines)
}

// rehearse plays all play-throughs, several at a time.
func (o *testOptions) rehearse(ctx context.Context, v *venue, b *bill) error {
	for _, c := range b.casts {
		subject, err := v.stage(ctx, &c.doc)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		c.subject = subject
	}
	var jobs []func()
	bar := o.bar(b.plays(), "playing")
	defer bar.done()
	for _, p := range b.programmes {
		p.results = make([]playtest.Result, len(p.file.Plays))
		for i := range p.file.Plays {
			jobs = append(jobs, func() {
				p.results[i] = p.cast.subject.Run(ctx, v.players, o.newID(), &p.file.Plays[i])
				bar.step(p.name)
			})
		}
	}
	atATime(o.jobs, jobs)
	for _, p := range b.programmes {
		for i := range p.results {
			p.cast.hits.Add(p.results[i].Hits)
		}
	}
	return ctx.Err()
}

// atATime does jobs, n at a time.
func atATime(n int, jobs []func()) {
	next := make(chan func())
	var group sync.WaitGroup
	for range min(n, len(jobs)) {
		group.Go(func() {
			for job := range next {
				job()
			}
		})
	}
	for _, job := range jobs {
		next <- job
	}
	close(next)
	group.Wait()
}

// mutantResult is what became of one small mistake.
type mutantResult struct {
	cast    *cast
	mutant  playtest.Mutant
	noticed bool
	refused bool // the service does not take it
	err     error
}

// tryMutants plays the play-throughs of every persona against its mutants,
// each until one notices.
func (o *testOptions) tryMutants(ctx context.Context, v *venue, b *bill) error {
	for _, c := range b.casts {
		mutants, err := playtest.Mutants(&c.doc, o.mutants)
		if err != nil {
			return err
		}
		for _, m := range mutants {
			b.mutants = append(b.mutants, mutantResult{cast: c, mutant: m})
		}
	}
	jobs := make([]func(), len(b.mutants))
	bar := o.bar(len(jobs), "making mistakes")
	defer bar.done()
	for i := range b.mutants {
		jobs[i] = func() {
			o.try(ctx, v, b, &b.mutants[i])
			bar.step(b.mutants[i].cast.name)
		}
	}
	atATime(o.jobs, jobs)
	for i := range b.mutants {
		if err := b.mutants[i].err; err != nil {
			return fmt.Errorf("%s: %s: %w", b.mutants[i].cast.name, b.mutants[i].mutant.What, err)
		}
	}
	return ctx.Err()
}

func (o *testOptions) try(ctx context.Context, v *venue, b *bill, m *mutantResult) {
	subject, err := v.stage(ctx, &m.mutant.Doc)
	if refusal, ok := errors.AsType[*wire.Error](err); ok && refusal.Status == 422 {
		m.refused = true
		return
	}
	if m.err = err; err != nil {
		return
	}
	for _, p := range b.programmes {
		for i := range p.file.Plays {
			if p.cast != m.cast {
				break
			}
			r := subject.Run(ctx, v.players, o.newID(), &p.file.Plays[i])
			if m.err = r.Err; m.err != nil {
				return
			}
			if len(r.Failures()) > 0 {
				m.noticed = true
				return
			}
		}
	}
}
