package lint

import (
	"strconv"

	"github.com/parley-npc/parley/personas"
)

// extraWalker visits the unknown members.
type extraWalker struct {
	path  string
	visit func(path string, m *personas.Member)
}

func (e extraWalker) enterItem(list string, i int, members personas.Members) extraWalker {
	in := extraWalker{e.path + list + "[" + strconv.Itoa(i) + "].", e.visit}
	in.visitAll(members)
	return in
}

func (e extraWalker) enterMember(member string, members personas.Members) extraWalker {
	in := extraWalker{e.path + member + ".", e.visit}
	in.visitAll(members)
	return in
}

func (e extraWalker) visitAll(members personas.Members) {
	for i := range members {
		e.visit(e.path, &members[i])
	}
}

// eachExtra visits all unknown members. path is the path of the object that contains the member.
func eachExtra(p *personas.Persona, visit func(path string, m *personas.Member)) {
	e := extraWalker{visit: visit}
	e.visitAll(p.Extra)
	for i := range p.Variables {
		e.enterItem("variables", i, p.Variables[i].Extra)
	}
	for i := range p.Machines {
		e.enterItem("machines", i, p.Machines[i].Extra).visitMachine(&p.Machines[i])
	}
	for i := range p.Links {
		e.enterItem("machine_links", i, p.Links[i].Extra)
	}
	e.visitSharedOffline(p.Offline)
}

func (e extraWalker) visitMachine(m *personas.Machine) {
	for i := range m.States {
		e.enterItem("states", i, m.States[i].Extra).visitState(&m.States[i])
	}
	for i := range m.Transitions {
		in := e.enterItem("transitions", i, m.Transitions[i].Extra)
		if o := m.Transitions[i].Offline; o != nil {
			in.enterMember("offline", o.Extra).visitExamples("examples", o.Examples)
		}
	}
	for i := range m.OutputVariables {
		e.enterItem("output_variables", i, m.OutputVariables[i].Extra)
	}
	for i := range m.InputVariables {
		e.enterItem("input_variables", i, m.InputVariables[i].Extra)
	}
	e.visitSharedOffline(m.Offline)
}

func (e extraWalker) visitState(s *personas.State) {
	e.enterMember("evaluation_criteria", s.Criteria.Extra)
	if s.Offline != nil {
		in := e.enterMember("offline", s.Offline.Extra)
		x := &s.Offline.Examples
		examples := in.enterMember("examples", x.Extra)
		examples.visitExamples("pass", x.Pass)
		examples.visitExamples("redirect", x.Redirect)
		examples.visitExamples("reject", x.Reject)
		examples.visitExamples("kick_out", x.KickOut)
		examples.visitExamples("follow_up", x.FollowUp)
		in.enterMember("lines", s.Offline.Lines.Extra)
		in.visitAnswers(s.Offline.Answers)
	}
}

// visitExamples visits the unknown members of examples. It builds the path of an example only if
// the example has unknown members, because most have none.
func (e extraWalker) visitExamples(list string, examples []personas.Example) {
	for i := range examples {
		if len(examples[i].Extra) > 0 {
			e.enterItem(list, i, examples[i].Extra)
		}
	}
}

func (e extraWalker) visitAnswers(answers []personas.Answer) {
	for i := range answers {
		e.enterItem("answers", i, answers[i].Extra)
	}
}

func (e extraWalker) visitSharedOffline(o *personas.SharedOffline) {
	if o != nil {
		e.enterMember("offline", o.Extra).visitAnswers(o.Answers)
	}
}
