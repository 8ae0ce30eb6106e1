package check

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/intent"
	"github.com/parley-npc/parley/personas/playtest"
	"github.com/parley-npc/parley/personas/prove"
	"github.com/parley-npc/parley/personas/wire"
)

// Work is counted in steps, because slow computers must try the same mutants.
const (
	maxPersonaWork = 10_000  // for one persona
	maxMutantWork  = 30_000  // for all personas
	bytesAStep     = 1 << 10 // bytes of a persona that take the work of one step to save
	readAStep      = 100_000 // characters of messages, times bytes compared with them, per step
	readyAStep     = 400
	keptReady      = 1 << 18 // bytes of prepared personas in the offline model's cache
	maxWave        = 8
)

type mutantResult struct {
	persona *testedPersona
	mutant  playtest.Mutant
	noticed bool
	refused bool // the service rejected the mutant
	leftOut bool // skipped because the work limit was reached
	work    int  // in steps
	err     error
}

type costedPlay struct {
	*playtest.Play
	work int
}

func (o *testOptions) tryMutants(ctx context.Context, target *service.TestService, run *testRun) error {
	left := maxMutantWork
	for _, tested := range run.personas {
		if !tested.played {
			continue
		}
		results, err := o.tryMutantsOf(ctx, target, tested, run.listCosted(tested), min(left, maxPersonaWork))
		if err != nil {
			return err
		}
		for i := range results {
			left -= results[i].work
			if results[i].leftOut {
				run.mutantsLeftOut++
			} else {
				run.mutants = append(run.mutants, results[i])
			}
		}
	}
	if n := run.mutantsLeftOut; n > 0 {
		o.Warn("%s left out: they are too much work for one run; give fewer or shorter play files",
			cli.Pluralize(n, "mistake"))
	}
	return ctx.Err()
}

func (o *testOptions) tryMutantsOf(ctx context.Context, target *service.TestService, tested *testedPersona,
	plays []costedPlay, left int) ([]mutantResult, error) {
	mutants, err := playtest.Mutants(&tested.Doc, o.mutants)
	if err != nil {
		return nil, err
	}
	results := make([]mutantResult, len(mutants))
	for i, m := range mutants {
		results[i] = mutantResult{persona: tested, mutant: m, leftOut: true}
	}
	bar := o.ShowProgress(len(results), "making mistakes")
	defer bar.Finish()
	order := rand.New(rand.NewPCG(0, 0)).Perm(len(results)) //nolint:gosec // the same order in each run
	for wave := range slices.Chunk(order, maxWave) {
		var jobs []func()
		for _, n := range wave {
			jobs = append(jobs, func() {
				o.tryMutant(ctx, target, plays, &results[n], left/maxWave)
				bar.AddDone(tested.Name)
			})
		}
		cli.RunParallel(o.jobs, jobs)
		for _, n := range wave {
			r := &results[n]
			left -= r.work
			if r.err != nil {
				return nil, fmt.Errorf("%s: %s: %w", tested.Name, r.mutant.What, r.err)
			}
		}
		if ctx.Err() != nil || slices.ContainsFunc(wave, func(n int) bool { return results[n].leftOut }) {
			break
		}
	}
	return results, nil
}

func (run *testRun) listCosted(tested *testedPersona) []costedPlay {
	var all []costedPlay
	texts := intent.CountTexts(&tested.Doc)
	for _, p := range run.playFiles {
		for i := range p.doc.Plays {
			if p.persona == tested {
				all = append(all, costedPlay{&p.doc.Plays[i], measurePlay(&p.doc.Plays[i], texts, len(tested.Source) > keptReady)})
			}
		}
	}
	return all
}

// The model prepares a large persona again for each message without a director's mark.
func measurePlay(p *playtest.Play, texts int, isLarge bool) int {
	work, read := 0, 0
	for i := range p.Steps {
		work++
		read += utf8.RuneCountInString(p.Steps[i].Say) * texts
		if isLarge && !strings.HasSuffix(p.Steps[i].Say, "]]") {
			work += texts / readyAStep
		}
	}
	return work + read/readAStep
}

