package check

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/personas/playtest"
	"github.com/parley-npc/parley/personas/wire"
)

// openService starts a throw-away server, or with --server connects to that service.
// Settings that name a server do not count: a test run gives the same result everywhere.
func (o *testOptions) openService(ctx context.Context) (*service.TestService, error) {
	if o.Server != "" {
		s, err := o.Connect()
		if err != nil {
			return nil, err
		}
		return &service.TestService{Service: s, Players: s}, nil
	}
	t, err := o.StartThrowAway(ctx, localserver.Options{LLM: o.llm.Options(o.Access)})
	if err != nil {
		return nil, err
	}
	anyone, err := o.newPlayerClient(t)
	if err != nil {
		t.Stop()
		return nil, err
	}
	return &service.TestService{Service: t.Service, Local: t, Players: anyone}, nil
}

// playAll plays all play-throughs, several at a time.
func (o *testOptions) playAll(ctx context.Context, target *service.TestService, run *testRun) error {
	for _, tested := range run.personas {
		if tested.played {
			tested.saved, tested.saveErr = target.PreparePersona(ctx, &tested.Doc)
		}
	}
	var jobs []func()
	bar := o.ShowProgress(run.countPlays(), "playing")
	defer bar.Finish()
	for _, p := range run.playFiles {
		p.results, p.took = make([]playtest.Result, len(p.doc.Plays)), make([]time.Duration, len(p.doc.Plays))
		for i := range p.doc.Plays {
			jobs = append(jobs, func() {
				began := o.Now()
				p.results[i] = o.playOne(ctx, target, p.persona, &p.doc.Plays[i])
				p.took[i] = o.Now().Sub(began)
				bar.AddDone(p.name)
			})
		}
	}
	cli.RunParallel(o.jobs, jobs)
	for _, p := range run.playFiles {
		for i := range p.results {
			p.persona.counts.Add(p.results[i].Hits)
		}
	}
	return ctx.Err()
}

// playOne plays one play-through. When the service did not take the persona, that is its
// result.
func (o *testOptions) playOne(ctx context.Context, target *service.TestService, tested *testedPersona, play *playtest.Play) playtest.Result {
	if err := tested.saveErr; err != nil {
		return playtest.Result{Play: play, Err: fmt.Errorf("%s: %w", tested.Name, err)}
	}
	return tested.saved.Run(ctx, target.Players, o.NewID(), play)
}

// mutantResult is a mutant, a persona with one small mistake, and what came of playing
// it.
type mutantResult struct {
	persona *testedPersona
	mutant  playtest.Mutant
	noticed bool
	refused bool // the service does not take it
	err     error
}

// tryMutants makes the mutants of every persona and plays its play-throughs against
// them.
func (o *testOptions) tryMutants(ctx context.Context, target *service.TestService, run *testRun) error {
	for _, tested := range run.personas {
		if !tested.played {
			continue
		}
		mutants, err := playtest.Mutants(&tested.Doc, o.mutants)
		if err != nil {
			return err
		}
		for _, m := range mutants {
			run.mutants = append(run.mutants, mutantResult{persona: tested, mutant: m})
		}
	}
	jobs := make([]func(), len(run.mutants))
	bar := o.ShowProgress(len(jobs), "making mistakes")
	defer bar.Finish()
	for i := range run.mutants {
		jobs[i] = func() {
			o.tryMutant(ctx, target, run, &run.mutants[i])
			bar.AddDone(run.mutants[i].persona.Name)
		}
	}
	cli.RunParallel(o.jobs, jobs)
	for i := range run.mutants {
		if err := run.mutants[i].err; err != nil {
			return fmt.Errorf("%s: %s: %w", run.mutants[i].persona.Name, run.mutants[i].mutant.What, err)
		}
	}
	return ctx.Err()
}

// tryMutant plays the play-throughs of a persona against one mutant of it, until one
// notices.
func (o *testOptions) tryMutant(ctx context.Context, target *service.TestService, run *testRun, m *mutantResult) {
	saved, err := target.PreparePersona(ctx, &m.mutant.Doc)
	if refusal, ok := errors.AsType[*wire.Error](err); ok && refusal.Status == 422 {
		m.refused = true
		return
	}
	if m.err = err; err != nil {
		return
	}
	for _, p := range run.playFiles {
		for i := range p.doc.Plays {
			if p.persona != m.persona {
				break
			}
			r := saved.Run(ctx, target.Players, o.NewID(), &p.doc.Plays[i])
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
