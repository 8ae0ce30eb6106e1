package prompt

import (
	"strings"
	"unicode/utf8"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas"
)

// quotes maps opening to closing quotation marks, which usually enclose a line for the character to
// say. The marks in «player_name» are no quotation marks.
var quotes = map[rune]string{'"': "\"", '“': "”", '„': "“”", '«': "»", '»': "«", '「': "」"}

// maxQuoted is the maximum length in bytes of a text between quotation marks. Beyond that the
// opening mark is ignored.
const maxQuoted = 2000

// cutMark replaces a removed quotation. No answer contains the word, so no run of words extends
// across the quotation.
const cutMark = " \uE000 "

// HiddenTexts returns the author's instructions in the request for a reply, without the quotations
// in them. The reply must not quote these instructions at length.
func HiddenTexts(input llm.Input, result llm.StepResult) []string {
	p := newPage(input)
	p.addStepResult(result)
	texts := []string{p.PersonaPrompt(), p.MachineObjective(), p.ReplyPrompt(), p.JudgedState().Instruction}
	if p.Entered != nil {
		texts = append(texts, p.Entered.Instruction)
	}
	hidden := texts[:0]
	for _, text := range texts {
		hidden = append(hidden, dropQuotations(text))
	}
	return hidden
}

// dropQuotations returns a text without the parts in quotation marks. The cache next limits the
// search to one pass for each kind of closing mark.
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

// findEnd returns the offset of the first closing mark, a character of ends, from start on, or the
// length of the text. It caches the result in known.
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

// MarkValues returns the marks of an input, each followed by its value, for strings.NewReplacer. It
// omits marks with unknown values.
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

// FillMarks replaces marks that a model left in a text with the marks' values.
func FillMarks(input llm.Input, text string) string {
	if !strings.Contains(text, "«") {
		return text
	}
	return strings.NewReplacer(MarkValues(input)...).Replace(text)
}
