package lint

import (
	"strconv"

	"github.com/parley-npc/parley/personas"
)

type textUse struct {
	path    string // path prefix of the containing object or list
	member  string
	index   int // in a list, or -1
	machine int // index, or -1 outside machines
	value   string

	limit    int  // characters, or 0 for no limit
	mustSay  bool // must not be blank
	template bool // may contain placeholders
	spoken   bool // an item of a list of lines or examples
}

// pathOf is a method, because only findings need the path.
func (t *textUse) pathOf() string {
	if t.index >= 0 {
		return t.path + t.member + "[" + strconv.Itoa(t.index) + "]"
	}
	return t.path + t.member
}

type textWalker struct {
	path    string
	machine int
	visit   func(textUse)
}

func (t textWalker) enterPath(path string) textWalker {
	return textWalker{t.path + path, t.machine, t.visit}
}

func (t textWalker) enterItem(list string, i int) textWalker {
	return t.enterPath(list + "[" + strconv.Itoa(i) + "].")
}

func (t textWalker) visitText(x textUse) {
	x.path, x.machine, x.index = t.path, t.machine, -1
	t.visit(x)
}

var (
	nameText        = textUse{limit: personas.MaxName}
	descriptionText = textUse{limit: personas.MaxDescription}
	promptText      = textUse{limit: personas.MaxPrompt, template: true}
)

// visitEach takes pairs of names and values.
func (t textWalker) visitEach(kind textUse, members ...string) {
	for i := 0; i+1 < len(members); i += 2 {
		kind.member, kind.value = members[i], members[i+1]
		t.visitText(kind)
	}
}

func (t textWalker) visitPrompts(member string, values []string) {
	for i, value := range values {
		t.visit(textUse{
			path: t.path, member: member, index: i, machine: t.machine, value: value,
			limit: personas.MaxPrompt, template: true, spoken: true,
		})
	}
}

func (t textWalker) visitExamples(member string, examples []personas.Example) {
	for i := range examples {
		e := &examples[i]
		if e.IsText() {
			t.visit(textUse{path: t.path, member: member, index: i, machine: t.machine, value: e.Say, spoken: true})
			continue
		}
		walker := t.enterItem(member, i)
		walker.visitText(textUse{member: "say", value: e.Say, spoken: true})
		walker.visitEach(promptText, "answer", e.Answer)
	}
}

func (t textWalker) visitAnswers(answers []personas.Answer) {
	for i := range answers {
		walker := t.enterItem("answers", i)
		walker.visitExamples("ask", personas.NewExamples(answers[i].Ask...))
		walker.visitPrompts("say", answers[i].Say)
	}
}

func (t textWalker) visitSharedOffline(o *personas.SharedOffline) {
	if o != nil {
		t.enterPath("offline.").visitAnswers(o.Answers)
	}
}

func (t textWalker) visitNeeded(member, value string, limit int, template bool) {
	t.visitText(textUse{member: member, value: value, limit: limit, mustSay: true, template: template})
}

func eachText(p *personas.Persona, visit func(textUse)) {
	t := textWalker{machine: -1, visit: visit}
	t.visitNeeded("name", p.Name, personas.MaxName, false)
	t.visitNeeded("description", p.Description, personas.MaxDescription, false)
	t.visitNeeded("persona_identity_prompt", p.IdentityPrompt, personas.MaxPrompt, true)
	t.visitEach(descriptionText, "perplexity_description", p.PerplexityDescription)
	for i, v := range p.Variables {
		walker := t.enterItem("variables", i)
		walker.visitNeeded("key", v.Key, personas.MaxKey, false)
		walker.visitText(textUse{member: "value", value: v.Value, limit: personas.MaxPrompt})
		walker.visitEach(descriptionText, "description", v.Description)
	}
	for i := range p.Machines {
		m := t.enterItem("machines", i)
		m.machine = i
		m.visitMachine(&p.Machines[i])
	}
	t.visitSharedOffline(p.Offline)
}

func (t textWalker) visitMachine(m *personas.Machine) {
	t.visitEach(nameText, "name", m.Name)
	t.visitEach(descriptionText, "description", m.Description, "player_goal", m.PlayerGoal)
	t.visitEach(promptText,
		"creator_objective", m.Objective,
		"creator_win_condition", m.WinCondition,
		"creator_lose_condition", m.LoseCondition,
		"chat_system_prompt", m.ChatPrompt,
		"system_evaluation_prompt", m.EvaluationPrompt,
		"system_summarization_prompt", m.SummarizationPrompt)
	for i := range m.States {
		t.enterItem("states", i).visitState(&m.States[i])
	}
	for i, x := range m.Transitions {
		walker := t.enterItem("transitions", i)
		walker.visitEach(promptText, "condition", x.Condition)
		walker.visitEach(nameText, "ending", x.EndingName)
		if x.Offline != nil {
			walker.visitExamples("offline.examples", x.Offline.Examples)
		}
	}
	for i, v := range m.OutputVariables {
		walker := t.enterItem("output_variables", i)
		walker.visitNeeded("key", v.Key, personas.MaxKey, false)
		walker.visitNeeded("extraction_prompt", v.ExtractionPrompt, personas.MaxPrompt, true)
	}
	for i, v := range m.InputVariables {
		t.enterItem("input_variables", i).visitNeeded("key", v.Key, personas.MaxKey, false)
	}
	t.visitSharedOffline(m.Offline)
}

