package offline

import (
	"strings"
	"unicode"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/nlu"
)

// CountTexts returns how many bytes of the author's texts are compared with a message, at
// most, in the state of a persona that has most.
func CountTexts(p *personas.Persona) int {
	most := 0
	for i := range p.Machines {
		m := &p.Machines[i]
		outgoing := make(map[string][]int)
		for row := range m.Transitions {
			outgoing[m.Transitions[row].From] = append(outgoing[m.Transitions[row].From], row)
		}
		for j := range m.States {
			at := Place{Persona: p, Machine: m, State: &m.States[j], Outgoing: outgoing[m.States[j].Key]}
			most = max(most, countPlaceTexts(&at))
		}
	}
	return most
}

// countPlaceTexts counts as prepareState takes them, each group cut at what it may have.
func countPlaceTexts(at *Place) int {
	examples, criteria := 0, 0
	choices := listChoices(at)
	answers := ListAnswers(at)
	shares, share := shareTexts(countTexts(choices, answers)), maxTexts/len(choices)
	for i := range choices {
		c := &choices[i]
		for _, e := range c.examples[:min(len(c.examples), shares[i])] {
			examples += min(len(e.Say), maxTextSize)
		}
		for _, text := range c.criteria[:min(len(c.criteria), share)] {
			criteria += min(len(text), maxCriterion)
		}
	}
	for _, a := range answers {
		for _, ask := range a.Ask {
			examples += min(len(ask), maxTextSize)
		}
	}
	return min(examples, maxTexts*maxTextSize) + min(criteria, maxTexts*maxTextSize)
}

// thankingWords are words with which people thank.
var thankingWords = []string{"thanks", "thank", "you", "very", "so", "much", "a", "lot", "cheers",
	"merci", "beaucoup", "bien", "danke", "schön", "sehr", "vielen", "dank", "gracias", "muchas", "grazie", "mille", "obrigado", "obrigada", "muito"}

// bareWord is a word without case and stops.
func bareWord(word string) string { return strings.Trim(strings.ToLower(word), ".,;:!-~") }

// bareText is a text without case, accents and stops.
func bareText(text string) string { return strings.Join(foldedWords(text), " ") }

// foldedWords are a text's words in small letters without accents.
func foldedWords(text string) []string {
	return strings.FieldsFunc(nlu.Fold(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}
