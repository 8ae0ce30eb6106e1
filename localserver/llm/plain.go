package llm

import (
	"strings"

	"github.com/parley-npc/parley/personas"
)

// plainLanguages are the languages in which a narrator speaks.
var plainLanguages = map[string]*plainTexts{
	"en": &englishPlain, "de": &germanPlain, "fr": &frenchPlain, "es": &spanishPlain, "pt": &portuguesePlain, "it": &italianPlain,
}

// plainOf returns the texts in the language of the input, else the English ones.
func plainOf(input Input) *plainTexts {
	if t := plainLanguages[languageOf(input)]; t != nil {
		return t
	}
	return &englishPlain
}

// fillPlain puts the names and texts of an input into a plain line.
func fillPlain(input Input, state *personas.State, line string) string {
	return fillAll(input, state, []string{line}, "")[0]
}

// fillAll fills plain lines, each with a sentence behind it.
func fillAll(input Input, state *personas.State, lines []string, tail string) []string {
	values := strings.NewReplacer(append(searchedValues(input, strings.Join(lines, "\n")),
		"{who}", speakerName(input), "{what}", stateTitle(state), "{goal}", sentence(goalOf(input)),
		"{about}", sentence(aboutOf(input)), "{where}", strings.TrimRight(placeOf(input), "."),
	)...)
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = strings.TrimSpace(strings.TrimSpace(oneStop.Replace(values.Replace(line))) + " " + tail)
	}
	return out
}

// oneStop leaves a text that stands within a line its own mark at the end.
var oneStop = strings.NewReplacer("?.", "?", "!.", "!", "….", "…", "..)", ".)")

// searchedValues are the placeholders that lines have of what is searched for in the conversation and
// the author's texts, and what stands for them. Nobody is called by a name that is not known.
func searchedValues(input Input, lines string) []string {
	var values []string
	if strings.Contains(lines, "{player}") {
		listener := plainOf(input).listenerOf(input)
		if input.calledName() == "" {
			values = append(values, ", {player}", "")
		}
		values = append(values, "{player}", listener)
	}
	if strings.Contains(lines, "{name}") {
		values = append(values, "{name}", briefName(input))
	}
	if strings.Contains(lines, "{last}") {
		values = append(values, "{last}", lastSaid(input))
	}
	return values
}

func (t *plainTexts) listenerOf(input Input) string {
	if name := input.calledName(); name != "" {
		return name
	}
	return t.listener
}

func goalOf(input Input) string {
	if input.Machine != nil && input.Machine.Goal() != "" {
		return input.Machine.Goal()
	}
	return placeOf(input)
}

func aboutOf(input Input) string {
	if input.Persona == nil {
		return ""
	}
	return input.Persona.Description
}

func placeOf(input Input) string {
	switch {
	case input.Machine == nil:
		return stateTitle(input.State)
	case input.Machine.Description != "":
		return input.Machine.Description
	}
	return input.Machine.Title()
}

// sentence ends a text with a stop where it has none.
func sentence(text string) string {
	text = strings.TrimSpace(text)
	if text == "" || strings.ContainsAny(text[len(text)-1:], ".!?") || strings.HasSuffix(text, "…") {
		return text
	}
	return text + "."
}

// plainOpening returns the narrator's first words.
func plainOpening(input Input) []string {
	return fillAll(input, input.State, plainOf(input).opening, "")
}

// plainReply returns the narrator's words for what happened; an ending and a new
// state are told as well.
func plainReply(input Input, result StepResult) []string {
	t := plainOf(input)
	tail := ""
	switch {
	case result.Outcome == personas.Accept:
		tail = t.endsWell
	case result.Outcome != personas.NoOutcome:
		tail = t.ends
	case result.Entered != nil:
		tail = fillPlain(input, result.Entered, t.now)
	}
	return fillAll(input, input.State, t.lines.Of(resultName(result)), tail)
}