var decisionNames = []string{
	string(personas.DecidePass), string(personas.DecideRedirect), string(personas.DecideReject),
	string(personas.DecideKickOut), personas.FollowUpName,
}

func (t textWalker) visitState(s *personas.State) {
	t.visitEach(nameText, "label", s.Label)
	t.visitEach(promptText, "prompt_instruction", s.PromptInstruction)
	t.visitEach(nameText, "ending", s.EndingName)
	for _, d := range decisionNames {
		t.enterPath("evaluation_criteria.").visitEach(promptText, d, s.Criteria.Of(d))
	}
	if s.Offline != nil {
		t.enterPath("offline.").visitOffline(s.Offline)
	}
}

func (t textWalker) visitOffline(o *personas.Offline) {
	t.visitPrompts("opening", o.Opening)
	for _, d := range decisionNames {
		t.enterPath("examples.").visitExamples(d, o.Examples.Of(d))
	}
	for _, d := range decisionNames {
		t.enterPath("lines.").visitPrompts(d, o.Lines.Of(d))
	}
	t.enterPath("lines.").visitPrompts("enter", o.Lines.Enter)
	t.enterPath("lines.").visitPrompts("unknown", o.Lines.Unknown)
	t.visitAnswers(o.Answers)
}

func (c *checkContext) allTexts() []textUse {
	if c.texts == nil {
		c.texts = make([]textUse, 0, 64)
		eachText(c.p, func(t textUse) {
			if t.value != "" || t.spoken || t.mustSay {
				c.texts = append(c.texts, t)
			}
		})
	}
	return c.texts
}

func (c *checkContext) variableTable() *personas.VariableTable {
	if c.variables == nil {
		c.variables = personas.NewVariableTable(c.p)
	}
	return c.variables
}

func (c *checkContext) unknownMembers() []personas.Unknown {
	if !c.unknownListed {
		c.unknownListed, c.unknown = true, personas.UnknownMembers(c.p)
	}
	return c.unknown
}

func (c *checkContext) placeholderNames() []string {
	if c.names == nil {
		c.names = append(c.p.VariableKeys(), personas.VarPlayerName, personas.VarPlayerGender, personas.VarPersonaName)
	}
	return c.names
}

var textSplit = Check{
	Name: "text-split", Severity: Warning, loss: true,
	Summary: "A sentence in brackets becomes a list at its commas.",
	Why: "[Well, hello there, friend] is a list of three texts, and the character says only one of them. " +
		"Quote the sentence inside the brackets. A list is reported only if it begins with a capital and " +
		"continues in lower case, or if only its last text ends like a sentence.",
	Good: "redirect: [\"What town is this?\"]", Bad: "redirect: [Well, what town is this?]",
}

var textCut = Check{
	Name: "text-cut", Severity: Warning, loss: true,
	Summary: "An unquoted text ends at a # after a space, and in braces at a comma.",
	Why: "A # after a space begins a comment, so \"Berth #4\" without quotes is Berth, and {description: for " +
		"the game, not for texts} has a member \"not for texts\". The same happens in {pass:yes} without a " +
		"space after the colon. Quote the whole text. A # with a space after it is taken for an intended comment.",
	Good: "label: Inside the walls", Bad: "label: Gate #4",
}

var linesJoined = Check{
	Name: "lines-joined", Severity: Warning, loss: true,
	Summary: "The lines of a text are joined unless it begins with |.",
	Why: "YAML joins the lines of plain texts, quoted texts and texts after >, so a list in a prompt becomes one long " +
		"sentence. Write | after the member's name, and indent the text below it.",
	Good: "description: Keeps the gate after dark.\n", Bad: "description: Keeps the gate\n  - after dark\n  - in the rain\n",
}

var curlyQuotes = Check{
	Name: "curly-quotes", Severity: Warning, loss: true,
	Summary: "Curly quotes of a word processor are part of the text.",
	Why: "YAML knows only straight quotes. Curly ones around a text are shown to players and do not " +
		"protect a comma or #. Write straight ones. Curly quotes inside a text are not reported.",
	Good: "label: Inside the walls", Bad: "label: “Inside the walls”",
}
