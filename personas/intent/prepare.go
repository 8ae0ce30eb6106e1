package intent

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/parley-npc/parley/personas"
)

const (
	// maxTexts limits the examples, questions and clauses of a state, and maxTextSize the bytes of
	// each.
	maxTexts    = 1000
	maxTextSize = 400
	// maxCriterion is the maximum size of a criterion or a condition that is used, in bytes.
	maxCriterion = 16_000
)

type preparedState struct {
	language  string
	choices   []choice
	examples  textGroup // includes the questions with an answer by the author, which belong to the aside
	criteria  textGroup
	sources   []source
	kinds     []kind
	intervals [][]interval
	counts    []int
	slots     *slotTable
	trust     float64        // weight of recurring words; lower if there are few examples
	hostile   map[int]bool   // choices with an example that is an attack in a language other than English
	exact     map[string]int // index of the first text, by bare text
	// talkChoices is the choice for each kind of small talk that a criterion names.
	talkChoices map[Talk]int
	marks       map[int]marks
	size        int // size of the texts in it, in bytes
}

type source struct {
	example *personas.Example
	answer  *personas.Answer
}

type textGroup struct {
	texts    []string
	choices  []int // choice of each text
	kinds    []int // index in used of each text's choice
	used     []int // choices that have texts
	index    *Index
	profiles profileList
	centers  []Meaning
}

func (g *textGroup) add(text string, choice int) bool {
	if strings.TrimSpace(text) == "" || len(g.texts) == maxTexts {
		return false
	}
	if n := len(g.used); n == 0 || g.used[n-1] != choice {
		g.used = append(g.used, choice)
	}
	g.texts = append(g.texts, clipText(text))
	g.choices = append(g.choices, choice)
	g.kinds = append(g.kinds, len(g.used)-1)
	return true
}

func clipText(text string) string {
	if len(text) > maxTextSize {
		text = strings.ToValidUTF8(text[:maxTextSize], "")
	}
	return text
}

func (g *textGroup) finish(r *Reader, choices int) []*Reading {
	all := r.lexicon.ReadAll(g.texts...)
	g.index = r.lexicon.NewIndex(all, g.kinds)
	g.centers = make([]Meaning, choices)
	groups := make([][]Meaning, choices)
	for i, text := range all {
		g.profiles.add(r.kinds, text)
		groups[g.choices[i]] = append(groups[g.choices[i]], g.profiles.meanings[i])
	}
	for i := range groups {
		g.centers[i] = middle(groups[i])
	}
	return all
}

func (p *preparedState) noteSlots(read []*Reading) {
	words := make([][][]SlotWord, len(p.choices))
	p.counts, p.hostile = make([]int, len(p.choices)), make(map[int]bool)
	for i, text := range read {
		k := p.examples.choices[i]
		p.hostile[k] = p.hostile[k] || text.hostility(p.language) != NoTalk
		p.counts[k]++
		if len(words[k]) < maxSlotTexts {
			words[k] = append(words[k], text.slotWords())
		}
	}
	p.slots = newSlotTable(words)
	texts, choices := 0, 0
	for k, n := range p.counts {
		if n > 0 && p.choices[k].kind != aside {
			texts, choices = texts+n, choices+1
		}
	}
	p.trust = min(1, float64(texts)/float64(max(1, choices)*enoughExamples))
}

// enoughExamples is the minimum mean number of examples per choice for the full weight of recurring
// words.
const enoughExamples = 5

// prepareState ignores the text omitted, so that the fit of the weights can compare an example with
// all other examples.
func (r *Reader) prepareState(at *Place, omitted string) *preparedState {
	p := &preparedState{language: Language(at.Persona, at.Machine), choices: listChoices(at)}
	answers := listAnswers(at)
	counts := make([]int, len(p.choices))
	for i := range p.choices {
		counts[i] = len(p.choices[i].examples)
	}
	for _, a := range answers {
		counts[len(counts)-1] += len(a.Ask)
	}
	for i, share := range shareTexts(counts) {
		p.addChoice(i, share, omitted)
	}
	p.addAnswers(answers, omitted)
	p.exact = make(map[string]int, len(p.examples.texts))
	for i, text := range slices.Backward(p.examples.texts) {
		p.exact[bareText(text)] = i
	}
	if specifiedLanguage(at.Persona, at.Machine) == "" {
		some := strings.Join(p.examples.texts[:min(len(p.examples.texts), 100)], "\n")
		p.language = cmp.Or(r.lexicon.detectLanguage(some, "en"), "en")
	}
	for i := range p.choices {
		p.kinds = append(p.kinds, p.choices[i].kind)
		p.intervals = append(p.intervals, listIntervals(r.lexicon, clipCriteria(p.choices[i].criteria)))
	}
	p.noteSlots(p.examples.finish(r, len(p.choices)))
	p.talkChoices, p.marks = findTalkChoices(p.choices), findMarks(p.choices)
	p.criteria.finish(r, len(p.choices))
	p.size = countBytes(p.choices, answers)
	return p
}

// shareTexts divides maxTexts among the choices. Each choice gets an equal share, plus a part of
// the shares that smaller choices do not need.
func shareTexts(counts []int) []int {
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

// addChoice adds at most share examples of a choice, and the clauses of its criteria.
func (p *preparedState) addChoice(i, share int, without string) {
	c := &p.choices[i]
	examples := c.examples[:min(len(c.examples), share)]
	share = maxTexts / len(p.choices)
	for _, e := range examples {
		if e.Say != without && p.examples.add(withoutMark(e.Say), i) {
			p.sources = append(p.sources, source{example: e})
		}
	}
	for _, text := range c.criteria[:min(len(c.criteria), share)] {
		clauses := splitAlternatives(text[:min(len(text), maxCriterion)])
		for _, clause := range clauses[:min(len(clauses), share)] {
			p.criteria.add(clause, i)
		}
	}
}

func (p *preparedState) addAnswers(answers []*personas.Answer, without string) {
	for _, a := range answers {
		for _, ask := range a.Ask {
			if ask != without && p.examples.add(ask, len(p.choices)-1) {
				p.sources = append(p.sources, source{answer: a})
			}
		}
	}
}

// listAnswers returns the author's answers in order of precedence: the state's, the machine's, the
// persona's.
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

func withoutMark(text string) string {
	text = strings.TrimSpace(text)
	if i := strings.LastIndex(text, "[["); i > 0 && strings.HasSuffix(text, "]]") {
		return strings.TrimSpace(text[:i])
	}
	return text
}

func clipCriteria(criteria []string) string {
	text := strings.Join(criteria[:min(len(criteria), maxChoices)], "\n")
	return text[:min(len(text), maxCriterion)]
}

// CountTexts returns the size in bytes of the author's texts that a message is compared with. It is
// the size for the state with the largest texts.
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

func bareWord(word string) string { return strings.Trim(strings.ToLower(word), ".,;:!-~") }

// bareText returns a text in lower case without accents and punctuation.
func bareText(text string) string {
	return strings.Join(strings.FieldsFunc(Fold(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }), " ")
}
