package offline

import (
	"slices"
	"strings"
	"unicode"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/nlu"
	"github.com/parley-npc/parley/personas/plaintext"
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

// Words with which people thank, and those with which they begin to.
var (
	thankingWords = []string{"thanks", "thank", "you", "very", "so", "much", "a", "lot", "cheers",
		"merci", "beaucoup", "bien", "danke", "schön", "sehr", "vielen", "dank", "gracias", "muchas", "grazie", "mille", "obrigado", "obrigada", "muito"}
	thankStarts = []string{"thanks", "thank", "merci", "danke", "vielen", "gracias", "muchas", "grazie", "obrigado", "obrigada", "muito"}
)

// endsWithThanks tells a text that says something and thanks behind it, with a stop or without.
func endsWithThanks(text string) bool {
	words := strings.Fields(text)
	says := slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(thankingWords, bareWord(w)) })
	return len(words) > 1 && says && slices.Contains(thankStarts, bareWord(words[len(words)-1]))
}

// bareWord is a word without case and stops.
func bareWord(word string) string { return strings.Trim(strings.ToLower(word), ".,;:!-~") }

// bareText is a text without case, accents and stops.
func bareText(text string) string { return strings.Join(foldedWords(text), " ") }

// foldedWords are a text's words in small letters without accents.
func foldedWords(text string) []string {
	return strings.FieldsFunc(nlu.Fold(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}

// polite is what a message has that says please or thanks, in folded words.
var polite = plaintext.Pattern(`\b(?:please|pls|plz|thanks?|thx|s'?il (?:vous|te) plait|svp|stp|merci|bitte|danke|por favor|gracias|faz favor|obrigad[oa]|per (?:favore|piacere)|grazie)\b`)

// sharePolite returns for each choice which share of its texts says please or thanks.
func sharePolite(texts *textGroup, choices int) []float64 {
	said, all := make([]float64, choices), make([]float64, choices)
	for i, k := range texts.choices {
		if all[k]++; polite().MatchString(nlu.Fold(texts.texts[i])) {
			said[k]++
		}
	}
	for k := range said {
		said[k] /= max(1, all[k])
	}
	return said
}

// laughing is how people laugh in writing, and what they say with it that says nothing.
const laughing = `(?:lol+|lmf?ao+|rofl|(?:a?ha){2,}h?|ha|heh+|(?:he){2,}|(?:hi){2,}|xd+|mdr+|ptdr|(?:ja){2,}|k{3,}|(?:rs){2,})`

// noting is what people write who only take note.
const noting = `(?:ok|okay|oh|ah|well|right|true|fair enough|fair|nice|wow|cool|i see|got it|then|bon|d'accord|ben|bah|voil[aà])`

var (
	// laughsFirst is laughter before what is said, or a sentence that only takes note, laughsLast
	// laughter behind it, laughsOnly a text that says no more.
	laughsFirst = plaintext.Pattern(`(?i)^(?:(?:` + noting + `\b[, ]*)+[.!…]+ +|` + laughing + `\b[.,!:;)… ]*(?:(?:` + laughing + `|` + noting + `)\b[.,!:;)… ]*)*)`)
	laughsLast  = plaintext.Pattern(`(?i)[.,!?… ]+` + laughing + `(?:\s` + laughing + `)*[.!… ]*$`)
	laughsOnly  = plaintext.Pattern(`(?i)^(?:(?:` + laughing + `|` + noting + `)\b[.,!:;)… ]*)+$`)
)

// leastBehindLaughter are the fewest words that a message must have beside its laughter.
const leastBehindLaughter = 3

// withoutLaughter takes the laughter off the beginning and the end of a message that says something
// else, but not the mark of a question (docs/decisions/offline.md, laughter).
func withoutLaughter(message string) string {
	rest := laughsFirst().ReplaceAllString(message, "")
	rest = laughsLast().ReplaceAllStringFunc(rest, func(end string) string {
		if strings.Contains(end, "?") {
			return "?"
		}
		return ""
	})
	if len(strings.Fields(rest)) < leastBehindLaughter {
		return message
	}
	return rest
}

// shortAsk is how many words a question has at most that longer messages have in passing, and
// leastLonger how many these have at least.
const shortAsk, leastLonger = 2, 7
