package intent

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/parley-npc/parley/personas"
)

const (
	maxTexts     = 1000   // examples, questions and clauses of a state
	maxTextSize  = 400    // bytes
	maxCriterion = 16_000 // bytes of a criterion or condition, ignoring the rest
)

type preparedState struct {
	language string
	choices  []choice
	examples textList // includes the answered questions as texts of the aside
	criteria textList
	sources  []source  // of each example
	centers  []Meaning // mean of the examples of each choice
	slots    *slotTable
	trust    float64        // weight of recurring words, lower with few examples
	exact    map[string]int // index of the first example by bare text
	size     int            // bytes of the texts

	talkChoices map[Talk]int // choice with a criterion for the kind of small talk
}

type source struct {
	example *personas.Example
	answer  *personas.Answer
}

func clipText(text string) string {
	if len(text) > maxTextSize {
		text = strings.ToValidUTF8(text[:maxTextSize], "")
	}
	return text
}

const enoughExamples = 5 // mean number per choice, for the full weight of recurring words

func (r *Reader) prepareState(at *Place, omitted string) *preparedState {
	state := &preparedState{
		language: Language(at.Persona, at.Machine), choices: listChoices(at), exact: make(map[string]int),
	}
	answers := listAnswers(at)
	state.addTexts(answers, omitted)
	for i, text := range slices.Backward(state.examples.texts) {
		state.exact[bareText(text)] = i
	}
	if specifiedLanguage(at.Persona, at.Machine) == "" {
		some := strings.Join(state.examples.texts[:min(len(state.examples.texts), 100)], "\n")
		state.language = cmp.Or(r.lexicon.detectLanguage(some, "en"), "en")
	}
	state.noteExamples(state.examples.prepare(r))
	state.criteria.prepare(r)
	findMarks(state.choices)
	state.talkChoices = findTalkChoices(state.choices)
	for i := range state.choices {
		choice := &state.choices[i]
		text := strings.Join(choice.criteria[:min(len(choice.criteria), maxChoices)], "\n")
		choice.intervals = listIntervals(r.lexicon, text[:min(len(text), maxCriterion)])
	}
	state.size = countBytes(state.choices, answers)
	return state
}

func (p *preparedState) noteExamples(read []*Reading) {
	words, meanings := make([][][]slotWord, len(p.choices)), make([][]Meaning, len(p.choices))
	for i, text := range read {
		k := p.examples.owners[i]
		c := &p.choices[k]
		c.texts++
		c.attacks = c.attacks || text.isHostile(p.language)
		meanings[k] = append(meanings[k], p.examples.meanings[i])
		if len(words[k]) < maxSlotTexts {
			words[k] = append(words[k], text.slotWords())
		}
	}
	p.slots = newSlotTable(words)
	texts, choices := 0, 0
	for k, c := range p.choices {
		p.centers = append(p.centers, middle(meanings[k]))
		if c.texts > 0 && c.kind != aside {
			texts, choices = texts+c.texts, choices+1
		}
	}
	p.trust = min(1, float64(texts)/float64(max(1, choices)*enoughExamples))
}

func divideMaxTexts(counts []int) []int {
	order, shares, left := make([]int, len(counts)), make([]int, len(counts)), maxTexts
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(counts[a], counts[b]) })
	for n, i := range order {
		shares[i] = min(counts[i], left/(len(order)-n))
		left -= shares[i]
	}
	return shares
}

func (p *preparedState) addTexts(answers []*personas.Answer, omitted string) {
	counts := make([]int, len(p.choices))
	for i := range p.choices {
		counts[i] = len(p.choices[i].examples)
	}
	for _, a := range answers {
		counts[len(counts)-1] += len(a.Ask)
	}
	addExample := func(text string, choice int, from source) {
		if text != omitted && p.examples.add(text, choice) {
			p.sources = append(p.sources, from)
		}
	}
	most := maxTexts / len(p.choices)
	for i, share := range divideMaxTexts(counts) {
		c := &p.choices[i]
		for _, e := range c.examples[:min(len(c.examples), share)] {
			addExample(e.Say, i, source{example: e})
		}
		for _, text := range c.criteria[:min(len(c.criteria), most)] {
			clauses := splitAlternatives(text[:min(len(text), maxCriterion)])
			for _, clause := range clauses[:min(len(clauses), most)] {
				p.criteria.add(clause, i)
			}
		}
	}
	for _, a := range answers {
		for _, ask := range a.Ask {
			addExample(ask, len(p.choices)-1, source{answer: a})
		}
	}
}

func listAnswers(at *Place) []*personas.Answer {
	var out []*personas.Answer
	add := func(answers []personas.Answer) {
		for i := range answers {
			out = append(out, &answers[i])
		}
	}
	if at.State.Offline != nil {
		add(at.State.Offline.Answers)
	}
	for _, o := range [...]*personas.SharedOffline{at.Machine.Offline, at.Persona.Offline} {
		if o != nil {
			add(o.Answers)
		}
	}
	return out
}

// CountTexts returns the size in bytes of the texts compared with a message. The state with the
// largest texts counts.
func CountTexts(p *personas.Persona) int {
	most := 0
	for _, places := range listPlaces(p) {
		for i := range places {
			most = max(most, countPlaceTexts(&places[i]))
		}
	}
	return most
}

func countPlaceTexts(at *Place) int {
	return min(countBytes(listChoices(at), listAnswers(at)), 2*maxTexts*maxTextSize)
}

func countBytes(choices []choice, answers []*personas.Answer) int {
	size := 0
	for i := range choices {
		for _, e := range choices[i].examples {
			size += len(e.Say) + len(e.Answer)
		}
		for _, text := range choices[i].criteria {
			size += len(text)
		}
	}
	for _, a := range answers {
		for _, text := range slices.Concat(a.Ask, a.Say) {
			size += len(text)
		}
	}
	return size
}

func bareText(text string) string {
	isSeparator := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }
	return strings.Join(strings.FieldsFunc(Fold(text), isSeparator), " ")
}
