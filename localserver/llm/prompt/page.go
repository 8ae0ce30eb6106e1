package prompt

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/wire"
)

// A template expands an author's text when it inserts the text. The notes then list the marks in
// the inserted texts.
type page struct {
	Options   []Option
	Asides    []string // examples of asides, as JSON
	FollowUp  bool
	Aside     bool
	Samples   []string // example lines by the author, as JSON
	Written   bool
	Decision  string
	Outcome   string
	Entered   *stateTexts
	Variables []askedVariable
	Limit     int
	Fence     string

	input       llm.Input
	persona     *personas.Persona
	machine     *personas.Machine
	state       *personas.State
	table       *personas.VariableTable
	used        []string // names of the marks, in the order of their first use
	marked      map[string]bool
	written     int   // number of characters of the author's texts so far
	fault       error // why the page cannot be completed
	drawn       []provider.DrawnName
	forAll      bool
	plainAsides map[string][]string
	asides      []string // Asides and further general phrases
}

type stateTexts struct{ Title, Instruction string }

type askedVariable struct {
	Key, Name, Prompt string
}

func newPage(input llm.Input) *page {
	p := &page{
		input: input, persona: cmp.Or(input.Persona, &personas.Persona{}), table: input.Variables,
		marked:  map[string]bool{},
		machine: cmp.Or(input.Machine, &personas.Machine{}), state: cmp.Or(input.State, &personas.State{}),
	}
	if p.table == nil {
		p.table = personas.NewVariableTable(p.persona)
	}
	return p
}

func (p *page) PersonaName() string {
	return cmp.Or(strings.TrimSpace(p.persona.Name), "the character")
}

func (p *page) Author(member string) string {
	text := map[string]string{
		"description":                 p.persona.Description,
		"persona_identity_prompt":     p.persona.IdentityPrompt,
		"creator_objective":           p.machine.Objective,
		"creator_win_condition":       p.machine.WinCondition,
		"creator_lose_condition":      p.machine.LoseCondition,
		"chat_system_prompt":          p.machine.ChatPrompt,
		"system_evaluation_prompt":    p.machine.EvaluationPrompt,
		"system_summarization_prompt": p.machine.SummarizationPrompt,
	}
	return p.expandText(member, text[member])
}

func (p *page) IsHeard() bool { return p.input.Heard != "" }

func (p *page) MachineTitle() string { return p.machine.Title() }

func (p *page) JudgedState() stateTexts { return p.describeState(p.state) }

func (p *page) describeState(s *personas.State) stateTexts {
	return stateTexts{Title: s.Title(), Instruction: p.expandText("prompt_instruction", s.PromptInstruction)}
}

func (p *page) addStepResult(result llm.StepResult) {
	p.Decision, p.Outcome = string(result.Decision), string(result.Outcome)
	p.FollowUp, p.Aside, p.Written = result.FollowUp, result.Aside, result.Written
	p.Samples = p.sampleLines()
	if result.Entered != nil && !result.Written {
		entered := p.describeState(result.Entered)
		p.Entered = &entered
	}
}

func (p *page) addVariables() {
	p.Limit = maxValue
	seen := map[string]bool{}
	for i := range p.machine.OutputVariables {
		v := &p.machine.OutputVariables[i]
		if !seen[v.Key] {
			seen[v.Key] = true
			name := provider.DrawName(meaningOfKey(v.Key))
			p.drawn = append(p.drawn, name)
			p.Variables = append(p.Variables, askedVariable{
				Key: v.Key, Name: name.Name, Prompt: p.expandText("extraction_prompt", v.ExtractionPrompt),
			})
		}
	}
}

func meaningOfKey(key string) string { return "«value-" + key + "»" }

func (p *page) MarkNames() []string {
	marks := make([]string, len(p.used))
	for i, name := range p.used {
		marks[i] = markFor(name)
	}
	return marks
}

func markFor(name string) string { return "«" + name + "»" }

// maxInstructions is in characters, and far more than models can read.
const maxInstructions = 16 * personas.MaxExpanded