func (o *testOptions) tryMutant(ctx context.Context, target *service.TestService, plays []costedPlay,
	result *mutantResult, maxWork int) {
	result.work = result.mutant.Size() / bytesAStep
	if result.work > maxWork {
		return
	}
	doc, err := result.mutant.MakeDoc()
	var saved *playtest.Subject
	if err == nil {
		saved, err = target.PreparePersona(ctx, doc)
	}
	if refusal, ok := errors.AsType[*wire.Error](err); ok && refusal.Status == 422 {
		result.refused, result.leftOut = true, false
		return
	}
	result.err = err
	if err != nil {
		return
	}
	for _, p := range plays {
		if result.work+p.work > maxWork {
			return
		}
		result.work += p.work
		r := saved.Run(ctx, target.Players, o.NewID(), p.Play)
		result.err = r.Err
		if result.err != nil {
			return
		}
		result.noticed = len(r.Failures()) > 0
		if result.noticed {
			break
		}
	}
	result.leftOut = false
}

func (tested *testedPersona) findPoints() error {
	proofs, err := prove.Persona(&tested.Doc)
	if errors.Is(err, prove.ErrTooWide) {
		tested.points = playtest.Points(&tested.Doc) // no point is proved unreachable
		return nil
	}
	if err != nil {
		return cli.WrapTrouble(fmt.Errorf("%s: %w", tested.Name, err), "")
	}
	tested.witnesses = witnesses{}
	for i := range proofs.Machines {
		tested.witnesses.addMachine(&proofs.Machines[i], &tested.Doc, &tested.Doc.Machines[i])
	}
	for _, l := range proofs.Links {
		tested.witnesses.addWitness(playtest.Point{Kind: playtest.KindLink, Index: l.Index}, l.CanOpen,
			func() []playtest.Move { return listMoves(l.Witness) })
	}
	for _, p := range playtest.Points(&tested.Doc) {
		if _, possible := tested.witnesses[p]; possible {
			tested.points = append(tested.points, p)
		} else {
			tested.impossible++
		}
	}
	return nil
}

type witnesses map[playtest.Point]witness

type witness func() []playtest.Move

func listMoves(w *prove.Way) []playtest.Move {
	steps := w.Steps()
	all := make([]playtest.Move, len(steps))
	for i, s := range steps {
		all[i] = playtest.Move{Machine: s.Machine, Verdict: s.Verdict}
	}
	return all
}

func (ws witnesses) addWitness(p playtest.Point, possible bool, w witness) {
	if _, known := ws[p]; possible && !known {
		ws[p] = w
	}
}

func (ws witnesses) addMachine(machine *prove.Machine, persona *personas.Persona, doc *personas.Machine) {
	if !machine.Available {
		return
	}
	behind := func(w *prove.Way, then ...playtest.Move) witness {
		return func() []playtest.Move { return slices.Concat(listMoves(machine.Witness), listMoves(w), then) }
	}
	point := func(kind playtest.Kind, name string) playtest.Point {
		return playtest.Point{Kind: kind, Machine: machine.Key, Name: name}
	}
	for i, state := range machine.States {
		ws.addWitness(point(playtest.KindState, state.Key), state.Reachable, behind(state.Witness))
		if state.Plays && playtest.AsksFollowUp(&doc.States[i]) {
			ask := playtest.Move{Machine: machine.Key, Verdict: engine.FollowUp}
			ws.addWitness(point(playtest.KindDecision, personas.FollowUpName), true, behind(state.Witness, ask))
		}
		if state.Plays && playtest.AnswersAsides(persona, doc, &doc.States[i]) {
			talk := playtest.Move{Machine: machine.Key, Verdict: engine.Aside}
			ws.addWitness(point(playtest.KindDecision, personas.AsideName), true, behind(state.Witness, talk))
		}
	}
	for _, t := range machine.Transitions {
		decision := string(doc.Transitions[t.Index].Decision)
		transition := playtest.Point{Kind: playtest.KindTransition, Machine: machine.Key, Index: t.Index}
		ws.addWitness(transition, t.Fires, behind(t.Witness))
		ws.addWitness(point(playtest.KindDecision, decision), t.Fires, behind(t.Witness))
	}
	for _, o := range machine.Outcomes {
		ws.addWitness(point(playtest.KindOutcome, string(o.Outcome)), o.Reachable, behind(o.Witness))
	}
}
