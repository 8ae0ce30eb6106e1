package prompt

import (
	"encoding/json"
	"strings"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas/plaintext"
)

const (
	// MaxSummary is the longest summary, in characters.
	MaxSummary = 1200
	// maxValue is the longest value of an output variable, in characters.
	maxValue = 200
)

func valuesSchema(list []askedVariable) *provider.Schema {
	members := make([]member, len(list))
	for i, a := range list {
		members[i] = member{a.Key, kind{Type: []string{"string", "null"}}}
	}
	return &provider.Schema{Name: "values", JSON: objectSchema(members...)}
}

// ReadValues makes the output variables of an answer: texts of one line and at
// most 200 characters. What was not asked for is left out, and so is what is null
// or blank. With a fault there may be values all the same: those that were good.
func ReadValues(input llm.Input, answer string) (map[string]string, AnswerFault) {
	var read map[string]any
	if json.Unmarshal([]byte(answer), &read) != nil || read == nil {
		return nil, WrongShape
	}
	values, fault := map[string]string{}, NoFault
	for i := range input.Machine.OutputVariables {
		key := input.Machine.OutputVariables[i].Key
		switch value := read[key].(type) {
		case nil:
		case string:
			if text := plaintext.ClipWithin(joinLines(value), maxValue); text != "" {
				values[key] = text
			}
		default:
			fault = WrongShape
		}
	}
	return values, fault
}

// ReadSummary makes a summary of an answer: at most MaxSummary characters, without
// control characters but line breaks.
func ReadSummary(input llm.Input, answer string) string {
	lines := strings.Split(strings.ReplaceAll(FillMarks(input, answer), "\r\n", "\n"), "\n")
	for i := range lines {
		lines[i] = joinLines(lines[i])
	}
	return plaintext.ClipWithin(strings.TrimSpace(strings.Join(lines, "\n")), MaxSummary)
}
