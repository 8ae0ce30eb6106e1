package prompt

import (
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
		members[i] = member{a.Name, kind{Type: []string{"string", "null"}}}
	}
	return &provider.Schema{Name: "values", JSON: objectSchema(members...)}
}

// ReadValues reads the output variables from an answer to a request: texts of one line and at most
// 200 characters. It leaves out values that were not asked for, and those that are null or blank;
// an answer with none of the names is a fault. With a fault it still returns the valid values.
func ReadValues(r provider.Request, input llm.Input, answer string) (map[string]string, AnswerFault) {
	read, ok := readMembers(answer)
	if !ok {
		return nil, WrongShape
	}
	values, fault, known := map[string]string{}, NoFault, 0
	for name, raw := range read {
		key := keyOf(input, r.MeaningOf(name))
		if key == "" {
			continue
		}
		known++
		text, isText := readText(raw)
		if !isText && string(raw) != "null" {
			fault = WrongShape
		}
		if text = plaintext.ClipWithin(joinLines(text), maxValue); text != "" {
			values[key] = text
		}
	}
	if known == 0 {
		return nil, WrongShape
	}
	return values, fault
}

// keyOf returns the key of the output variable for a name, or "".
func keyOf(input llm.Input, meaning string) string {
	for i := range input.Machine.OutputVariables {
		if key := input.Machine.OutputVariables[i].Key; meaningOfKey(key) == meaning {
			return key
		}
	}
	return ""
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
