package lint

import (
	"strconv"

	"github.com/parley-npc/parley/personas"
)

// extras visits the members that the document does not know.
type extras struct {
	path  string
	visit func(path string, m *personas.Member)
}

func (e extras) item(list string, i int, members personas.Members) extras {
	in := extras{e.path + list + "[" + strconv.Itoa(i) + "].", e.visit}
	in.all(members)
	return in
}

func (e extras) in(member string, members personas.Members) extras {
	in := extras{e.path + member + ".", e.visit}
	in.all(members)
	return in
}

func (e extras) all(members personas.Members) {
	for i := range members {
		e.visit(e.path, &members[i])
	}
}

// eachExtra visits all members that the document does not know, with the path
// in front of their names.
func eachExtra(p *personas.Persona, visit func(path string, m *personas.Member)) {
	e := extras{visit: visit}
	e.all(p.Extra)
	for i := range p.Variables {
		e.item("variables", i, p.Variables[i].Extra)
	}
	for i := range p.Machines {
		e.item("machines", i, p.Machines[i].Extra).machine(&p.Machines[i])
	}
	for i := range p.Links {
		e.item("machine_links", i, p.Links[i].Extra)
	}
}

func (e extras) machine(m *personas.Machine) {
	for i := range m.States {
		e.item("states", i, m.States[i].Extra).state(&m.States[i])
	}
	for i := range m.Transitions {
		in := e.item("transitions", i, m.Transitions[i].Extra)
		if o := m.Transitions[i].Offline; o != nil {
			in.in("offline", o.Extra)
		}
	}
	for i := range m.OutputVariables {
		e.item("output_variables", i, m.OutputVariables[i].Extra)
	}
	for i := range m.InputVariables {
		e.item("input_variables", i, m.InputVariables[i].Extra)
	}
}

func (e extras) state(s *personas.State) {
	e.in("evaluation_criteria", s.Criteria.Extra)
	if s.Offline != nil {
		in := e.in("offline", s.Offline.Extra)
		in.in("examples", s.Offline.Examples.Extra)
		in.in("lines", s.Offline.Lines.Extra)
	}
}