func (p *page) expandText(place, text string) string {
	if p.fault != nil {
		return ""
	}
	expanded, fits := personas.Expand(text, p.placeholderValue)
	if !fits {
		p.fault = &llm.ExpansionError{Place: place, Limit: personas.MaxExpanded}
		return ""
	}
	if p.written += utf8.RuneCountInString(expanded); p.written > maxInstructions {
		p.fault = &llm.ExpansionError{Place: "the instructions up to " + place, Limit: maxInstructions}
		return ""
	}
	return strings.TrimSpace(expanded)
}

func (p *page) placeholderValue(name string) (string, bool) {
	switch name {
	case personas.VarPersonaName:
		return p.PersonaName(), true
	case personas.VarPlayerGender:
		if !p.forAll && slices.Contains(wire.Genders, p.input.Player.Gender) {
			return p.input.Player.Gender, true
		}
		return p.useMark(name), true
	case personas.VarPlayerName:
		return p.useMark(name), true
	}
	_, players := p.input.Vars[name]
	if p.forAll {
		players = players || p.isLearned(name)
	}
	if !players {
		if value, ok := p.table.Default(name); ok {
			return value, true
		}
	}
	if p.table.Knows(name) {
		return p.useMark(name), true
	}
	return "", false
}

func (p *page) isLearned(name string) bool {
	for i := range p.persona.Machines {
		for j := range p.persona.Machines[i].OutputVariables {
			if p.persona.Machines[i].OutputVariables[j].Key == name {
				return true
			}
		}
	}
	return false
}

func (p *page) useMark(name string) string {
	if !p.marked[name] {
		p.marked[name] = true
		p.used = append(p.used, name)
	}
	return markFor(name)
}

const (
	maxSamples, maxSample = 6, 240
)

func (p *page) sampleLines() []string {
	var samples []string
	seen := map[string]bool{}
	add := func(lines []string, limit int) {
		for _, line := range lines[:min(len(lines), limit)] {
			text := joinLines(p.expandText("offline.lines", plaintext.ClipWithin(line, maxSample)))
			if text != "" && !seen[text] && len(samples) < maxSamples {
				seen[text] = true
				samples = append(samples, quoteJSON(text))
			}
		}
	}
	if o := p.state.Offline; o != nil {
		decision := p.Decision
		if p.FollowUp {
			decision = personas.FollowUpName
		}
		add(o.Lines.Of(decision), 2)
		add(o.Opening, 1)
		add(o.Lines.Of(string(personas.DecideRedirect)), 1)
		add(o.Lines.Of(string(personas.DecidePass)), 1)
		add(o.Lines.Of(personas.FollowUpName), 1)
	}
	for _, answer := range p.authorsAnswers() {
		add(answer.Say, 1)
	}
	return samples
}

var playerWords = []string{
	"Player", "User", "Human", "The player",
	"Spieler", "Spielerin", "Benutzer", "Joueur", "Joueuse", "Utilisateur", "Jugador", "Jugadora", "Usuario",
	"Giocatore", "Giocatrice", "Utente", "Jogador", "Jogadora", "Usuário",
}

const maxLabel = 60

// CharacterLabels returns the names that may precede the character's words in a model's text. They
// are the full name and its first word.
func CharacterLabels(input llm.Input) []string {
	if input.Persona == nil {
		return nil
	}
	return nameAndFirst(input.Persona.Name)
}

// PlayerLabels returns the names that may precede a line for the player in a model's text. They
// exclude names of the character.
func PlayerLabels(input llm.Input) []string {
	characterLabels := CharacterLabels(input)
	var labels []string
	for _, name := range append(nameAndFirst(input.Player.Name), playerWords...) {
		if !containsFold(characterLabels, name) && !containsFold(labels, name) {
			labels = append(labels, name)
		}
	}
	return labels
}

func nameAndFirst(name string) []string {
	name = strings.TrimSpace(plaintext.ClipWithin(joinLines(name), maxLabel))
	if name == "" {
		return nil
	}
	if first, _, more := strings.Cut(name, " "); more {
		return []string{name, first}
	}
	return []string{name}
}

func containsFold(list []string, name string) bool {
	return slices.ContainsFunc(list, func(item string) bool { return strings.EqualFold(item, name) })
}
