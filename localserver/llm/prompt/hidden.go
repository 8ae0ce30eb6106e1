package prompt

import (
	"strings"
	"unicode/utf8"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas"
)

// quotes are pairs of quotation marks: the text between them is mostly a line that the author wants
// the character to say. A mark for a player's value does not count as a quotation.
var quotes = map[rune]string{'"': "\"", '“': "”", '„': "“”", '«': "»", '»': "«", '「': "」"}

// maxQuoted is the longest text between quotation marks, in bytes; beyond it a
// quotation mark has lost its other half.
const maxQuoted = 2000

// cutMark replaces a removed line, so that a sequence of words never extends over it: it counts as
// a word, and nobody says it.
const cutMark = " \uE000 "

// HiddenTexts returns the author's instructions in a reply's request that a reply
// must not quote at length, without what they have in quotation marks.
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

// dropQuotations returns a text without what it has in quotation marks. It looks for
// the other half of each kind of mark once, however many are open.
func dropQuotations(text string) string {
	var out strings.Builder
	next := map[string]int{} // by ends: the place of the first one that is not passed
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

// findEnd returns the offset of the first end mark from an offset on, or the text's length. It
// caches the result in known.
func findEnd(text string, from int, ends string, known map[string]int) int {
	if at, ok := known[ends]; ok && at >= from {
		return at
	}
	at := strings.IndexAny(text[from:], ends)
	if at < 0 {
		at = len(text) - from
	}
	known[ends] = from + at
	return from + at
}

// MarkValues returns the marks of an input and their values, in pairs of mark and value, for
// replies that contain a mark. It omits unknown values.
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

// FillMarks puts the values in the place of marks that a model left in a text.
func FillMarks(input llm.Input, text string) string {
	if !strings.Contains(text, "«") {
		return text
	}
	return strings.NewReplacer(MarkValues(input)...).Replace(text)
}
