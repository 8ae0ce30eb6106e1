package scripted

import (
	"cmp"
	"strings"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas"
)

type scene struct {
	llm.Input
	model  *Model
	texts  *texts
	player *string
}

func (m *Model) sceneOf(input llm.Input) *scene {
	if input.Variables == nil && input.Persona != nil {
		input.Variables = personas.NewVariableTable(input.Persona)
	}
	return &scene{Input: input, model: m, texts: m.texts.ofLanguage(languageOf(input))}
}

func (s *scene) findValue(name string) (string, bool) {
	switch name {
	case personas.VarPlayerName:
		return s.playerName(), true
	case personas.VarPlayerGender:
		return s.Player.Gender, true
	case personas.VarPersonaName:
		return s.personaName(), true
	}
	if v, ok := s.Vars[name]; ok {
		return v, true
	}
	if s.Variables == nil {
		return "", false
	}
	return s.Variables.Default(name)
}

func (s *scene) isBlank(name string) (blank, ok bool) {
	value, ok := s.findValue(name)
	return strings.TrimSpace(value) == "", ok
}

func (s *scene) fillLine(line string, state *personas.State) string {
	return s.fill([]string{line}, state)[0]
}

func (s *scene) fill(lines []string, state *personas.State) []string {
	player := s.playerName()
	values := []string{"{player}", player}
	if player == "" {
		values = []string{", {player}", "", "{player}", s.texts.Listener}
	}
	about := ""
	if s.Persona != nil {
		about = s.Persona.Description
	}
	replacer := strings.NewReplacer(append(values,
		"{name}", s.shortName(), "{who}", s.personaName(), "{what}", stateTitle(state), "{goal}", sentence(s.goal()),
		"{about}", sentence(about), "{where}", strings.TrimRight(s.place(), "."), "{last}", s.lastSaid(),
	)...)
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = strings.TrimSpace(oneStop.Replace(replacer.Replace(line)))
	}
	return out
}

// oneStop removes a full stop after other punctuation.
var oneStop = strings.NewReplacer("?.", "?", "!.", "!", "….", "…", "..)", ".)", " )", ")")

func sentence(text string) string {
	text = strings.TrimSpace(text)
	if text == "" || strings.ContainsAny(text[len(text)-1:], ".!?") || strings.HasSuffix(text, "…") {
		return text
	}
	return text + "."
}

func (s *scene) plainReply(result llm.StepResult) []string {
	tail := ""
	switch {
	case result.Outcome == personas.Accept:
		tail = s.texts.EndsWell
	case result.Outcome != personas.NoOutcome:
		tail = s.texts.Ends
	case result.Entered != nil:
		tail = s.fillLine(s.texts.Now, result.Entered)
	}
	kind := resultName(result)
	if result.Aside {
		kind = "unknown"
	}
	lines := s.fill(s.texts.Lines[kind], s.State)
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i] + " " + tail)
	}
	return lines
}

func (s *scene) goal() string {
	if s.Machine != nil && s.Machine.Goal() != "" {
		return s.Machine.Goal()
	}
	return s.place()
}

func (s *scene) place() string {
	if s.Machine == nil {
		return stateTitle(s.State)
	}
	return cmp.Or(s.Machine.Description, s.Machine.Title())
}

func stateTitle(state *personas.State) string {
	if state == nil {
		return "this"
	}
	return state.Title()
}

func (s *scene) lastSaid() string {
	lines := characterLines(s.Recent)
	if len(lines) == 0 {
		return ""
	}
	last := lines[len(lines)-1]
	for _, line := range s.texts.Intents[personas.IntentRepeat] {
		before, _, _ := strings.Cut(line, "{last}")
		lead := strings.TrimSpace(strings.ReplaceAll(before, "{name}", s.shortName()))
		if rest, found := strings.CutPrefix(last, lead); found {
			return strings.TrimSpace(rest)
		}
	}
	return last
}
