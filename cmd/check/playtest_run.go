package check

import (
	"context"
	"errors"
	"fmt"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/personas/playtest"
	"github.com/parley-npc/parley/personas/wire"
)

// openVenue starts a throw-away server; with --server it is that service. The
// settings do not count: a test gives the same answer everywhere.
func (o *testOptions) openVenue(ctx context.Context) (*service.TestService, error) {
	if o.Server != "" {
		s, err := o.Connect()
		if err != nil {
			return nil, err
		}
		return &service.TestService{Service: s, Players: s}, nil
	}
	t, err := o.StartThrowAway(ctx, localserver.Options{Repeatable: true, LLM: o.llm.Options(o.Access)})
	if err != nil {
		return nil, err
	}
	anyone, err := o.players(t)
	if err != nil {
		t.Stop()
		return nil, err
	}
	return &service.TestService{Service: t.Service, Local: t, Players: anyone}, nil
}

// rehearse plays all play-throughs, several at a time.
func (o *testOptions) rehearse(ctx context.Context, v *service.TestService, b *bill) error {
	for _, c := range b.casts {
		subject, err := v.PrepareSubject(ctx, &c.Doc)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		c.subject = subject
	}
	var jobs []func()
	bar := o.ShowProgress(b.plays(), "playing")
	defer bar.Finish()
	for _, p := range b.programmes {
		p.results = make([]playtest.Result, len(p.file.Plays))
		for i := range p.file.Plays {
			jobs = append(jobs, func() {
				p.results[i] = p.cast.subject.Run(ctx, v.Players, o.NewID(), &p.file.Plays[i])
				bar.AddDone(p.name)
			})
		}
	}
	cli.RunParallel(o.jobs, jobs)
	for _, p := range b.programmes {
		for i := range p.results {
			p.cast.hits.Add(p.results[i].Hits)
		}
	}
	return ctx.Err()
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
func (o *testOptions) tryMutants(ctx context.Context, v *service.TestService, b *bill) error {
	for _, c := range b.casts {
		mutants, err := playtest.Mutants(&c.Doc, o.mutants)
		if err != nil {
			return err
		}
		for _, m := range mutants {
			b.mutants = append(b.mutants, mutantResult{cast: c, mutant: m})
		}
	}
	jobs := make([]func(), len(b.mutants))
	bar := o.ShowProgress(len(jobs), "making mistakes")
	defer bar.Finish()
	for i := range b.mutants {
		jobs[i] = func() {
			o.try(ctx, v, b, &b.mutants[i])
			bar.AddDone(b.mutants[i].cast.Name)
		}
	}
	cli.RunParallel(o.jobs, jobs)
	for i := range b.mutants {
		if err := b.mutants[i].err; err != nil {
			return fmt.Errorf("%s: %s: %w", b.mutants[i].cast.Name, b.mutants[i].mutant.What, err)
		}
	}
	return ctx.Err()
}

func (o *testOptions) try(ctx context.Context, v *service.TestService, b *bill, m *mutantResult) {
	subject, err := v.PrepareSubject(ctx, &m.mutant.Doc)
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
			r := subject.Run(ctx, v.Players, o.NewID(), &p.file.Plays[i])
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
