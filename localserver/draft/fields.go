package draft

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
)

// Field is a rewritable text of a persona.
type Field struct {
	// Path has the format of the paths in findings.
	Path string
	Text string
	// Place describes the position of the text. It is "" for texts of the persona itself.
	Place string
	// About describes the purpose of the text.
	About string
	// Most is the maximum length in characters.
	Most int
}

// purposes maps a path without indexes to the purpose of the text. Paths below "offline" are
// relative, because several objects have such a member.
var purposes = map[string]string{
	"description":             "It is shown in lists of characters.",
	"persona_identity_prompt": "It tells the model that plays the character who it is.",
	"perplexity_description":  "It is for search and discovery.",
	"variables.description":   "It says to authors what the variable is.",

	"machines.description":                 "Players read it before they begin.",
	"machines.player_goal":                 "Players read it: what they are to try, in one line.",
	"machines.creator_objective":           "It says what the player has to achieve.",
	"machines.creator_win_condition":       "It says when the player has won.",
	"machines.creator_lose_condition":      "It says when the player has lost.",
	"machines.chat_system_prompt":          "It tells the model that plays the character how to talk in this machine.",
	"machines.system_evaluation_prompt":    "It tells the model that judges the player's messages how to judge.",
	"machines.system_summarization_prompt": "It tells a model what a summary of the conversation should keep.",
	"machines.transitions.condition":       "It says when the transition fires, to the model that judges the player's messages.",

	"machines.output_variables.extraction_prompt": "It says what to read out of the finished conversation.",
	"machines.states.prompt_instruction":          "It tells the model that plays the character what to do in this state.",

	"machines.states.evaluation_criteria.pass":      "It says which messages of the player count as passed.",
	"machines.states.evaluation_criteria.redirect":  "It says which messages of the player count as off the point.",
	"machines.states.evaluation_criteria.reject":    "It says which messages of the player count as rejected.",
	"machines.states.evaluation_criteria.kick_out":  "It says which messages of the player count as unforgivable.",
	"machines.states.evaluation_criteria.follow_up": "It says which messages of the player count as worth a question.",

	"offline.opening":         "The character says it first of all.",
	"offline.answers.say":     "The character says it to a question that decides nothing.",
	"offline.lines.pass":      "The character says it when the player has passed.",
	"offline.lines.redirect":  "The character says it to steer the player back.",
	"offline.lines.reject":    "The character says it when it rejects what the player did.",
	"offline.lines.kick_out":  "The character says it when it throws the player out.",
	"offline.lines.follow_up": "The character says it to hear more.",
	"offline.lines.enter":     "The character says it when this state begins.",
	"offline.lines.unknown":   "The character says it to words that it does not understand.",
}

// ListFields lists the nonempty rewritable texts in document order. Names, keys and messages of
// examples are not rewritable.
func ListFields(persona *personas.Persona) []Field {
	source, err := personas.EncodeJSON(*persona)
	if err != nil {
		return nil
	}
	var fields []Field
	walkTexts(json.NewDecoder(bytes.NewReader(source)), "", func(path, text string) {
		name := indexes().ReplaceAllString(path, "")
		if _, below, ok := strings.Cut("."+name, ".offline."); ok {
			name = "offline." + below
		}
		about := purposes[name]
		if strings.HasPrefix(name, "offline.examples.") && strings.HasSuffix(name, ".answer") {
			about = "The character says it to that one message."
		}
		if about == "" || text == "" {
			return
		}
		limit := personas.MaxPrompt
		if strings.HasSuffix(name, "description") || strings.HasSuffix(name, "player_goal") {
			limit = personas.MaxDescription
		}
		fields = append(fields, Field{Path: path, Text: text, Place: placeOf(persona, path), About: about, Most: limit})
	})
	return fields
}

func walkTexts(d *json.Decoder, path string, visit func(path, text string)) {
	token, _ := d.Token()
	switch token := token.(type) {
	case string:
		visit(path, token)
	case json.Delim:
		for i := 0; d.More(); i++ {
			next := fmt.Sprintf("%s[%d]", path, i)
			if token == '{' {
				name, _ := d.Token()
				next = strings.TrimPrefix(fmt.Sprintf("%s.%s", path, name), ".")
			}
			walkTexts(d, next, visit)
		}
		_, _ = d.Token()
	}
}

var (
	indexes    = plaintext.Pattern(`\[\d+\]`)
	placeParts = plaintext.Pattern(`^machines\[(\d+)\](?:\.(states|transitions)\[(\d+)\])?`)
)

func placeOf(p *personas.Persona, path string) string {
	parts := placeParts().FindStringSubmatch(path)
	if parts == nil {
		return ""
	}
	i, _ := strconv.Atoi(parts[1])
	m := &p.Machines[i]
	place := fmt.Sprintf("machine %q", m.Title())
	j, _ := strconv.Atoi(parts[3])
	switch parts[2] {
	case "states":
		place += fmt.Sprintf(", state %q", m.States[j].Title())
	case "transitions":
		place += fmt.Sprintf(", a %s of state %q", m.Transitions[j].Decision, m.Transitions[j].From)
	}
	return place
}
