package lint

import (
	"strconv"

	"github.com/parley-npc/parley/personas"
)

// text is a text of the document and what is asked of it.
type text struct {
	at      string // the object or list that has it
	member  string
	index   int // in a list; -1 for a member
	machine int // -1: outside of machines
	value   string

	most     int  // characters; 0: not bounded by itself
	needed   bool // must say something
	template bool // placeholders are expanded in it
	spoken   bool // what somebody says: an item of a list of lines or examples
}

// path is made only where something is to be said.
func (t *text) path() string {
	if t.index >= 0 {
		return t.at + t.member + "[" + strconv.Itoa(t.index) + "]"
	}
	return t.at + t.member
}

// texts collects texts under a path.
type texts struct {
	path    string
	machine int
	visit   func(text)
}

func (t texts) in(path string) texts { return texts{t.path + path, t.machine, t.visit} }

func (t texts) item(list string, i int) texts {
	return t.in(list + "[" + strconv.Itoa(i) + "].")
}

func (t texts) add(x text) {
	x.at, x.machine, x.index = t.path, t.machine, -1
	t.visit(x)
}

func (t texts) name(member, value string) {
	t.add(text{member: member, value: value, most: personas.MaxName})
}

func (t texts) description(member, value string) {
	t.add(text{member: member, value: value, most: personas.MaxDescription})
}

func (t texts) prompt(member, value string) {
	t.add(text{member: member, value: value, most: personas.MaxPrompt, template: true})
}

func (t texts) prompts(member string, values []string) {
	for i, value := range values {
		t.visit(text{at: t.path, member: member, index: i, machine: t.machine, value: value, most: personas.MaxPrompt, template: true, spoken: true})
	}
}

func (t texts) examples(member string, values []string) {
	for i, value := range values {
		t.visit(text{at: t.path, member: member, index: i, machine: t.machine, value: value, spoken: true})
	}
}

func (t texts) needed(member, value string, most int, template bool) {
	t.add(text{member: member, value: value, most: most, needed: true, template: template})
}

// eachText visits the texts of a persona in document order.
func eachText(p *personas.Persona, visit func(text)) {
	t := texts{machine: -1, visit: visit}
	t.needed("name", p.Name, personas.MaxName, false)
	t.needed("description", p.Description, personas.MaxDescription, false)
	t.needed("persona_identity_prompt", p.IdentityPrompt, personas.MaxPrompt, true)
	t.description("perplexity_description", p.PerplexityDescription)
	for i, v := range p.Variables {
		in := t.item("variables", i)
		in.needed("key", v.Key, personas.MaxKey, false)
		in.add(text{member: "value", value: v.Value, most: personas.MaxPrompt})
		in.description("description", v.Description)
	}
	for i := range p.Machines {
		m := t.item("machines", i)
		m.machine = i
		m.ofMachine(&p.Machines[i])
	}
}

func (t texts) ofMachine(m *personas.Machine) {
	t.name("name", m.Name)
	t.description("description", m.Description)
	t.prompt("creator_objective", m.Objective)
	t.prompt("creator_win_condition", m.WinCondition)
	t.prompt("creator_lose_condition", m.LoseCondition)
	t.prompt("chat_system_prompt", m.ChatPrompt)
	t.prompt("system_evaluation_prompt", m.EvaluationPrompt)
	t.prompt("system_summarization_prompt", m.SummarizationPrompt)
	for i := range m.States {
		t.item("states", i).state(&m.States[i])
	}
	for i, x := range m.Transitions {
		in := t.item("transitions", i)
		in.prompt("condition", x.Condition)
		if x.Offline != nil {
			in.examples("offline.examples", x.Offline.Examples)
		}
	}
	for i, v := range m.OutputVariables {
		in := t.item("output_variables", i)
		in.needed("key", v.Key, personas.MaxKey, false)
		in.needed("extraction_prompt", v.ExtractionPrompt, personas.MaxPrompt, true)
	}
	for i, v := range m.InputVariables {
		t.item("input_variables", i).needed("key", v.Key, personas.MaxKey, false)
	}
}

func (t texts) state(s *personas.State) {
	t.name("label", s.Label)
	t.prompt("prompt_instruction", s.PromptInstruction)
	c := t.in("evaluation_criteria.")
	c.prompt("pass", s.Criteria.Pass)
	c.prompt("redirect", s.Criteria.Redirect)
	c.prompt("reject", s.Criteria.Reject)
	c.prompt("kick_out", s.Criteria.KickOut)
	c.prompt("follow_up", s.Criteria.FollowUp)
	if s.Offline != nil {
		t.in("offline.").offline(s.Offline)
	}
}

func (t texts) offline(o *personas.Offline) {
	t.prompts("opening", o.Opening)
	e := t.in("examples.")
	e.examples("pass", o.Examples.Pass)
	e.examples("redirect", o.Examples.Redirect)
	e.examples("reject", o.Examples.Reject)
	e.examples("kick_out", o.Examples.KickOut)
	e.examples("follow_up", o.Examples.FollowUp)
	l := t.in("lines.")
	l.prompts("pass", o.Lines.Pass)
	l.prompts("redirect", o.Lines.Redirect)
	l.prompts("reject", o.Lines.Reject)
	l.prompts("kick_out", o.Lines.KickOut)
	l.prompts("follow_up", o.Lines.FollowUp)
	l.prompts("enter", o.Lines.Enter)
}

// allTexts are the persona's texts but for what it does not say, looked at once.
func (s *study) allTexts() []text {
	if s.texts == nil {
		s.texts = make([]text, 0, 64)
		eachText(s.p, func(t text) {
			if t.value != "" || t.spoken || t.needed {
				s.texts = append(s.texts, t)
			}
		})
	}
	return s.texts
}

// known lists the names that placeholders can have, names has them as a set.
func (s *study) known() []string {
	return append(s.p.VariableKeys(), personas.VarPlayerName, personas.VarPlayerGender, personas.VarPersonaName)
}

func (s *study) names() map[string]bool {
	if s.nameSet == nil {
		s.nameSet = map[string]bool{}
		for _, name := range s.known() {
			s.nameSet[name] = true
		}
	}
	return s.nameSet
}
