package check

import (
	"errors"
	"fmt"
	"slices"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/playtest"
	"github.com/parley-npc/parley/personas/prove"
)

// findPoints proves which points of a persona can be covered, with a witness for each. Unreachable
// points are only counted.
func (tested *testedPersona) findPoints() error {
	proofs, err := prove.Persona(&tested.Doc)
	if errors.Is(err, prove.ErrTooWide) {
		tested.points = playtest.Points(&tested.Doc) // Nothing is known to be impossible.
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
		tested.witnesses.addWitness(playtest.Point{Kind: playtest.KindLink, Index: l.Index}, l.CanOpen, func() []playtest.Move { return listMoves(l.Witness) })
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

// witnesses are the witnesses of the reachable points.
type witnesses map[playtest.Point]witness

// witness returns the moves that lead to a point. It builds the list when called, since the
// witnesses of a long machine share most of their moves.
type witness func() []playtest.Move

// listMoves makes moves of a proof's witness.
func listMoves(w *prove.Way) []playtest.Move {
	steps := w.Steps()
	all := make([]playtest.Move, len(steps))
	for i, s := range steps {
		all[i] = playtest.Move{Machine: s.Machine, Verdict: s.Verdict}
	}
	return all
}

// addWitness keeps the first witness of a point that can be reached.
func (ws witnesses) addWitness(p playtest.Point, possible bool, w witness) {
	if _, known := ws[p]; possible && !known {
		ws[p] = w
	}
}

// addMachine adds the witnesses of one machine's points. Each begins with the moves that
// open the machine.
func (ws witnesses) addMachine(m *prove.Machine, persona *personas.Persona, doc *personas.Machine) {
	if !m.Available {
		return
	}
	behind := func(w *prove.Way, then ...playtest.Move) witness {
		return func() []playtest.Move { return slices.Concat(listMoves(m.Witness), listMoves(w), then) }
	}
	for i, state := range m.States {
		ws.addWitness(playtest.Point{Kind: playtest.KindState, Machine: m.Key, Name: state.Key}, state.Reachable, behind(state.Witness))
		if state.Plays && playtest.AsksFollowUp(&doc.States[i]) {
			ask := playtest.Move{Machine: m.Key, Verdict: engine.FollowUp}
			ws.addWitness(playtest.Point{Kind: playtest.KindDecision, Machine: m.Key, Name: personas.FollowUpName}, true, behind(state.Witness, ask))
		}
		if state.Plays && playtest.AnswersAsides(persona, doc, &doc.States[i]) {
			talk := playtest.Move{Machine: m.Key, Verdict: engine.Aside}
			ws.addWitness(playtest.Point{Kind: playtest.KindDecision, Machine: m.Key, Name: personas.AsideName}, true, behind(state.Witness, talk))
		}
	}
	for _, t := range m.Transitions {
		ws.addWitness(playtest.Point{Kind: playtest.KindTransition, Machine: m.Key, Index: t.Index}, t.Fires, behind(t.Witness))
		ws.addWitness(playtest.Point{Kind: playtest.KindDecision, Machine: m.Key, Name: string(doc.Transitions[t.Index].Decision)}, t.Fires, behind(t.Witness))
	}
	for _, o := range m.Outcomes {
		ws.addWitness(playtest.Point{Kind: playtest.KindOutcome, Machine: m.Key, Name: string(o.Outcome)}, o.Reachable, behind(o.Witness))
	}
}
