package prompt

import (
	"strings"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/localserver/llm/provider"
	"github.com/parley-npc/parley/personas/plaintext"
)

const (
	// MaxSummary is the maximum length of a summary, in characters.
	MaxSummary = 1200
	// maxValue is the maximum length of the value of an output variable, in characters.
	maxValue = 200
)

func valuesSchema(list []askedVariable) *provider.Schema {
	members := make(provider.OrderedObject, len(list))
	for i, a := range list {
		members[i] = provider.Member{Name: a.Name, Value: kind{Type: []string{"string", "null"}}}
	}
	return &provider.Schema{Name: "values", JSON: objectSchema(members)}
}

// ReadValues decodes the output variables in an answer to r. Each value becomes one line of at
// most maxValue characters. Values that are null, blank or were not requested are omitted. An
// answer without any requested name is faulty.
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

func keyOf(input llm.Input, meaning string) string {
	for i := range input.Machine.OutputVariables {
		if key := input.Machine.OutputVariables[i].Key; meaningOfKey(key) == meaning {
			return key
		}
	}
	return ""
}

// ReadSummary converts an answer to a summary of at most MaxSummary characters. Line breaks are the
// only control characters in it.
func ReadSummary(input llm.Input, answer string) string {
	lines := strings.Split(strings.ReplaceAll(FillMarks(input, answer), "\r\n", "\n"), "\n")
	for i := range lines {
		lines[i] = joinLines(lines[i])
	}
	return plaintext.ClipWithin(strings.TrimSpace(strings.Join(lines, "\n")), MaxSummary)
}
