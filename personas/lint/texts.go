package lint

import (
	"fmt"

	"github.com/parley-npc/parley/personas"
)

// text is a text of the document and what is asked of it.
type text struct {
	path     string
	value    string
	most     int  // characters
	needed   bool // must say something
	template bool // placeholders are expanded in it
}

// texts collects texts under a path.
type texts struct {
	path  string
	visit func(text)
}

func (t texts) in(format string, args ...any) texts {
	return texts{t.path + fmt.Sprintf(format, args...), t.visit}
}

func (t texts) name(member, value string) {
	t.visit(text{path: t.path + member, value: value, most: personas.MaxName})
}

func (t texts) description(member, value string) {
	t.visit(text{path: t.path + member, value: value, most: personas.MaxDescription})
}

func (t texts) prompt(member, value string) {
	t.visit(text{path: t.path + member, value: value, most: personas.MaxPrompt, template: true})
}

func (t texts) prompts(member string, values []string) {
	for i, value := range values {
		t.prompt(fmt.Sprintf("%s[%d]", member, i), value)
	}
}

func (t texts) needed(member, value string, most int, template bool) {
	t.visit(text{t.path + member, value, most, true, template})
}

// eachText visits the texts of a persona in document order.
func eachText(p *personas.Persona, visit func(text)) {
	t := texts{visit: visit}
	t.needed("name", p.Name, personas.MaxName, false)
	t.needed("description", p.Description, personas.MaxDescription, false)
	t.needed("persona_identity_prompt", p.IdentityPrompt, personas.MaxPrompt, true)
	t.description("perplexity_description", p.PerplexityDescription)
	for i, v := range p.Variables {
		in := t.in("variables[%d].", i)
		in.needed("key", v.Key, personas.MaxKey, false)
		in.visit(text{path: in.path + "value", value: v.Value, most: personas.MaxPrompt})
		in.description("description", v.Description)
	}
	for i := range p.Machines {
		t.in("machines[%d].", i).machine(&p.Machines[i])
	}
}

func (t texts) machine(m *personas.Machine) {
	t.name("name", m.Name)
	t.description("description", m.Description)
	t.prompt("creator_objective", m.Objective)
	t.prompt("creator_win_condition", m.WinCondition)
	t.prompt("creator_lose_condition", m.LoseCondition)
	t.prompt("chat_system_prompt", m.ChatPrompt)
	t.prompt("system_evaluation_prompt", m.EvaluationPrompt)
	t.prompt("system_summarization_prompt", m.SummarizationPrompt)
	for i := range m.States {
		t.in("states[%d].", i).state(&m.States[i])
	}
	for i, x := range m.Transitions {
		t.in("transitions[%d].", i).prompt("condition", x.Condition)
	}
	for i, v := range m.OutputVariables {
		in := t.in("output_variables[%d].", i)
		in.needed("key", v.Key, personas.MaxKey, false)
		in.needed("extraction_prompt", v.ExtractionPrompt, personas.MaxPrompt, true)
	}
	for i, v := range m.InputVariables {
		t.in("input_variables[%d].", i).needed("key", v.Key, personas.MaxKey, false)
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
	l := t.in("lines.")
	l.prompts("pass", o.Lines.Pass)
	l.prompts("redirect", o.Lines.Redirect)
	l.prompts("reject", o.Lines.Reject)
	l.prompts("kick_out", o.Lines.KickOut)
	l.prompts("follow_up", o.Lines.FollowUp)
	l.prompts("enter", o.Lines.Enter)
}
