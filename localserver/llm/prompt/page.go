package prompt

import (
	"cmp"
	"slices"
	"strings"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas"
)

// page is what the text files may put in: the author's texts, expanded, and
// nothing of the player's. The names of its members and methods are those in the
// files; a text is expanded when a file puts it in, so that the notes have the
// values of the marks that are really there.
type page struct {
	Criteria []criterion
	Choices  []choice
	FollowUp bool
	Decision string
	Outcome  string
	Entered  *place
	Asked    []asked
	Limit    int

	scene   llm.Scene
	persona *personas.Persona
	machine *personas.Machine
	state   *personas.State
	used    []string // names of the marks, in the order of their first use
}

// place is a state.
type place struct{ Title, Instruction string }

// criterion is what the author looks for under a decision.
type criterion struct{ Decision, Text string }

// asked is an output variable.
type asked struct{ Key, Prompt string }

func newPage(scene llm.Scene) *page {
	return &page{
		scene: scene, persona: cmp.Or(scene.Persona, &personas.Persona{}),
		machine: cmp.Or(scene.Machine, &personas.Machine{}), state: cmp.Or(scene.State, &personas.State{}),
	}
}

// Persona is the character's name.
func (p *page) Persona() string { return cmp.Or(strings.TrimSpace(p.persona.Name), "the character") }

// Description is the persona's short text.
func (p *page) Description() string { return p.expand(p.persona.Description) }

// Identity is the persona's own prompt.
func (p *page) Identity() string { return p.expand(p.persona.IdentityPrompt) }

// Machine is the title of the machine.
func (p *page) Machine() string { return p.machine.Title() }

// Objective is the machine's.
func (p *page) Objective() string { return p.expand(p.machine.Objective) }

// Win is when the machine is won.
func (p *page) Win() string { return p.expand(p.machine.WinCondition) }

// Lose is when the machine is lost.
func (p *page) Lose() string { return p.expand(p.machine.LoseCondition) }

// Chat is the machine's prompt for the reply.
func (p *page) Chat() string { return p.expand(p.machine.ChatPrompt) }

// Judging is the machine's prompt for the evaluation.
func (p *page) Judging() string { return p.expand(p.machine.EvaluationPrompt) }

// Summing is the machine's prompt for the summary.
func (p *page) Summing() string { return p.expand(p.machine.SummarizationPrompt) }

// State is the state in which the message is judged.
func (p *page) State() place { return p.place(p.state) }

func (p *page) place(s *personas.State) place {
	return place{Title: s.Title(), Instruction: p.expand(s.PromptInstruction)}
}

// judge adds what the evaluation needs.
func (p *page) judge(c Choices) {
	p.FollowUp = c.followUp
	for _, d := range decisions {
		if text := p.expand(p.state.Criteria.Of(d)); text != "" {
			p.Criteria = append(p.Criteria, criterion{Decision: d, Text: text})
		}
	}
	for _, one := range c.list {
		one.Condition = p.expand(one.Condition)
		one.Explained = slices.ContainsFunc(p.Criteria, func(c criterion) bool { return c.Decision == one.Decision })
		p.Choices = append(p.Choices, one)
	}
}

// decisions are the words of evaluation_criteria, in the order in which they are
// told.
var decisions = []string{
	string(personas.DecidePass), string(personas.DecideRedirect), string(personas.DecideReject), string(personas.DecideKickOut), personas.FollowUpName,
}

// happen adds what the reply answers to.
func (p *page) happen(b llm.Beat) {
	p.Decision, p.Outcome, p.FollowUp = string(b.Decision), string(b.Outcome), b.FollowUp
	if b.Entered != nil {
		entered := p.place(b.Entered)
		p.Entered = &entered
	}
}

// ask adds the output variables, each key once.
func (p *page) ask() {
	p.Limit = maxValue
	for i := range p.machine.OutputVariables {
		v := &p.machine.OutputVariables[i]
		if !slices.ContainsFunc(p.Asked, func(a asked) bool { return a.Key == v.Key }) {
			p.Asked = append(p.Asked, asked{Key: v.Key, Prompt: p.expand(v.ExtractionPrompt)})
		}
	}
}

// Marks are the marks of the page, for the sentence that explains them.
func (p *page) Marks() []string {
	marks := make([]string, len(p.used))
	for i, name := range p.used {
		marks[i] = mark(name)
	}
	return marks
}

// mark is what stands in the instructions for a value of the player's.
func mark(name string) string { return "«" + name + "»" }

// expand puts the author's values in the place of the placeholders of an author's
// text, and marks in the place of those whose value comes from the player.
func (p *page) expand(text string) string {
	return strings.TrimSpace(personas.Expand(text, p.value))
}

func (p *page) value(name string) (string, bool) {
	switch name {
	case personas.VarPersonaName:
		return p.Persona(), true
	case personas.VarPlayerGender:
		if isGender(p.scene.Player.Gender) {
			return p.scene.Player.Gender, true
		}
		return p.use(name), true
	case personas.VarPlayerName:
		return p.use(name), true
	}
	if _, players := p.scene.Vars[name]; !players {
		if value, ok := p.persona.Default(name); ok {
			return value, true
		}
	}
	if p.persona.Knows(name) {
		return p.use(name), true
	}
	return "", false
}

func (p *page) use(name string) string {
	if !slices.Contains(p.used, name) {
		p.used = append(p.used, name)
	}
	return mark(name)
}

// isGender tells the three words that the interface knows; only they may stand in
// instructions.
func isGender(text string) bool {
	return text == "female" || text == "male" || text == "non-binary"
}
