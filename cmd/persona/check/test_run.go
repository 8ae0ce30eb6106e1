package check

import (
	"context"
	"fmt"
	"time"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/personas/playtest"
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
