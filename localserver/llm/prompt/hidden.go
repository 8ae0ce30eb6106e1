package prompt

import (
	"strings"
	"unicode/utf8"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas"
)

// A quotation in instructions is usually a line for the character.
var quotes = map[rune]string{'"': "\"", '“': "”", '„': "“”", '«': "»", '»': "«", '「': "」"}

const maxQuoted = 2000

// cutMark occurs in no reply, so a run of words cannot extend across a removed quotation.
const cutMark = " \uE000 "

// HiddenTexts returns the author's instructions, for detecting a reply that repeats them at length.
// HiddenTexts omits quotations, because a reply may repeat those.
func HiddenTexts(input llm.Input, result llm.StepResult) []string {
	p := newPage(input)
	p.addStepResult(result)
	texts := []string{
		p.Author("persona_identity_prompt"), p.Author("creator_objective"), p.Author("chat_system_prompt"),
		p.JudgedState().Instruction,
	}
	if p.Entered != nil {
		texts = append(texts, p.Entered.Instruction)
	}
	hidden := texts[:0]
	for _, text := range texts {
		hidden = append(hidden, dropQuotations(text))
	}
	return hidden
}

func dropQuotations(text string) string {
	var out strings.Builder
	next := map[string]int{} // next closing mark not yet passed, by kind
	for offset := 0; offset < len(text); {
		r, size := utf8.DecodeRuneInString(text[offset:])
		if ends := quotes[r]; ends != "" {
			end := findEnd(text, offset+size, ends, next)
			_, last := utf8.DecodeRuneInString(text[end:])
			if end > offset+size && end < len(text) && end+last <= offset+size+maxQuoted {
				out.WriteString(cutMark)
				offset = end + last
				continue
			}
		}
		out.WriteString(text[offset : offset+size])
		offset += size
	}
	return out.String()
}

func findEnd(text string, start int, ends string, positions map[string]int) int {
	if end, ok := positions[ends]; ok && end >= start {
		return end
	}
	length := strings.IndexAny(text[start:], ends)
	if length < 0 {
		length = len(text) - start
	}
	positions[ends] = start + length
	return start + length
}

// MarkValues returns pairs for strings.NewReplacer. MarkValues omits marks without a known value.
func MarkValues(input llm.Input) []string {
	p := newPage(input)
	var pairs []string
	names := append([]string{personas.VarPlayerName, personas.VarPlayerGender}, p.persona.VariableKeys()...)
	for _, name := range names {
		if value, ok := p.playersValue(name); ok {
			pairs = append(pairs, markFor(name), value)
		}
	}
	return pairs
}

// FillMarks replaces marks by their values, because a model may copy marks from its instructions.
func FillMarks(input llm.Input, text string) string {
	if !strings.Contains(text, "«") {
		return text
	}
	return strings.NewReplacer(MarkValues(input)...).Replace(text)
}
