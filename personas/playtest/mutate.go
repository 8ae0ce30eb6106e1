package playtest

import (
	"encoding/json"
	"fmt"

	"github.com/parley-npc/parley/personas"
)

// Mutant is a persona with one small mistake of an author. Good play-throughs fail for a mutant.
// The document is created on demand to save memory.
type Mutant struct {
	What   string // for example "drop the transition pass from desk to stairs"
	Path   string // of the change in the document
	text   []byte // the correct persona as JSON
	change func(*personas.Persona)
}

// Mutants lists the mutants of a persona in document order. Each mutant lacks a transition, inverts
// a link's condition, or changes a number by one. A positive limit limits the number of mutants,
// selected evenly.
func Mutants(doc *personas.Persona, limit int) ([]Mutant, error) {
	var all []mutation
	for i := range doc.Machines {
		m := &doc.Machines[i]
		all = append(all, numberMutations(m, i)...)
		for j := range m.Transitions {
			all = append(all, transitionMutations(m, i, j)...)
		}
	}
	for i := range doc.Links {
		all = append(all, linkMutations(&doc.Links[i], i)...)
	}
	if limit > 0 && len(all) > limit {
		some := make([]mutation, limit)
		for i := range some {
			some[i] = all[i*len(all)/limit]
		}
		all = some
	}
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, fmt.Errorf("copy persona %q: %w", doc.Name, err)
	}
	mutants := make([]Mutant, len(all))
	for i, r := range all {
		mutants[i] = Mutant{What: r.title, Path: r.path, text: text, change: r.change}
	}
	return mutants, nil
}

// MakeDoc returns the persona with the mistake.
func (m *Mutant) MakeDoc() (*personas.Persona, error) {
	var doc personas.Persona
	if err := json.Unmarshal(m.text, &doc); err != nil {
		return nil, fmt.Errorf("copy a persona: %w", err)
	}
	m.change(&doc)
	return &doc, nil
}

// Size returns the size of the persona as JSON, in bytes.
func (m *Mutant) Size() int { return len(m.text) }

type mutation struct {
	title, path string
	change      func(*personas.Persona)
}

func numberMutations(m *personas.Machine, i int) []mutation {
	if m.Mode() != personas.Scoring {
		return nil
	}
	var all []mutation
	for _, step := range []int{1, -1} {
		threshold, bound := m.Threshold()+step, m.FailBound()+step
		all = append(all, mutation{
			fmt.Sprintf("move pass_threshold from %d to %d", m.Threshold(), threshold),
			fmt.Sprintf("machines[%d].pass_threshold", i),
			func(p *personas.Persona) { p.Machines[i].PassThreshold = &threshold },
		}, mutation{
			fmt.Sprintf("move early_fail_bound from %d to %d", m.FailBound(), bound),
			fmt.Sprintf("machines[%d].early_fail_bound", i),
			func(p *personas.Persona) { p.Machines[i].EarlyFailBound = &bound },
		})
	}
	return all
}

func transitionMutations(m *personas.Machine, i, j int) []mutation {
	t := &m.Transitions[j]
	path := fmt.Sprintf("machines[%d].transitions[%d]", i, j)
	all := []mutation{{
		fmt.Sprintf("drop the transition %s from %s", t.Decision, t.From), path,
		func(p *personas.Persona) {
			transitions := p.Machines[i].Transitions
			p.Machines[i].Transitions = append(transitions[:j], transitions[j+1:]...)
		},
	}}
	if m.Mode() == personas.Scoring {
		all = append(all, mutation{
			fmt.Sprintf("raise score_delta of the transition %s from %s to %d", t.Decision, t.From, t.ScoreDelta+1),
			path + ".score_delta",
			func(p *personas.Persona) { p.Machines[i].Transitions[j].ScoreDelta++ },
		})
	}
	return all
}

func linkMutations(link *personas.Link, i int) []mutation {
	path := fmt.Sprintf("machine_links[%d].condition_value", i)
	set := func(verb string, c personas.Condition, o personas.Outcome, score int) mutation {
		title := fmt.Sprintf("%s the link from %s to %s", verb, link.Source, link.Target)
		return mutation{title, path, func(p *personas.Persona) {
			p.Links[i].Condition, p.Links[i].Outcome, p.Links[i].Score = c, o, score
		}}
	}
	switch link.Condition {
	case personas.IfOutcome:
		other := personas.Accept
		if link.Outcome == personas.Accept {
			other = personas.Reject
		}
		return []mutation{
			set("flip to "+string(other), personas.IfOutcome, other, 0),
			set("open on every outcome", personas.Always, "", 0),
		}
	case personas.IfScoreGTE:
		return []mutation{
			set("flip to score_lte", personas.IfScoreLTE, "", link.Score),
			set("raise by one", personas.IfScoreGTE, "", link.Score+1),
			set("lower by one", personas.IfScoreGTE, "", link.Score-1),
		}
	case personas.IfScoreLTE:
		return []mutation{
			set("flip to score_gte", personas.IfScoreGTE, "", link.Score),
			set("raise by one", personas.IfScoreLTE, "", link.Score+1),
			set("lower by one", personas.IfScoreLTE, "", link.Score-1),
		}
	}
	return []mutation{set("open only on KICK_OUT", personas.IfOutcome, personas.KickOut, 0)}
}
