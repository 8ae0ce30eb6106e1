package offline

import "github.com/parley-npc/parley/personas"

// CountTexts returns how many bytes of the author's texts are compared with a message, at
// most, in the state of a persona that has most.
func CountTexts(p *personas.Persona) int {
	most := 0
	for i := range p.Machines {
		m := &p.Machines[i]
		outgoing := make(map[string][]int)
		for row := range m.Transitions {
			outgoing[m.Transitions[row].From] = append(outgoing[m.Transitions[row].From], row)
		}
		for j := range m.States {
			at := Place{Persona: p, Machine: m, State: &m.States[j], Outgoing: outgoing[m.States[j].Key]}
			most = max(most, countPlaceTexts(&at))
		}
	}
	return most
}

// countPlaceTexts counts as prepareState takes them, each group cut at what it may have.
func countPlaceTexts(at *Place) int {
	examples, criteria := 0, 0
	choices := listChoices(at)
	share := maxTexts / len(choices)
	for i := range choices {
		c := &choices[i]
		for _, e := range c.examples[:min(len(c.examples), share)] {
			examples += min(len(e.Say), maxTextSize)
		}
		for _, text := range c.criteria[:min(len(c.criteria), share)] {
			criteria += min(len(text), maxCriterion)
		}
	}
	for _, a := range ListAnswers(at) {
		for _, ask := range a.Ask {
			examples += min(len(ask), maxTextSize)
		}
	}
	return min(examples, maxTexts*maxTextSize) + min(criteria, maxTexts*maxTextSize)
}
