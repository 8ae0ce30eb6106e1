package prompt

import (
	"strings"
	"unicode/utf8"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas"
)

// quotes maps opening quotation marks to closing ones. In instructions, the text between them is
// usually a line for the character to say. The marks in «player_name» do not count as quotation
// marks.
var quotes = map[rune]string{'"': "\"", '“': "”", '„': "“”", '«': "»", '»': "«", '「': "」"}

// maxQuoted is the maximum length of a text between quotation marks, in bytes. If the text is
// longer, the opening mark is ignored.
const maxQuoted = 2000

// cutMark replaces a removed quotation. It is a word that occurs in no answer, so a run of words
// cannot extend across it.
const cutMark = " \uE000 "

// HiddenTexts returns the author's instructions in the request for a reply, for detecting a reply
// that quotes them at length. It removes the quotations in the instructions, because the reply may
// repeat those.
func HiddenTexts(input llm.Input, result llm.StepResult) []string {
	p := newPage(input)
	p.addStepResult(result)
	texts := []string{p.Author("persona_identity_prompt"), p.Author("creator_objective"), p.Author("chat_system_prompt"), p.JudgedState().Instruction}
	if p.Entered != nil {
		texts = append(texts, p.Entered.Instruction)
	}
	hidden := texts[:0]
	for _, text := range texts {
		hidden = append(hidden, dropQuotations(text))
	}
	return hidden
}

// dropQuotations returns a text without the parts in quotation marks. It caches the positions of
// closing marks in next, so that each kind of mark needs only one pass.
func dropQuotations(text string) string {
	var out strings.Builder
	next := map[string]int{} // next closing mark not yet passed, by kind
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		if ends := quotes[r]; ends != "" {
			end := findEnd(text, at+size, ends, next)
			_, last := utf8.DecodeRuneInString(text[end:])
			if end > at+size && end < len(text) && end+last <= at+size+maxQuoted {
				out.WriteString(cutMark)
				at = end + last
				continue
			}
		}
		out.WriteString(text[at : at+size])
		at += size
	}
	return out.String()
}

// findEnd returns the offset of the first closing mark at or after start, or the length of the
// text. ends contains the closing marks. findEnd caches the result in known.
func findEnd(text string, start int, ends string, known map[string]int) int {
	if at, ok := known[ends]; ok && at >= start {
		return at
	}
	at := strings.IndexAny(text[start:], ends)
	if at < 0 {
		at = len(text) - start
	}
	known[ends] = start + at
	return start + at
}

// MarkValues returns pairs of a mark and its value, for strings.NewReplacer. It omits marks with
// unknown values.
func MarkValues(input llm.Input) []string {
	p := newPage(input)
	var pairs []string
	for _, name := range append([]string{personas.VarPlayerName, personas.VarPlayerGender}, p.persona.VariableKeys()...) {
		if value, ok := p.playersValue(name); ok {
			pairs = append(pairs, markFor(name), value)
		}
	}
	return pairs
}

// FillMarks replaces the marks in a text by their values. A model sometimes copies the marks from
// its instructions.
func FillMarks(input llm.Input, text string) string {
	if !strings.Contains(text, "«") {
		return text
	}
	return strings.NewReplacer(MarkValues(input)...).Replace(text)
}
